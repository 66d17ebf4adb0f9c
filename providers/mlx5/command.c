// SPDX-License-Identifier: BSD-2-Clause
/*
 * Commands: DevX has blocking calls only, so threads do them.
 *
 *	submit ──> queue (first in, first out) ──> thread: mlx5dv_devx_*() ──> done list ──> progress
 *
 * A thread is started when a command is queued and none is idle, up to MLX5_MAX_THREADS; they stay until close. All
 * signals are blocked in them.
 *
 * EINTR: a call that was interrupted is made again when doing it twice is the same as once: queries, and the general
 * commands (QUERY_HCA_CAP, NOP, SYNC_CRYPTO). Another one may have been done, so it counts as not answered.
 *
 * DESTROY has no answer in this interface: mlx5dv_devx_obj_destroy() tells an errno, which the kernel made from the
 * status (mlx5/core/cmd.c), and several statuses share one. The answer is made up so that those above can go on:
 * RES_BUSY for EBUSY, INT_ERR for EIO of a device that is there, else BAD_RES_STATE, and syndrome 0. The first and the last
 * mean that something on the device uses the object, the one reason left for a destroy that the kernel itself has built.
 *
 * A command in flight at close is against the rules: queued ones are dropped, and those that the kernel has are waited
 * for a moment. A thread that comes back later frees the device, and touches no command.
 */
#include "device.h"
#include "result.h"
#include "prm/prm.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CLOSE_WAIT_S = 2, MAX_INTERRUPTS = 1000, HEADER = 16 };

/* -- one command --------------------------------------------------------------------------------------------- */

static int destroy_obj(struct mlx5_left *left)
{
	return mlx5dv_devx_obj_destroy(((struct prov_obj *)left)->devx);
}

/* The handle's memory comes first, so that a success cannot be lost. */
static int run_create(struct prov_device *dev, struct prov_cmd *cmd)
{
	struct ibv_context *ctx = mlx5_ctx(dev);
	struct prov_obj *obj = calloc(1, sizeof(*obj));
	int err;

	cmd->obj = NULL;
	if (!obj)
		return -ENOMEM;
	errno = 0;
	obj->devx = mlx5dv_devx_obj_create(ctx, cmd->in, cmd->inlen, cmd->out, cmd->outlen);
	if (!obj->devx) {
		err = mlx5_result_of(mlx5_failed(), cmd->out);
		free(obj);
		return err;
	}
	obj->left.destroy = destroy_obj;
	mlx5_left_add(dev, ctx, &obj->left);
	cmd->obj = obj;
	return 0;
}

static void made_up_answer(struct prov_cmd *cmd, int err)
{
	uint8_t status = err == EBUSY ? PRM_CMD_STAT_RES_BUSY
			 : err == EIO ? PRM_CMD_STAT_INT_ERR
				      : PRM_CMD_STAT_BAD_RES_STATE_ERR;

	if (cmd->out && cmd->outlen >= HEADER) {
		memset(cmd->out, 0, HEADER);
		PRM_SET(nop_out, cmd->out, status, err ? status : PRM_CMD_STAT_OK);
	}
}

static int run_destroy(struct prov_device *dev, struct prov_cmd *cmd)
{
	struct prov_obj *obj = cmd->obj;
	int err, result;

	mlx5_events_forget(dev, obj);
	err = mlx5dv_devx_obj_destroy(obj->devx);
	switch (err) {
	case 0:
		made_up_answer(cmd, 0);
		mlx5_left_remove(dev, &obj->left);
		free(obj);
		cmd->obj = NULL;
		return 0;
	case EBUSY:
	case EINVAL:
	case EREMOTEIO: made_up_answer(cmd, err); return -EREMOTEIO;
	default: break;
	}
	result = mlx5_left_failed(dev, &obj->left, err);
	if (result == 0)
		made_up_answer(cmd, 0);
	if (result == 0 || result == -EIO)
		cmd->obj = NULL;
	else if (result == -EREMOTEIO)
		made_up_answer(cmd, err);
	return result;
}

static int run_once(struct prov_device *dev, struct prov_cmd *cmd)
{
	switch (cmd->kind) {
	case PROV_CMD_GENERAL:
		return mlx5dv_devx_general_cmd(mlx5_ctx(dev), cmd->in, cmd->inlen, cmd->out,
					       cmd->outlen);
	case PROV_CMD_QUERY:
		return mlx5dv_devx_obj_query(cmd->obj->devx, cmd->in, cmd->inlen, cmd->out,
					     cmd->outlen);
	default:
		return mlx5dv_devx_obj_modify(cmd->obj->devx, cmd->in, cmd->inlen, cmd->out,
					      cmd->outlen);
	}
}

static int run(struct prov_device *dev, struct prov_cmd *cmd)
{
	bool again = cmd->kind == PROV_CMD_GENERAL || cmd->kind == PROV_CMD_QUERY;
	int err;

	if (cmd->kind == PROV_CMD_DESTROY)
		return run_destroy(dev, cmd);
	memset(cmd->out, 0, HEADER);
	if (cmd->kind == PROV_CMD_CREATE)
		return run_create(dev, cmd);
	for (int n = 0; (err = run_once(dev, cmd)) == EINTR && again && n < MAX_INTERRUPTS; n++)
		;
	return mlx5_result_of(err, cmd->out);
}

/* -- threads ------------------------------------------------------------------------------------------------- */

static struct prov_cmd *take(struct prov_device *dev)
{
	struct prov_cmd *cmd = dev->head;

	dev->head = cmd->next;
	if (!dev->head)
		dev->tail = &dev->head;
	dev->queued--;
	return cmd;
}

static void put_done(struct prov_device *dev, struct prov_cmd *cmd, int result)
{
	cmd->result = result;
	cmd->next = NULL;
	*dev->done_tail = cmd;
	dev->done_tail = &cmd->next;
}

/* With the lock held, also on return. */
static void work(struct prov_device *dev)
{
	struct prov_cmd *cmd;
	int result;

	while (!dev->head && !dev->closing) {
		dev->idle++;
		pthread_cond_wait(&dev->work, &dev->lock);
		dev->idle--;
	}
	if (dev->closing)
		return;
	cmd = take(dev);
	pthread_mutex_unlock(&dev->lock);
	result = run(dev, cmd);
	pthread_mutex_lock(&dev->lock);
	if (dev->closing)
		return;
	put_done(dev, cmd, result);
	mlx5_wake(dev);
}

static void *thread_main(void *arg)
{
	struct prov_device *dev = arg;
	bool last;

	pthread_mutex_lock(&dev->lock);
	while (!dev->closing)
		work(dev);
	dev->running--;
	last = dev->abandoned && !dev->running;
	pthread_cond_signal(&dev->gone);
	pthread_mutex_unlock(&dev->lock);
	if (last)
		mlx5_free(dev);
	return NULL;
}

/* With the lock held. 0 or errno. */
static int start_thread(struct prov_device *dev)
{
	sigset_t all, old;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	err = pthread_create(&dev->thread[dev->threads], NULL, thread_main, dev);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (err)
		return err;
	dev->threads++;
	dev->running++;
	return 0;
}

bool mlx5_threads_end(struct prov_device *dev)
{
	struct timespec until;
	int err = 0;
	bool all;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += CLOSE_WAIT_S;
	pthread_mutex_lock(&dev->lock);
	dev->closing = true;
	pthread_cond_broadcast(&dev->work);
	while (dev->running && !err)
		err = pthread_cond_timedwait(&dev->gone, &dev->lock, &until);
	all = !dev->running;
	for (unsigned int i = 0; !all && i < dev->threads; i++)
		pthread_detach(dev->thread[i]);
	dev->abandoned = !all;
	pthread_mutex_unlock(&dev->lock);
	for (unsigned int i = 0; all && i < dev->threads; i++)
		pthread_join(dev->thread[i], NULL);
	return all;
}

/* -- submit -------------------------------------------------------------------------------------------------- */

/* What the kernel cannot check, or would crash on. */
static int check(const struct prov_cmd *cmd)
{
	bool needs_obj = cmd->kind != PROV_CMD_GENERAL && cmd->kind != PROV_CMD_CREATE;

	if (needs_obj && !cmd->obj)
		return -EINVAL;
	if (cmd->kind == PROV_CMD_DESTROY)
		return 0;
	return cmd->in && cmd->out && cmd->inlen >= HEADER && cmd->outlen >= HEADER ? 0 : -EINVAL;
}

/* With the lock held. A thread is missing only when there is none at all. */
static int enqueue(struct prov_device *dev, struct prov_cmd *cmd)
{
	if (dev->queued >= dev->idle && dev->threads < MLX5_MAX_THREADS && start_thread(dev) &&
	    !dev->threads)
		return -ENOMEM;
	*dev->tail = cmd;
	dev->tail = &cmd->next;
	dev->queued++;
	pthread_cond_signal(&dev->work);
	return 0;
}

int mlx5_submit(struct prov_device *dev, struct prov_cmd *cmd)
{
	int err = check(cmd);

	if (err)
		return err;
	cmd->next = NULL;
	cmd->private_data[0] = (uint64_t)pthread_self(); /* who may sleep until it is done */
	pthread_mutex_lock(&dev->lock);
	err = enqueue(dev, cmd);
	pthread_mutex_unlock(&dev->lock);
	return err;
}
