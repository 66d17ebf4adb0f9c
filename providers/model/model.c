// SPDX-License-Identifier: BSD-2-Clause
/*
 * The software ConnectX behind the seam.
 *
 *   submit ──> list of commands in flight ──> progress: those whose time has come: firmware, handle, done()
 *                                                       timers, frames of the port
 *   ring ────> send queue, executed in the caller's thread
 *
 * One device is one DevX user: every command carries its uid, and close destroys all that this uid left. The root
 * tables and the rules that attach() puts there are the function owner's (uid 0).
 *
 * Time: deadlines are on the device's clock (vtime.c). With time=virtual it stands still while anything is due; wait()
 * and model_advance() then move it to the next event, and no descriptor is written or waited for.
 *
 * Waiting: an epoll descriptor holds an eventfd (a command is there), a timerfd (the next deadline) and the port's
 * descriptor. Idle calls of progress() make no system call.
 *
 * Locks: dev->lock for lists, before the firmware's (rank 0), never during a callback. Commands may be submitted from
 * any thread; two threads in progress() take different commands.
 */
#include "device.h"
#include "fw.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum { MAX_PER_PROGRESS = 256, FRAMES_PER_PROGRESS = 64 };

struct model_pending {
	struct model_pending *next;
	struct prov_cmd *cmd;
	struct prov_obj *handle; /* CREATE: made before, so that success cannot fail */
	struct model_ticket ticket;
};

/* -- waking ------------------------------------------------------------------------------------------------ */

static bool is_virtual(const struct prov_device *dev)
{
	return dev->m.time == MODEL_TIME_VIRTUAL;
}

static void wake(struct prov_device *dev)
{
	uint64_t one = 1;

	if (is_virtual(dev) || atomic_exchange(&dev->signaled, true))
		return;
	while (write(dev->event, &one, sizeof(one)) < 0 && errno == EINTR)
		;
}

static void drain(struct prov_device *dev)
{
	uint64_t n;

	if (is_virtual(dev) || !atomic_exchange(&dev->signaled, false))
		return;
	while (read(dev->event, &n, sizeof(n)) < 0 && errno == EINTR)
		;
}

/* Set the timer to the next deadline. With the lock held. */
static void rearm(struct prov_device *dev)
{
	uint64_t next = dev->timers.first ? dev->timers.first->when : 0;
	struct itimerspec at = {.it_value = {0, 0}};

	if (is_virtual(dev))
		return;
	if (dev->head && dev->head->ticket.done && (!next || dev->head->ticket.done < next))
		next = dev->head->ticket.done;
	if (dev->timers.first && !next)
		next = 1; /* a deadline of 0 has passed */
	if (next == dev->armed)
		return;
	at.it_value.tv_sec = (time_t)(next / 1000000000u);
	at.it_value.tv_nsec = (long)(next % 1000000000u);
	timerfd_settime(dev->timer, TFD_TIMER_ABSTIME, &at, NULL);
	dev->armed = next;
}

static uint64_t now(struct prov_device *dev)
{
	return model_now(&dev->m);
}

/* -- commands ---------------------------------------------------------------------------------------------- */

static void handle_link(struct prov_device *dev, struct prov_obj *obj)
{
	pthread_mutex_lock(&dev->lock);
	obj->next = dev->objs;
	obj->prev = &dev->objs;
	if (dev->objs)
		dev->objs->prev = &obj->next;
	dev->objs = obj;
	pthread_mutex_unlock(&dev->lock);
}

static void handle_free(struct prov_device *dev, struct prov_obj *obj)
{
	pthread_mutex_lock(&dev->lock);
	*obj->prev = obj->next;
	if (obj->next)
		obj->next->prev = obj->prev;
	pthread_mutex_unlock(&dev->lock);
	free(obj);
}

static bool stale(const struct prov_device *dev, uint32_t generation)
{
	return generation != atomic_load(&dev->m.generation);
}

/* A command on an object that exists, or on none. */
static int run_plain(struct prov_device *dev, struct model_pending *p)
{
	struct prov_cmd *cmd = p->cmd;
	int err;

	if (cmd->obj && cmd->kind != PROV_CMD_CREATE && stale(dev, cmd->obj->generation))
		return -EIO;
	err = model_fw_run(&dev->m, &p->ticket, dev->uid, cmd->in, cmd->inlen, cmd->out,
			   cmd->outlen);
	return err ? err : prm_out_status(cmd->out) ? -EREMOTEIO : 0;
}

static int run_create(struct prov_device *dev, struct model_pending *p)
{
	uint32_t generation = atomic_load(&dev->m.generation);
	int err;

	p->cmd->obj = NULL;
	err = run_plain(dev, p);
	if (err) {
		free(p->handle);
		return err;
	}
	devx_handle_init(p->handle, p->cmd->in, p->cmd->out);
	p->handle->generation = generation;
	handle_link(dev, p->handle);
	p->cmd->obj = p->handle;
	return 0;
}

static int run_destroy(struct prov_device *dev, struct model_pending *p)
{
	struct prov_obj *obj = p->cmd->obj;
	uint8_t out[PRM_BYTES(nop_out)] = {0};
	int err = 0;

	if (!stale(dev, obj->generation)) {
		err = model_fw_run(&dev->m, &p->ticket, dev->uid, obj->in, obj->inlen, out,
				   sizeof(out));
		if (!err && prm_out_status(out))
			err = -EREMOTEIO;
	}
	if (p->cmd->out && p->cmd->outlen >= sizeof(out))
		memcpy(p->cmd->out, out, sizeof(out));
	if (!err || err == -EIO) {
		handle_free(dev, obj);
		p->cmd->obj = NULL;
	}
	return err;
}

static void run(struct prov_device *dev, struct model_pending *p)
{
	struct prov_cmd *cmd = p->cmd;

	switch (cmd->kind) {
	case PROV_CMD_CREATE: cmd->result = run_create(dev, p); break;
	case PROV_CMD_DESTROY: cmd->result = run_destroy(dev, p); break;
	default: cmd->result = run_plain(dev, p); break;
	}
	free(p);
	cmd->done(cmd);
}

static int submit(struct prov_device *dev, struct prov_cmd *cmd)
{
	struct model_pending *p;
	const void *in = cmd->in;
	size_t inlen = cmd->inlen;
	int err = devx_check(cmd);

	if (err)
		return err;
	p = calloc(1, sizeof(*p));
	if (!p)
		return -ENOMEM;
	p->cmd = cmd;
	if (cmd->kind == PROV_CMD_CREATE) {
		p->handle = calloc(1, sizeof(*p->handle));
		if (!p->handle) {
			free(p);
			return -ENOMEM;
		}
	}
	if (cmd->kind == PROV_CMD_DESTROY) {
		in = cmd->obj->in;
		inlen = cmd->obj->inlen;
	} else {
		prm_put(cmd->in, 0x10, 16, dev->uid);
	}
	/* the place in the processor and the place in the list are taken together: the list is in the order of time */
	pthread_mutex_lock(&dev->lock);
	model_fw_begin(&dev->m, in, inlen, &p->ticket);
	*dev->tail = p;
	dev->tail = &p->next;
	rearm(dev);
	pthread_mutex_unlock(&dev->lock);
	wake(dev);
	return 0;
}

/* -- progress ---------------------------------------------------------------------------------------------- */

static struct model_pending *take_command(struct prov_device *dev)
{
	struct model_pending *p;

	pthread_mutex_lock(&dev->lock);
	p = dev->head;
	if (p && p->ticket.done && p->ticket.done > model_now(&dev->m))
		p = NULL;
	if (p) {
		dev->head = p->next;
		if (!dev->head)
			dev->tail = &dev->head;
	}
	pthread_mutex_unlock(&dev->lock);
	return p;
}

static struct prov_timer *take_timer(struct prov_device *dev)
{
	struct prov_timer *t;

	pthread_mutex_lock(&dev->lock);
	t = dev->timers.first;
	if (t && t->when > model_now(&dev->m))
		t = NULL;
	if (t)
		prov_timers_remove(&dev->timers, t);
	pthread_mutex_unlock(&dev->lock);
	return t;
}

static int progress(struct prov_device *dev)
{
	struct model_pending *p;
	struct prov_timer *t;
	int n = 0;

	drain(dev);
	while (n < MAX_PER_PROGRESS && (p = take_command(dev))) {
		run(dev, p);
		n++;
	}
	if (n && atomic_load(&dev->waiters))
		wake(dev); /* one of them may wait for what was done here */
	n += model_late_deliver(&dev->m);
	while (n < MAX_PER_PROGRESS && (t = take_timer(dev))) {
		t->fire(t);
		n++;
	}
	n += model_port_poll(dev->m.port, FRAMES_PER_PROGRESS);
	pthread_mutex_lock(&dev->lock);
	if (n)
		rearm(dev);
	if (dev->head && !dev->head->ticket.done)
		wake(dev); /* more than one call does */
	pthread_mutex_unlock(&dev->lock);
	return n;
}

/* -- virtual time ------------------------------------------------------------------------------------------ */

#define NEVER UINT64_MAX

/* When the next command, completion or timer is due; NEVER: there is none. */
static uint64_t next_event(struct prov_device *dev)
{
	uint64_t next = NEVER, late = atomic_load(&dev->m.late_at);

	pthread_mutex_lock(&dev->lock);
	if (dev->head)
		next = dev->head->ticket.done;
	if (dev->timers.first && dev->timers.first->when < next)
		next = dev->timers.first->when;
	pthread_mutex_unlock(&dev->lock);
	return late && late < next ? late : next;
}

/* Does a frame wait to be taken in? */
static bool frame_waits(struct prov_device *dev)
{
	struct pollfd p = {.fd = model_port_fd(dev->m.port), .events = POLLIN};

	return p.fd >= 0 && poll(&p, 1, 0) > 0;
}

/*
 * Nobody sleeps: the clock goes to the next event, no further than the caller would have waited. Without an event it
 * stays; another thread may be about to make one.
 */
static int wait_virtual(struct prov_device *dev, int timeout_ms)
{
	uint64_t next = next_event(dev), limit = NEVER;

	if (next == NEVER) {
		sched_yield();
		return 0;
	}
	if (frame_waits(dev))
		return 0;
	if (timeout_ms >= 0)
		limit = model_now(&dev->m) + (uint64_t)timeout_ms * 1000000u;
	model_now_set(&dev->m, next < limit ? next : limit);
	return 0;
}

int model_advance(struct prov_device *dev, uint64_t until, uint64_t *at)
{
	uint64_t next;

	if (!model_of(dev) || !is_virtual(dev))
		return -ENOTSUP;
	next = next_event(dev);
	if (next > model_now(&dev->m) && !model_port_poll(dev->m.port, FRAMES_PER_PROGRESS))
		model_now_set(&dev->m, next < until ? next : until);
	if (next <= model_now(&dev->m))
		progress(dev);
	*at = model_now(&dev->m);
	return 0;
}

static int wait_for_work(struct prov_device *dev, int timeout_ms)
{
	struct pollfd p = {.fd = dev->epoll, .events = POLLIN};
	int n;

	if (is_virtual(dev))
		return wait_virtual(dev, timeout_ms);
	atomic_fetch_add(&dev->waiters, 1);
	n = poll(&p, 1, timeout_ms);
	atomic_fetch_sub(&dev->waiters, 1);
	return n < 0 && errno != EINTR ? -errno : 0;
}

static int fd(struct prov_device *dev)
{
	return is_virtual(dev) ? -ENOTSUP
			       : dev->epoll; /* time does not pass while somebody polls */
}

static void timer_arm(struct prov_device *dev, struct prov_timer *t)
{
	pthread_mutex_lock(&dev->lock);
	if (!t->armed) {
		prov_timers_insert(&dev->timers, t);
		rearm(dev);
	}
	pthread_mutex_unlock(&dev->lock);
}

static bool timer_cancel(struct prov_device *dev, struct prov_timer *t)
{
	bool found;

	pthread_mutex_lock(&dev->lock);
	found = t->armed;
	if (found) {
		prov_timers_remove(&dev->timers, t);
		rearm(dev);
	}
	pthread_mutex_unlock(&dev->lock);
	return found;
}

/* -- memory, doorbells ------------------------------------------------------------------------------------- */

/* What priv holds: generation and, for a memory region, its umem. */
static void *mark(uint32_t generation, uint32_t id)
{
	return (void *)(uintptr_t)((uint64_t)generation << 32 | id);
}

static bool mark_stale(const struct prov_device *dev, const void *priv)
{
	return stale(dev, (uint32_t)((uint64_t)(uintptr_t)priv >> 32));
}

static int umem_new(struct prov_device *dev, void *addr, size_t len, uint32_t *id)
{
	struct model_umem *umem;
	bool limit;

	if (!addr || !len)
		return -EINVAL;
	if (atomic_load(&dev->m.dead))
		return -EIO;
	pthread_rwlock_wrlock(&dev->m.objs);
	umem = model_obj_new(&dev->m, MODEL_UMEM, dev->uid, sizeof(*umem), 1, &limit);
	if (umem) {
		umem->addr = addr;
		umem->len = len;
		*id = umem->o.id;
	}
	pthread_rwlock_unlock(&dev->m.objs);
	return umem ? 0 : -ENOMEM;
}

static int umem_delete(struct prov_device *dev, uint32_t id)
{
	struct model_obj *o;
	int err = 0;

	pthread_rwlock_wrlock(&dev->m.objs);
	o = model_obj_find(&dev->m, MODEL_UMEM, id);
	if (!o)
		err = -EINVAL;
	else if (o->users)
		err = -EBUSY;
	else
		model_obj_free(&dev->m, o);
	pthread_rwlock_unlock(&dev->m.objs);
	return err;
}

static int umem_reg(struct prov_device *dev, void *addr, size_t len, struct prov_umem *umem)
{
	int err;

	umem->id = 0;
	err = umem_new(dev, addr, len, &umem->id);
	umem->addr = addr;
	umem->len = len;
	umem->priv = mark(atomic_load(&dev->m.generation), umem->id);
	return err;
}

static int umem_dereg(struct prov_device *dev, struct prov_umem *umem)
{
	return mark_stale(dev, umem->priv) ? 0 : umem_delete(dev, umem->id);
}

int model_answer(const void *out)
{
	uint8_t status = prm_out_status(out);

	if (!status)
		return 0;
	return strcmp(prm_status_name(status), "unknown status") == 0 ? -EPROTO : -EREMOTEIO;
}

/* A command of the provider's own. */
static int exec(struct prov_device *dev, void *in, size_t inlen, uint8_t out[16])
{
	int err = model_fw_exec(&dev->m, dev->uid, in, inlen, out, 16);

	return err ? err : model_answer(out);
}

static int uar_alloc(struct prov_device *dev, struct prov_uar *uar)
{
	uint8_t in[PRM_BYTES(alloc_uar_in)] = {0}, out[16] = {0};
	int err;

	PRM_SET(alloc_uar_in, in, opcode, PRM_CMD_OP_ALLOC_UAR);
	err = exec(dev, in, sizeof(in), out);
	uar->page_id = (uint32_t)PRM_GET(alloc_uar_out, out, uar);
	uar->reg = NULL;
	uar->priv = mark(atomic_load(&dev->m.generation), uar->page_id);
	return err;
}

static int uar_free(struct prov_device *dev, struct prov_uar *uar)
{
	uint8_t in[PRM_BYTES(dealloc_uar_in)] = {0}, out[16];

	if (mark_stale(dev, uar->priv))
		return 0;
	PRM_SET(dealloc_uar_in, in, opcode, PRM_CMD_OP_DEALLOC_UAR);
	PRM_SET(dealloc_uar_in, in, uar, uar->page_id);
	return exec(dev, in, sizeof(in), out);
}

/* The face has an event handler of its own. */
static void completed(void *ctx, uint8_t type, enum model_event_of of, uint32_t number)
{
	(void)of;
	(void)number;
	if (type == PRM_EVENT_TYPE_CODING_COMPLETION_EVENTS)
		wake(ctx);
}

static int cq_arm(struct prov_device *dev, struct prov_uar *uar, struct prov_obj *cq,
		  uint64_t doorbell)
{
	if (atomic_load(&dev->m.dead) || stale(dev, cq->generation))
		return -EIO;
	model_cq_ring(&dev->m, uar->page_id, (uint32_t)doorbell, (uint32_t)(doorbell >> 32));
	return 0;
}

static int mr_reg(struct prov_device *dev, uint32_t pd, void *addr, size_t len, struct prov_mr *mr)
{
	uint8_t in[PRM_BYTES(create_mkey_in)] = {0}, out[16] = {0};
	uint8_t *mkc = PRM_AT(create_mkey_in, in, memory_key_mkey_entry);
	uint32_t umem;
	int err = umem_new(dev, addr, len, &umem);

	if (err)
		return err;
	PRM_SET(create_mkey_in, in, opcode, PRM_CMD_OP_CREATE_MKEY);
	PRM_SET(create_mkey_in, in, mkey_umem_valid, 1);
	PRM_SET(create_mkey_in, in, mkey_umem_id, umem);
	PRM_SET(mkc, mkc, access_mode_1_0, PRM_MKC_ACCESS_MODE_MTT);
	PRM_SET(mkc, mkc, lr, 1);
	PRM_SET(mkc, mkc, lw, 1);
	PRM_SET(mkc, mkc, qpn, 0xffffff);
	PRM_SET(mkc, mkc, pd, pd);
	PRM_SET(mkc, mkc, start_addr, (uintptr_t)addr);
	PRM_SET(mkc, mkc, len, len);
	err = exec(dev, in, sizeof(in), out);
	if (err == -EREMOTEIO || err == -EIO) /* else the key may exist and use it */
		umem_delete(dev, umem);
	mr->addr = addr;
	mr->len = len;
	mr->lkey = (uint32_t)PRM_GET(create_mkey_out, out, mkey_index) << 8;
	mr->priv = mark(atomic_load(&dev->m.generation), umem);
	return err;
}

static int mr_dereg(struct prov_device *dev, struct prov_mr *mr)
{
	uint8_t in[PRM_BYTES(destroy_mkey_in)] = {0}, out[16];
	int err;

	if (mark_stale(dev, mr->priv))
		return 0;
	PRM_SET(destroy_mkey_in, in, opcode, PRM_CMD_OP_DESTROY_MKEY);
	PRM_SET(destroy_mkey_in, in, mkey_index, mr->lkey >> 8);
	err = exec(dev, in, sizeof(in), out);
	return err ? err : umem_delete(dev, (uint32_t)(uintptr_t)mr->priv);
}

static int eqn(struct prov_device *dev, uint32_t *n)
{
	*n = MODEL_EQN;
	return 0;
}

static void ring(struct prov_device *dev, struct prov_uar *uar, uint64_t ctrl)
{
	uint8_t seg[8];

	memcpy(seg, &ctrl, sizeof(seg)); /* as it lies in the ring */
	if (!atomic_load(&dev->m.dead))
		model_sq_ring(&dev->m, uar->page_id, (uint32_t)PRM_GET(wqe_ctrl_seg, seg, qpn));
}

static unsigned int port_mtu(struct prov_device *dev)
{
	return dev->m.profile.mtu;
}

static bool is_named(struct prov_device *dev, const char *name)
{
	return !dev->netdev || strcmp(name, dev->netdev) == 0 || strcmp(name, dev->base.name) == 0;
}

/* -- open, close ------------------------------------------------------------------------------------------- */

static int watch(struct prov_device *dev, int what)
{
	struct epoll_event e = {.events = EPOLLIN};

	return what < 0 ? 0 : epoll_ctl(dev->epoll, EPOLL_CTL_ADD, what, &e) ? -errno : 0;
}

static int open_descriptors(struct prov_device *dev)
{
	dev->epoll = epoll_create1(EPOLL_CLOEXEC);
	dev->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	dev->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (dev->epoll < 0 || dev->event < 0 || dev->timer < 0)
		return -errno;
	return watch(dev, dev->event) ? -errno : watch(dev, dev->timer) ? -errno : 0;
}

static void close_fd(int n)
{
	if (n >= 0)
		close(n);
}

static void close_device(struct prov_device *dev)
{
	if (!dev)
		return;
	model_port_close(dev->m.port);
	model_attachments_free(dev);
	while (dev->objs) {
		struct prov_obj *obj = dev->objs;

		dev->objs = obj->next;
		free(obj);
	}
	while (dev->head) { /* against the rules, but not a leak */
		struct model_pending *p = dev->head;

		dev->head = p->next;
		free(p->handle);
		free(p);
	}
	model_dev_fini(&dev->m);
	close_fd(dev->epoll);
	close_fd(dev->event);
	close_fd(dev->timer);
	pthread_mutex_destroy(&dev->lock);
	free(dev->netdev);
	free(dev);
}

/* Service times, faults: what counts from now on. */
static void apply(struct prov_device *dev, struct model_spec *s)
{
	dev->m.time = s->time;
	dev->m.speed = s->speed;
	dev->cost = s->cost;
	for (unsigned int i = 0; i < s->ntimes; i++)
		dev->m.service_ns[s->times[i].opcode & 0xfff] = s->times[i].ns;
	for (unsigned int i = 0; i < s->nfaults; i++)
		model_dev_fault_set(&dev->m, &s->fault[i]);
	dev->m.commands = dev->m.fw_busy_ns = 0;
	memset(dev->m.by_opcode, 0, sizeof(dev->m.by_opcode));
	dev->netdev = s->netdev;
	s->netdev = NULL;
}

/* Everything that may fail after the device's memory is there. */
static int start(struct prov_device *dev, struct model_spec *s, char *why, size_t whylen)
{
	int err = open_descriptors(dev);

	if (!err)
		err = model_roots_create(dev);
	if (err) {
		snprintf(why, whylen, "device 'model' does not start: %s", strerror(-err));
		return err;
	}
	if (s->mtu)
		dev->m.profile.mtu = (uint16_t)s->mtu;
	err = model_port_open(&dev->m, s->port ? s->port : "null", &dev->m.port, why, whylen);
	if (err)
		return err;
	apply(dev, s);
	err = watch(dev, model_port_fd(dev->m.port));
	if (err)
		snprintf(why, whylen, "device 'model' cannot watch its port: %s", strerror(-err));
	return err;
}

static struct prov_device *new_device(const struct model_profile *profile)
{
	struct prov_device *dev = calloc(1, sizeof(*dev));

	if (!dev)
		return NULL;
	if (model_dev_init(&dev->m, profile)) {
		free(dev);
		return NULL;
	}
	pthread_mutex_init(&dev->lock, NULL);
	dev->base.ops = &model_prov_ops;
	snprintf(dev->base.name, sizeof(dev->base.name), "model");
	dev->uid = dev->m.next_uid++;
	dev->m.host = (struct model_host){.ctx = dev, .event = completed};
	dev->tail = &dev->head;
	dev->epoll = dev->event = dev->timer = -1;
	return dev;
}

static int open_device(const char *spec, struct prov_device **out, char *why, size_t whylen)
{
	struct prov_device *dev = NULL;
	struct model_spec s;
	int err = model_spec_parse(&s, spec, why, whylen);

	*out = NULL;
	if (!err) {
		dev = new_device(s.profile);
		if (!dev) {
			snprintf(why, whylen, "device '%s': out of memory", spec);
			err = -ENOMEM;
		} else {
			err = start(dev, &s, why, whylen);
		}
	}
	model_spec_fini(&s);
	if (err) {
		close_device(dev);
		return err;
	}
	*out = dev;
	return 0;
}

/* -- controls ---------------------------------------------------------------------------------------------- */

struct model_dev *model_of(struct prov_device *dev)
{
	return prov_ops(dev) == &model_prov_ops ? &dev->m : NULL;
}

int model_fault_set(struct prov_device *dev, const struct model_fault *f)
{
	struct model_dev *m = model_of(dev);

	return m ? model_dev_fault_set(m, f) : -ENOTSUP;
}

int model_fault_clear(struct prov_device *dev)
{
	struct model_dev *m = model_of(dev);

	if (!m)
		return -ENOTSUP;
	model_dev_fault_clear(m);
	return 0;
}

int model_reset(struct prov_device *dev)
{
	if (!model_of(dev))
		return -ENOTSUP;
	model_dev_fault_clear(&dev->m);
	model_dev_reset(&dev->m);
	return model_roots_create(dev);
}

int model_census(struct prov_device *dev, struct model_census *census)
{
	struct model_dev *m = model_of(dev);

	if (!m)
		return -ENOTSUP;
	model_dev_census(m, census);
	return 0;
}

int model_wire_watch(struct prov_device *dev, model_wire_fn fn, void *ctx)
{
	struct model_dev *m = model_of(dev);

	if (!m)
		return -ENOTSUP;
	m->watch = fn;
	m->watch_ctx = ctx;
	return 0;
}

int model_cost(struct prov_device *dev, struct model_cost *cost)
{
	if (!model_of(dev))
		return -ENOTSUP;
	*cost = dev->cost;
	return 0;
}

int model_stats(struct prov_device *dev, struct model_stat **stats, size_t *n)
{
	struct model_dev *m = model_of(dev);

	return m ? model_dev_stats(m, stats, n) : -ENOTSUP;
}

const struct prov_ops model_prov_ops = {
	.name = "model",
	.open = open_device,
	.close = close_device,
	.submit = submit,
	.progress = progress,
	.wait = wait_for_work,
	.fd = fd,
	.umem_reg = umem_reg,
	.umem_dereg = umem_dereg,
	.uar_alloc = uar_alloc,
	.uar_free = uar_free,
	.mr_reg = mr_reg,
	.mr_dereg = mr_dereg,
	.eqn = eqn,
	.attach = model_attach,
	.detach = model_detach,
	.anchor = model_anchor,
	.anchor_free = model_anchor_free,
	.cq_arm = cq_arm,
	.ring = ring,
	.now = now,
	.timer_arm = timer_arm,
	.timer_cancel = timer_cancel,
	.mtu = port_mtu,
	.is_named = is_named,
};
