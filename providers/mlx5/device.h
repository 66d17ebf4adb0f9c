/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A NIC function behind the seam: what the files of this folder share. Nothing outside of it sees libibverbs.
 *
 *	submit ──> queue ──> at most 16 threads, each in a blocking DevX call ──> done list ──> progress: done()
 *
 * Ownership: everything that was made on the device is in the list of leftovers until it is destroyed, so that close
 * can do it. Locks: `lock` guards what follows it, and is held for no call of libmlx5 and no callback.
 *
 * A reset ends a context for good: the kernel says EIO to all that is done with it. restart() opens another one; the old
 * ones stay open until close, because somebody may be in a call of one, or ring a page of it.
 */
#ifndef PROVIDERS_MLX5_DEVICE_H
#define PROVIDERS_MLX5_DEVICE_H

#include <pthread.h>
#include <stdatomic.h>

#include <infiniband/mlx5dv.h>

#include "providers/provider.h"
#include "providers/timer.h"

/* The kernel lets this many commands of one function into the firmware at a time (mlx5_core cmd.c, throttle_sem). */
enum { MLX5_MAX_THREADS = 16 };

/* Something made on the device; first member of the structs that say what. */
struct mlx5_left {
	struct mlx5_left *next, *prev;
	struct ibv_context *ctx; /* that made it */
	int (*destroy)(
		struct mlx5_left *left); /* 0 or errno; may be called again after a failure */
};

struct mlx5_listener;
struct prov_obj {
	struct mlx5_left left;
	struct mlx5dv_devx_obj *devx;
	struct mlx5_listener *listener; /* a CQ that was armed, else NULL */
};

/* Completion events of CQs (events.c). */
struct mlx5_events {
	pthread_mutex_t lock;
	struct mlx5dv_devx_event_channel *channel; /* NULL: nobody listens */
	struct mlx5_listener *listeners;
	uint64_t last_cookie;
	_Atomic bool listening;	     /* there is a channel */
	_Atomic unsigned int armed;  /* CQs whose event is to come */
	_Atomic unsigned int passed; /* times that nobody looked, because no event was to come */
};

struct prov_device {
	struct prov_base base;
	struct ibv_context *_Atomic ctx;
	struct mlx5_old *old; /* contexts from before resets; for restart() and close only */
	char pci[64];	      /* how to find it again, "": by its verbs name */
	struct mlx5_events events;
	int epoll, event, timer; /* epoll holds the other two, and the event channel */
	_Atomic bool signaled;	 /* event is readable */
	_Atomic uint64_t due;	 /* the next timer, ns; UINT64_MAX: none */

	pthread_mutex_t lock;
	pthread_cond_t work, gone; /* a command is queued; a thread ends */
	struct prov_cmd *head, **tail;
	struct prov_cmd *done, **done_tail;
	struct prov_timers timers;
	uint64_t armed;	       /* what the descriptor `timer` is set to, 0: not */
	struct mlx5_left left; /* head of a ring, the newest first */
	pthread_t thread[MLX5_MAX_THREADS];
	unsigned int threads, running, idle, queued;
	bool closing;
	bool abandoned; /* close() did not wait any longer: the last thread frees all this */
};

static inline struct ibv_context *mlx5_ctx(struct prov_device *dev)
{
	return atomic_load(&dev->ctx);
}

/* command.c */
int mlx5_submit(struct prov_device *dev, struct prov_cmd *cmd);
/* End the threads. False: some did not come back in time, and the last of them frees the device. */
bool mlx5_threads_end(struct prov_device *dev);

/* events.c */
int mlx5_cq_arm(struct prov_device *dev, struct prov_uar *uar, struct prov_obj *cq,
		uint64_t doorbell);
/* Read the events that came. How many. */
int mlx5_events_take(struct prov_device *dev);
/* The object goes: nobody asks for its events any more. */
void mlx5_events_forget(struct prov_device *dev, struct prov_obj *obj);
/* The context is lost or about to be closed. */
void mlx5_events_end(struct prov_device *dev);
void mlx5_events_free(struct prov_device *dev);

/* left.c */
void mlx5_left_add(struct prov_device *dev, struct ibv_context *ctx, struct mlx5_left *left);
void mlx5_left_remove(struct prov_device *dev, struct mlx5_left *left);
/* destroy() failed with errno err: what it means. -EIO and 0: it is gone with the device, and so is `left`. */
int mlx5_left_failed(struct prov_device *dev, struct mlx5_left *left, int err);
/* Destroy what is left, the newest first, again and again while that helps. */
void mlx5_left_destroy(struct prov_device *dev);

/* progress.c */
int mlx5_wake_open(struct prov_device *dev);
void mlx5_wake_close(struct prov_device *dev);
void mlx5_wake(struct prov_device *dev);
int mlx5_progress(struct prov_device *dev);
int mlx5_wait(struct prov_device *dev, int timeout_ms);
uint64_t mlx5_now(struct prov_device *dev);
void mlx5_timer_arm(struct prov_device *dev, struct prov_timer *t);
bool mlx5_timer_cancel(struct prov_device *dev, struct prov_timer *t);

/* memory.c */
int mlx5_umem_reg(struct prov_device *dev, void *addr, size_t len, struct prov_umem *umem);
int mlx5_umem_dereg(struct prov_device *dev, struct prov_umem *umem);
int mlx5_mr_reg(struct prov_device *dev, uint32_t pd, void *addr, size_t len, struct prov_mr *mr);
int mlx5_mr_dereg(struct prov_device *dev, struct prov_mr *mr);

/* doorbell.c */
int mlx5_uar_alloc(struct prov_device *dev, struct prov_uar *uar);
int mlx5_uar_free(struct prov_device *dev, struct prov_uar *uar);
void mlx5_ring(struct prov_device *dev, struct prov_uar *uar, uint64_t ctrl);
/* The CQ doorbell of the page. */
void mlx5_ring_cq(struct prov_uar *uar, uint64_t doorbell);

/* attach.c */
int mlx5_attach(struct prov_device *dev, const struct prov_attach *a, struct prov_attachment **out);
int mlx5_detach(struct prov_device *dev, struct prov_attachment *a);
int mlx5_anchor(struct prov_device *dev, unsigned int priority, struct prov_anchor **out,
		uint32_t *table_id);
int mlx5_anchor_free(struct prov_device *dev, struct prov_anchor *a);

/* restart.c */
int mlx5_restart(struct prov_device *dev, char *why, size_t whylen);
/* Has the kernel taken the device from this context? */
bool mlx5_is_lost(struct ibv_context *ctx);
void mlx5_old_close(struct prov_device *dev);

/* mlx5.c: a context for DevX on this device, with a sentence in why. */
int mlx5_open_context(struct ibv_device *ib, struct ibv_context **ctx, char *why, size_t whylen);
/* mlx5.c: close what the device has open and free it. */
void mlx5_free(struct prov_device *dev);

#endif
