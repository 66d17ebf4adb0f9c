/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libibverbs and libmlx5 as far as the provider for NICs calls them, for one test program: the definitions here come
 * before those of the shared libraries.
 *
 * Every call is noted as a letter in fake.calls: c create, m modify, q query, g general, d destroy, U umem, u its end,
 * B/N doorbell page, b its end, M matcher, n its end, F flow, f its end, E eqn, x close, C event channel, k its end, S subscription, r read. The next calls of one letter can
 * be made to fail, and commands to stay in the call until they are let go.
 */
#ifndef TESTS_UNIT_MLX5_FAKE_H
#define TESTS_UNIT_MLX5_FAKE_H

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <infiniband/mlx5dv.h>

#include "prm/prm.h"
#include "providers/provider.h"

enum { FAKE_DEVICES = 3, FAKE_CONTEXTS = 32, FAKE_CALLS = 512, FAKE_BYTES = 1024 };

/* A handle of any kind. */
struct mlx5dv_devx_obj {
	uint32_t number;
};

struct fake {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	char calls[FAKE_CALLS];
	uint32_t number[FAKE_CALLS]; /* of the object, or the id that the command names */
	size_t ncalls;
	struct {
		char call;
		int err;
		unsigned int times, after; /* the first `after` ones succeed */
		uint8_t status;		   /* in the answer */
	} fail;
	uint32_t needs_first[2]; /* destroying object [0] fails until [1] is destroyed */
	bool hold;
	unsigned int let_go; /* that many of the held may end */
	unsigned int inside, most_inside;
	uint32_t numbers; /* handed out so far */

	uint8_t in[FAKE_BYTES]; /* last command */
	size_t inlen, outlen;
	void *umem_addr;
	size_t umem_len;
	uint32_t umem_access;
	struct mlx5dv_flow_matcher_attr matcher;
	uint8_t mask[FAKE_BYTES], value[FAKE_BYTES];
	size_t mask_size, value_size, actions;
	struct mlx5dv_flow_action_attr action;
	uint64_t reg[8]; /* doorbell registers, of CQs at 0x20 */
	int event_fd;	 /* our end of the event channel */
	uint16_t subscribed;
	uint64_t cookie; /* of the last subscription */

	struct ibv_device device[FAKE_DEVICES];
	unsigned int devices;
	bool foreign; /* not mlx5 */
	bool no_devx;
	int open_err, anchor_err, anchor_priority, anchor_stays;
	enum ibv_mtu mtu;
	struct verbs_context verbs[FAKE_CONTEXTS];
	unsigned int opened, lost; /* contexts; the first `lost` ones are gone with a reset */
};

static struct fake fake = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

/* -- the test's side ----------------------------------------------------------------------------------------- */

static inline void fake_reset(void)
{
	memset((char *)&fake + offsetof(struct fake, calls), 0,
	       sizeof(fake) - offsetof(struct fake, calls));
	fake.devices = 1;
	strcpy(fake.device[0].name, "mlx5_0");
	strcpy(fake.device[0].dev_name, "uverbs0");
	strcpy(fake.device[0].ibdev_path, "/nowhere");
}

static inline void fake_fail(char call, int err, unsigned int times)
{
	fake.fail.call = call;
	fake.fail.err = err;
	fake.fail.times = times;
	fake.fail.after = fake.fail.status = 0;
}

static inline void fake_hold(bool on)
{
	pthread_mutex_lock(&fake.lock);
	fake.hold = on;
	pthread_cond_broadcast(&fake.changed);
	pthread_mutex_unlock(&fake.lock);
}

/* Wait until n commands are held. */
static inline void fake_wait_inside(unsigned int n)
{
	pthread_mutex_lock(&fake.lock);
	while (fake.inside < n)
		pthread_cond_wait(&fake.changed, &fake.lock);
	pthread_mutex_unlock(&fake.lock);
}

/* Wait for the n-th call. */
static inline void fake_wait_calls(size_t n)
{
	pthread_mutex_lock(&fake.lock);
	while (fake.ncalls < n)
		pthread_cond_wait(&fake.changed, &fake.lock);
	pthread_mutex_unlock(&fake.lock);
}

static inline void fake_let_go(unsigned int n)
{
	pthread_mutex_lock(&fake.lock);
	fake.let_go += n;
	pthread_cond_broadcast(&fake.changed);
	pthread_mutex_unlock(&fake.lock);
}

static inline struct prov_device *fake_open(void)
{
	struct prov_device *dev = NULL;
	char why[256] = "";

	return prov_open("mlx5_0", &dev, why, sizeof(why)) ? NULL : dev;
}

/* -- the library's side -------------------------------------------------------------------------------------- */

/* Note the call. 0 or the errno it fails with. With the lock held. */
static inline int fake_note(char call, uint32_t number)
{
	if (fake.ncalls < FAKE_CALLS - 1) {
		fake.number[fake.ncalls] = number;
		fake.calls[fake.ncalls] = call;
	}
	fake.ncalls++;
	pthread_cond_broadcast(&fake.changed);
	if (fake.fail.call != call || !fake.fail.times)
		return 0;
	if (fake.fail.after) {
		fake.fail.after--;
		return 0;
	}
	fake.fail.times--;
	return fake.fail.err;
}

static inline int fake_call(char call, uint32_t number)
{
	int err;

	pthread_mutex_lock(&fake.lock);
	err = fake_note(call, number);
	pthread_mutex_unlock(&fake.lock);
	return err;
}

static inline int fake_command(char call, uint32_t number, const void *in, size_t inlen, void *out,
			       size_t outlen)
{
	int err;

	pthread_mutex_lock(&fake.lock);
	err = fake_note(call, number);
	fake.inlen = inlen;
	fake.outlen = outlen;
	if (in)
		memcpy(fake.in, in, inlen < FAKE_BYTES ? inlen : FAKE_BYTES);
	fake.inside++;
	if (fake.inside > fake.most_inside)
		fake.most_inside = fake.inside;
	pthread_cond_broadcast(&fake.changed);
	while (fake.hold && !fake.let_go)
		pthread_cond_wait(&fake.changed, &fake.lock);
	fake.let_go -= fake.let_go ? 1 : 0;
	fake.inside--;
	if (err && out && fake.fail.status) {
		((uint8_t *)out)[0] = fake.fail.status;
		((uint8_t *)out)[7] = 0x42;
	}
	pthread_mutex_unlock(&fake.lock);
	return err;
}

static inline void *fake_new(size_t size, uint32_t *number)
{
	pthread_mutex_lock(&fake.lock);
	*number = ++fake.numbers;
	pthread_mutex_unlock(&fake.lock);
	return calloc(1, size);
}

/* libmlx5 keeps what the kernel does not agree to destroy: no leak of ours. */
static inline void *fake_keep(void *p)
{
	static void *volatile kept[FAKE_CALLS];
	static _Atomic unsigned int n;
	unsigned int i = n++ % FAKE_CALLS;

	kept[i] = p;
	return kept[i];
}

static inline int fake_freed(void *p, int err)
{
	if (err)
		fake_keep(p);
	else
		free(p);
	return err;
}

struct mlx5dv_devx_obj *mlx5dv_devx_obj_create(struct ibv_context *context, const void *in,
					       size_t inlen, void *out, size_t outlen)
{
	int err = fake_command('c', prm_in_opcode(in), in, inlen, out, outlen);
	struct mlx5dv_devx_obj *obj;
	uint32_t number;

	if (err) {
		errno = err < 0 ? 0 : err;
		return NULL;
	}
	obj = fake_new(sizeof(*obj), &number);
	obj->number = number;
	((uint8_t *)out)[11] = (uint8_t)number; /* where most answers have it */
	return obj;
}

int mlx5dv_devx_obj_query(struct mlx5dv_devx_obj *obj, const void *in, size_t inlen, void *out,
			  size_t outlen)
{
	return fake_command('q', obj->number, in, inlen, out, outlen);
}

int mlx5dv_devx_obj_modify(struct mlx5dv_devx_obj *obj, const void *in, size_t inlen, void *out,
			   size_t outlen)
{
	return fake_command('m', obj->number, in, inlen, out, outlen);
}

int mlx5dv_devx_general_cmd(struct ibv_context *context, const void *in, size_t inlen, void *out,
			    size_t outlen)
{
	return fake_command('g', prm_in_opcode(in), in, inlen, out, outlen);
}

int mlx5dv_devx_obj_destroy(struct mlx5dv_devx_obj *obj)
{
	int err = fake_command('d', obj->number, NULL, 0, NULL, 0);

	if (!err && fake.needs_first[0] == obj->number)
		err = EINVAL;
	if (!err && fake.needs_first[1] == obj->number)
		fake.needs_first[0] = 0;
	return fake_freed(obj, err);
}

struct mlx5dv_devx_umem *mlx5dv_devx_umem_reg(struct ibv_context *context, void *addr, size_t size,
					      uint32_t access)
{
	struct mlx5dv_devx_umem *umem;
	uint32_t number;
	int err = fake_call('U', 0);

	fake.umem_addr = addr;
	fake.umem_len = size;
	fake.umem_access = access;
	if (err) {
		errno = err;
		return NULL;
	}
	umem = fake_new(sizeof(*umem), &number);
	umem->umem_id = number;
	return umem;
}

int mlx5dv_devx_umem_dereg(struct mlx5dv_devx_umem *umem)
{
	return fake_freed(umem, fake_call('u', umem->umem_id));
}

struct mlx5dv_devx_uar *mlx5dv_devx_alloc_uar(struct ibv_context *context, uint32_t flags)
{
	struct mlx5dv_devx_uar *uar;
	uint32_t number;
	int err = fake_call(flags == MLX5DV_UAR_ALLOC_TYPE_BF ? 'B' : 'N', 0);

	if (err) {
		errno = err;
		return NULL;
	}
	uar = fake_new(sizeof(*uar), &number);
	uar->page_id = number;
	uar->base_addr = &fake.reg[0];
	uar->reg_addr = &fake.reg[1];
	return uar;
}

void mlx5dv_devx_free_uar(struct mlx5dv_devx_uar *uar)
{
	fake_call('b', uar->page_id);
	free(uar);
}

int mlx5dv_devx_query_eqn(struct ibv_context *context, uint32_t vector, uint32_t *eqn)
{
	ptrdiff_t n = (struct verbs_context *)(void *)((char *)context -
						       offsetof(struct verbs_context, context)) -
		      fake.verbs;
	int err = fake_call('E', vector);

	*eqn = 7 + vector;
	return n < fake.lost ? EIO : err;
}

struct mlx5dv_flow_matcher *mlx5dv_create_flow_matcher(struct ibv_context *context,
						       struct mlx5dv_flow_matcher_attr *attr)
{
	uint32_t number;
	int err = fake_call('M', attr->priority);

	fake.matcher = *attr;
	fake.mask_size = attr->match_mask->match_sz;
	memcpy(fake.mask, attr->match_mask->match_buf, fake.mask_size);
	if (err) {
		errno = err;
		return NULL;
	}
	return fake_keep(fake_new(1, &number)); /* goes with a flow that is gone */
}

int mlx5dv_destroy_flow_matcher(struct mlx5dv_flow_matcher *matcher)
{
	return fake_freed(matcher, fake_call('n', 0));
}

struct ibv_flow *mlx5dv_create_flow(struct mlx5dv_flow_matcher *matcher,
				    struct mlx5dv_flow_match_parameters *value, size_t num_actions,
				    struct mlx5dv_flow_action_attr actions[])
{
	struct ibv_flow *flow;
	uint32_t number;
	int err = fake_call('F', 0);

	fake.value_size = value->match_sz;
	memcpy(fake.value, value->match_buf, fake.value_size);
	fake.actions = num_actions;
	fake.action = actions[0];
	if (err) {
		errno = err;
		return NULL;
	}
	flow = fake_new(sizeof(*flow), &number);
	flow->context = &fake.verbs[fake.opened - 1].context;
	return flow;
}

static inline int fake_destroy_flow(struct ibv_flow *flow)
{
	return fake_freed(flow, fake_call('f', 0));
}

/* -- events -------------------------------------------------------------------------------------------------- */

struct mlx5dv_devx_event_channel *
mlx5dv_devx_create_event_channel(struct ibv_context *context,
				 enum mlx5dv_devx_create_event_channel_flags flags)
{
	struct mlx5dv_devx_event_channel *ch;
	int err = fake_call('C', (uint32_t)flags), pair[2];

	if (!err && socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair))
		err = errno;
	if (err) {
		errno = err;
		return NULL;
	}
	ch = calloc(1, sizeof(*ch));
	ch->fd = pair[0];
	fake.event_fd = pair[1];
	return ch;
}

void mlx5dv_devx_destroy_event_channel(struct mlx5dv_devx_event_channel *ch)
{
	fake_call('k', 0);
	close(ch->fd);
	close(fake.event_fd);
	free(ch);
}

int mlx5dv_devx_subscribe_devx_event(struct mlx5dv_devx_event_channel *ch,
				     struct mlx5dv_devx_obj *obj, uint16_t size, uint16_t types[],
				     uint64_t cookie)
{
	int err = fake_call('S', obj->number);

	fake.subscribed = types[0];
	fake.cookie = cookie;
	return size == sizeof(types[0]) ? err : EINVAL;
}

ssize_t mlx5dv_devx_get_event(struct mlx5dv_devx_event_channel *ch,
			      struct mlx5dv_devx_async_event_hdr *event, size_t size)
{
	ssize_t n = read(ch->fd, event, size);

	fake_call('r', 0);
	return n > 0 ? n : -1;
}

static inline void fake_event(uint64_t cookie)
{
	if (write(fake.event_fd, &cookie, sizeof(cookie)) != sizeof(cookie))
		abort();
}

/* -- devices ------------------------------------------------------------------------------------------------- */

struct ibv_device **ibv_get_device_list(int *num)
{
	struct ibv_device **list;

	if (!fake.devices) {
		errno = ENOSYS;
		return NULL;
	}
	list = calloc(FAKE_DEVICES + 1, sizeof(struct ibv_device *));
	for (unsigned int i = 0; i < fake.devices; i++) /* in any order, as those of a directory */
		list[i] = &fake.device[fake.devices - 1 - i];
	if (num)
		*num = (int)fake.devices;
	return list;
}

void ibv_free_device_list(struct ibv_device **list)
{
	free(list);
}

bool mlx5dv_is_supported(struct ibv_device *device)
{
	return !fake.foreign;
}

static inline int fake_query_port(struct ibv_context *context, uint8_t port,
				  struct ibv_port_attr *attr, size_t size)
{
	attr->active_mtu = fake.mtu;
	return fake.mtu ? 0 : EINVAL;
}

struct ibv_context *mlx5dv_open_device(struct ibv_device *device, struct mlx5dv_context_attr *attr)
{
	struct verbs_context *verbs;

	if (fake.open_err || attr->flags != MLX5DV_CONTEXT_FLAGS_DEVX) {
		errno = fake.open_err > 0 ? fake.open_err : 0;
		return NULL;
	}
	if (fake.opened == FAKE_CONTEXTS)
		abort();
	verbs = &fake.verbs[fake.opened++];
	verbs->sz = sizeof(*verbs);
	verbs->context.abi_compat = __VERBS_ABI_IS_EXTENDED;
	verbs->context.device = device;
	verbs->ibv_destroy_flow = fake_destroy_flow;
	verbs->query_port = fake_query_port;
	return &verbs->context;
}

int ibv_close_device(struct ibv_context *context)
{
	fake_call('x', 0);
	return 0;
}

int mlx5dv_query_device(struct ibv_context *context, struct mlx5dv_context *attrs)
{
	attrs->flags = fake.no_devx ? 0 : MLX5DV_CONTEXT_FLAGS_DEVX;
	return 0;
}

struct mlx5dv_steering_anchor *mlx5dv_create_steering_anchor(struct ibv_context *context,
							     struct mlx5dv_steering_anchor_attr *at)
{
	struct mlx5dv_steering_anchor *anchor = NULL;

	errno = fake.anchor_err;
	fake.anchor_priority = at->priority;
	if (!errno)
		anchor = calloc(1, sizeof(*anchor));
	if (anchor)
		anchor->id = 0x900;
	return anchor;
}

int mlx5dv_destroy_steering_anchor(struct mlx5dv_steering_anchor *anchor)
{
	int err = fake.anchor_stays;

	fake.anchor_stays = 0;
	if (!err)
		free(anchor);
	return err;
}

#endif
