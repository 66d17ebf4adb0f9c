// SPDX-License-Identifier: BSD-2-Clause
/*
 * A ConnectX behind the seam, by libibverbs and the DevX calls of libmlx5 (rdma-core 44 and later).
 *
 *	open: name ─▶ ibv_device ─▶ mlx5dv_open_device(DEVX) ─▶ uverbs descriptor with a uid of its own
 *
 * Whatever keeps a device from being opened is said in one sentence, with what to do about it.
 *
 * One process may open several devices, and one device several times. The kernel destroys what a process leaves behind
 * when the descriptor is closed, also when the process dies.
 */
#include "device.h"
#include "names.h"
#include "result.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* -- closing ------------------------------------------------------------------------------------------------- */

void mlx5_free(struct prov_device *dev)
{
	mlx5_events_end(dev);
	mlx5_left_destroy(dev);
	mlx5_events_free(dev);
	if (mlx5_ctx(dev))
		ibv_close_device(mlx5_ctx(dev));
	mlx5_old_close(dev);
	mlx5_wake_close(dev);
	pthread_cond_destroy(&dev->work);
	pthread_cond_destroy(&dev->gone);
	pthread_mutex_destroy(&dev->lock);
	pthread_mutex_destroy(&dev->events.lock);
	free(dev);
}

static void close_device(struct prov_device *dev)
{
	if (dev && mlx5_threads_end(dev))
		mlx5_free(dev);
}

/* -- opening ------------------------------------------------------------------------------------------------- */

/* Where the sentence goes. */
struct why {
	char *text;
	size_t size;
};

__attribute__((format(printf, 3, 4))) static int fail(const struct why *why, int err,
						      const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(why->text, why->size, format, args);
	va_end(args);
	return err;
}

static struct prov_device *new_device(const char *name)
{
	struct prov_device *dev = calloc(1, sizeof(*dev));
	pthread_condattr_t attr;

	if (!dev)
		return NULL;
	dev->base.ops = &mlx5_prov_ops;
	snprintf(dev->base.name, sizeof(dev->base.name), "%s", name);
	dev->tail = &dev->head;
	dev->done_tail = &dev->done;
	dev->left.next = dev->left.prev = &dev->left;
	dev->epoll = dev->event = dev->timer = -1;
	pthread_mutex_init(&dev->lock, NULL);
	pthread_mutex_init(&dev->events.lock, NULL);
	pthread_cond_init(&dev->work, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&dev->gone, &attr);
	pthread_condattr_destroy(&attr);
	return dev;
}

static int cannot_open(const struct why *why, const struct ibv_device *ib, int err)
{
	switch (err) {
	case EPERM:
	case EACCES:
		return fail(
			why, -err,
			"device %s: no permission for /dev/infiniband/%s: run as root, or let this "
			"user read and write the file",
			ib->name, ib->dev_name);
	case ENOENT:
	case ENODEV:
	case ENXIO:
		return fail(
			why, -err,
			"device %s: /dev/infiniband/%s cannot be opened (%s): load ib_uverbs, or "
			"give the container this file",
			ib->name, ib->dev_name, strerror(err));
	case EINVAL:
	case EOPNOTSUPP:
	case EPROTONOSUPPORT:
	case ENOSYS:
	case ENOTTY:
		return fail(why, -EOPNOTSUPP,
			    "device %s has no DevX (%s): a newer kernel with mlx5_ib, or newer "
			    "firmware, "
			    "is needed",
			    ib->name, strerror(err));
	case EAGAIN: /* Linux hw/mlx5/main.c, mlx5_ib_alloc_ucontext(): !ib_active */
		return fail(
			why, -EIO,
			"device %s is dead or has not started yet: see dmesg; devlink dev reload "
			"starts it again",
			ib->name);
	default: return fail(why, -err, "device %s cannot be opened: %s", ib->name, strerror(err));
	}
}

static bool may_send_raw(void)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {0};

	if (syscall(SYS_capget, &head, data))
		return true;
	return data[CAP_TO_INDEX(CAP_NET_RAW)].effective & CAP_TO_MASK(CAP_NET_RAW);
}

/*
 * Without CAP_NET_RAW the device would open, and refuse send queues and rules with words that do not say why. Who lacks it
 * asks the kernel: a steering anchor is the one thing that needs nothing else (Linux hw/mlx5/fs.c, steering_anchor_create()).
 */
static int check_raw(const struct why *why, struct ibv_context *ctx)
{
	struct mlx5dv_steering_anchor_attr attr = {.ft_type = MLX5DV_FLOW_TABLE_TYPE_NIC_RX};
	struct mlx5dv_steering_anchor *anchor;

	if (may_send_raw())
		return 0;
	errno = 0;
	anchor = mlx5dv_create_steering_anchor(ctx, &attr);
	if (anchor) {
		mlx5dv_destroy_steering_anchor(anchor);
		return 0;
	}
	if (errno != EPERM)
		return 0;
	return fail(why, -EPERM,
		    "device %s: this process may not send raw packets: run as root, or give the "
		    "program CAP_NET_RAW (setcap cap_net_raw+ep)",
		    ctx->device->name);
}

static int check_devx(const struct why *why, struct ibv_context *ctx)
{
	struct mlx5dv_context attrs = {0};

	if (mlx5dv_query_device(ctx, &attrs) == 0 && (attrs.flags & MLX5DV_CONTEXT_FLAGS_DEVX))
		return 0;
	return cannot_open(why, ctx->device, EOPNOTSUPP);
}

static int open_context(struct ibv_device *ib, struct ibv_context **out, const struct why *why)
{
	struct mlx5dv_context_attr attr = {.flags = MLX5DV_CONTEXT_FLAGS_DEVX};
	struct ibv_context *ctx;
	int err;

	*out = NULL;
	if (!mlx5dv_is_supported(ib))
		return fail(
			why, -EOPNOTSUPP,
			"device %s is not driven by mlx5: a ConnectX-6 Dx or a later NIC is needed",
			ib->name);
	errno = 0;
	ctx = mlx5dv_open_device(ib, &attr);
	if (!ctx)
		return cannot_open(why, ib, errno ? errno : EOPNOTSUPP);
	err = check_devx(why, ctx);
	if (!err)
		err = check_raw(why, ctx);
	if (err)
		ibv_close_device(ctx);
	else
		*out = ctx;
	return err;
}

int mlx5_open_context(struct ibv_device *ib, struct ibv_context **ctx, char *text, size_t size)
{
	return open_context(ib, ctx, &(struct why){text, size});
}

static int start(struct prov_device *dev, struct ibv_device *ib, const struct why *why)
{
	struct ibv_context *ctx;
	int err = mlx5_wake_open(dev);

	if (err)
		return fail(why, err, "device %s does not start: %s", ib->name, strerror(-err));
	err = open_context(ib, &ctx, why);
	atomic_store(&dev->ctx, ctx);
	return err;
}

static int open_ib(struct ibv_device *ib, struct prov_device **out, const struct why *why)
{
	struct prov_device *dev = new_device(ib->name);
	int err;

	if (!dev)
		return fail(why, -ENOMEM, "device %s: out of memory", ib->name);
	mlx5_name_pci(ib, dev->pci, sizeof(dev->pci));
	err = start(dev, ib, why);
	if (err) {
		close_device(dev);
		return err;
	}
	*out = dev;
	return 0;
}

static int open_among(struct ibv_device **list, const char *name, struct prov_device **out,
		      const struct why *why)
{
	char known[160];

	for (struct ibv_device **ib = list; *ib; ib++)
		if (mlx5_name_is(*ib, name))
			return open_ib(*ib, out, why);
	mlx5_name_list(list, known, sizeof(known));
	if (!*known)
		return fail(why, -ENODEV,
			    "device '%s' is not known: this machine has no RDMA device (is mlx5_ib "
			    "loaded?), only 'model' is there",
			    name);
	return fail(why, -ENODEV, "device '%s' is not known: there are %s and 'model'", name,
		    known);
}

static int open_device(const char *spec, struct prov_device **out, char *text, size_t size)
{
	static const char prefix[] = "mlx5:";
	const char *name = strncmp(spec, prefix, strlen(prefix)) ? spec : spec + strlen(prefix);
	struct ibv_device *none = NULL, **list = ibv_get_device_list(NULL);
	int err = open_among(list ? list : &none, name, out, &(struct why){text, size});

	if (list)
		ibv_free_device_list(list);
	return err;
}

/* -- the rest ------------------------------------------------------------------------------------------------ */

static int fd(struct prov_device *dev)
{
	return dev->epoll;
}

static int eqn(struct prov_device *dev, uint32_t *n)
{
	return mlx5_result(mlx5dv_devx_query_eqn(mlx5_ctx(dev), 0, n));
}

/* Of the netdev; InfiniBand's own, at most 4096, is the most that is known without one. */
static unsigned int mtu(struct prov_device *dev)
{
	enum { MTU_0 = 128, ETHERNET = 1500 };
	struct ibv_port_attr port;
	unsigned int bytes = mlx5_name_mtu(mlx5_ctx(dev)->device);

	if (!bytes && ibv_query_port(mlx5_ctx(dev), 1, &port) == 0)
		bytes = (unsigned int)MTU_0 << port.active_mtu;
	return bytes ? bytes : ETHERNET;
}

static bool is_named(struct prov_device *dev, const char *name)
{
	return mlx5_name_is(mlx5_ctx(dev)->device, name);
}

const struct prov_ops mlx5_prov_ops = {
	.name = "mlx5",
	.open = open_device,
	.close = close_device,
	.restart = mlx5_restart,
	.submit = mlx5_submit,
	.progress = mlx5_progress,
	.wait = mlx5_wait,
	.fd = fd,
	.umem_reg = mlx5_umem_reg,
	.umem_dereg = mlx5_umem_dereg,
	.uar_alloc = mlx5_uar_alloc,
	.uar_free = mlx5_uar_free,
	.mr_reg = mlx5_mr_reg,
	.mr_dereg = mlx5_mr_dereg,
	.eqn = eqn,
	.attach = mlx5_attach,
	.detach = mlx5_detach,
	.anchor = mlx5_anchor,
	.anchor_free = mlx5_anchor_free,
	.cq_arm = mlx5_cq_arm,
	.ring = mlx5_ring,
	.now = mlx5_now,
	.timer_arm = mlx5_timer_arm,
	.timer_cancel = mlx5_timer_cancel,
	.mtu = mtu,
	.is_named = is_named,
};
