// SPDX-License-Identifier: BSD-2-Clause
/* See fake_nic.h. Commands are done in the order they came, at the time they are answered. */
#include "fake_nic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct prov_obj {
	uint16_t opcode; /* that made it */
	uint32_t id, count;
	struct slot {
		bool written;
		uint64_t ended; /* 0: in use, or never written */
	} * slot;
	struct prov_obj *next, **prev;
};

struct nic {
	struct prov_base base;
	struct fake_nic f;
	pthread_mutex_t lock;
	struct prov_cmd *head, **tail;
	struct prov_timer *timers;
	struct prov_obj *objs;
	uint64_t event; /* orders ends and syncs */
	struct {
		bool armed, always;
		enum fake_fault kind;
		unsigned int nth;
		uint16_t opcode;
		uint8_t status;
	} fault;
	bool dead;
};

static struct nic *of(struct prov_device *dev)
{
	return (struct nic *)dev;
}

static struct nic *nic_of(struct fake_nic *f)
{
	return (struct nic *)((char *)f - offsetof(struct nic, f));
}

/* -- what commands do ---------------------------------------------------------------------------------------- */

static int refuse(struct prov_cmd *cmd, uint8_t status)
{
	prm_put(cmd->out, 0, 8, status);
	return -EREMOTEIO;
}

static struct prov_obj *make(struct nic *n, uint16_t opcode, uint32_t id, uint32_t count)
{
	struct prov_obj *o = calloc(1, sizeof(*o));

	o->opcode = opcode;
	o->id = id;
	o->count = count;
	o->slot = calloc(count, sizeof(*o->slot));
	o->next = n->objs;
	o->prev = &n->objs;
	if (n->objs)
		n->objs->prev = &o->next;
	n->objs = o;
	return o;
}

static void unmake(struct prov_obj *o)
{
	*o->prev = o->next;
	if (o->next)
		o->next->prev = o->prev;
	free(o->slot);
	free(o);
}

static int create(struct nic *n, struct prov_cmd *cmd, uint16_t opcode)
{
	uint8_t *param = PRM_AT(general_obj_in_cmd_hdr, (uint8_t *)cmd->in, op_param);
	uint32_t id = 1, count = 1;

	n->f.creates++;
	if (opcode == PRM_CMD_OP_CREATE_TIS) {
		if (n->f.tis >= n->f.tis_room)
			return refuse(cmd, PRM_CMD_STAT_LIM_ERR);
		n->f.tis++;
		id = n->f.next_tis++;
	} else if (opcode == PRM_CMD_OP_CREATE_GENERAL_OBJECT) {
		count = 1u << PRM_GET(general_obj_create_param, param, log_obj_range);
		if (n->f.slots + count > n->f.dek_room)
			return refuse(cmd, PRM_CMD_STAT_LIM_ERR);
		n->f.deks++;
		n->f.slots += count;
		id = n->f.next_dek;
		n->f.next_dek += count;
	}
	cmd->obj = make(n, opcode, id, count);
	if (opcode == PRM_CMD_OP_CREATE_GENERAL_OBJECT)
		prm_put(cmd->out, 0x40, 32, id);
	else
		prm_put(cmd->out, 0x48, 24, id);
	return 0;
}

static int modify(struct nic *n, struct prov_cmd *cmd)
{
	uint8_t *param = PRM_AT(general_obj_in_cmd_hdr, (uint8_t *)cmd->in, op_param);
	uint8_t *key = PRM_AT(create_encryption_key_in, (uint8_t *)cmd->in, encryption_key_object);
	uint32_t offset = (uint32_t)PRM_GET(general_obj_query_param, param, obj_offset);

	n->f.modifies++;
	if (offset >= cmd->obj->count ||
	    PRM_GET(general_obj_in_cmd_hdr, (uint8_t *)cmd->in, obj_id) != cmd->obj->id)
		return refuse(cmd, PRM_CMD_STAT_BAD_PARAM_ERR);
	n->f.early += cmd->obj->slot[offset].written;
	cmd->obj->slot[offset] = (struct slot){.written = true};
	memcpy(n->f.last_key, PRM_AT(encryption_key_obj, key, key), sizeof(n->f.last_key));
	n->f.last_key_size = (unsigned int)PRM_GET(encryption_key_obj, key, key_size);
	return 0;
}

/* Slots whose use ended before the sync was started are new again. */
static int sync(struct nic *n, struct prov_cmd *cmd)
{
	uint64_t started = cmd->private_data[0];

	n->f.last_sync_type = PRM_GET(sync_crypto_in, (uint8_t *)cmd->in, crypto_type);
	if (n->f.no_sync_type && n->f.last_sync_type != 1)
		return refuse(cmd, PRM_CMD_STAT_BAD_PARAM_ERR);
	n->f.syncs++;
	for (struct prov_obj *o = n->objs; o; o = o->next)
		for (uint32_t i = 0; i < o->count; i++)
			if (o->slot[i].ended && o->slot[i].ended < started)
				o->slot[i] = (struct slot){0};
	return 0;
}

static int destroy(struct nic *n, struct prov_cmd *cmd)
{
	struct prov_obj *o = cmd->obj;

	n->f.destroys++;
	if (n->f.busy)
		return refuse(cmd, PRM_CMD_STAT_BAD_RES_STATE_ERR);
	if (o->opcode == PRM_CMD_OP_CREATE_TIS)
		n->f.tis--;
	if (o->opcode == PRM_CMD_OP_CREATE_GENERAL_OBJECT) {
		n->f.deks--;
		n->f.slots -= o->count;
	}
	unmake(o);
	return 0;
}

static int execute(struct nic *n, struct prov_cmd *cmd)
{
	uint16_t opcode = cmd->kind == PROV_CMD_DESTROY ? 0 : prm_in_opcode(cmd->in);

	switch (cmd->kind) {
	case PROV_CMD_CREATE: return create(n, cmd, opcode);
	case PROV_CMD_MODIFY: return modify(n, cmd);
	case PROV_CMD_DESTROY: return destroy(n, cmd);
	default: break;
	}
	if (opcode == PRM_CMD_OP_SYNC_CRYPTO)
		return sync(n, cmd);
	if (opcode == PRM_CMD_OP_QUERY_HCA_CAP)
		memset((uint8_t *)cmd->out + 16, 0xff, cmd->outlen - 16);
	return 0;
}

/* -- faults -------------------------------------------------------------------------------------------------- */

/* With the lock. */
static bool hit(struct nic *n, struct prov_cmd *cmd)
{
	if (!n->fault.armed)
		return false;
	if (n->fault.opcode &&
	    (cmd->kind == PROV_CMD_DESTROY || prm_in_opcode(cmd->in) != n->fault.opcode))
		return false;
	if (n->fault.nth > 1) {
		n->fault.nth--;
		return false;
	}
	n->fault.armed = n->fault.always;
	return true;
}

static int answer(struct nic *n, struct prov_cmd *cmd)
{
	bool failed = cmd->private_data[1];
	int err;

	memset(cmd->out, 0, cmd->outlen);
	if (n->dead)
		return -EIO;
	if (!failed)
		return execute(n, cmd);
	switch (n->fault.kind) {
	case FAKE_REFUSE: return refuse(cmd, n->fault.status);
	case FAKE_LOST:
		err = execute(n, cmd);
		if (cmd->kind == PROV_CMD_CREATE)
			cmd->obj = NULL;
		return err ? err : -ETIMEDOUT;
	case FAKE_DEAD: n->dead = true; return -EIO;
	default: return -ETIMEDOUT;
	}
}

static void finish(struct nic *n, struct prov_cmd *cmd)
{
	pthread_mutex_lock(&n->lock);
	cmd->result = answer(n, cmd);
	n->f.in_flight--;
	pthread_mutex_unlock(&n->lock);
	cmd->done(cmd);
}

static int submit(struct prov_device *dev, struct prov_cmd *cmd)
{
	struct nic *n = of(dev);
	bool now;

	pthread_mutex_lock(&n->lock);
	cmd->private_data[0] = ++n->event;
	cmd->private_data[1] = hit(n, cmd);
	cmd->next = NULL;
	if (cmd->private_data[1] && n->fault.kind == FAKE_UNSENT) {
		pthread_mutex_unlock(&n->lock);
		return -ENOMEM;
	}
	n->f.order[n->f.commands++ % 4096] = cmd->kind == PROV_CMD_DESTROY ? 0
									   : prm_in_opcode(cmd->in);
	if (++n->f.in_flight > n->f.most_in_flight)
		n->f.most_in_flight = n->f.in_flight;
	now = n->f.inline_done;
	if (!now) {
		*n->tail = cmd;
		n->tail = &cmd->next;
	}
	pthread_mutex_unlock(&n->lock);
	if (now)
		finish(n, cmd);
	return 0;
}

static struct prov_cmd *take_command(struct nic *n)
{
	struct prov_cmd *cmd;

	pthread_mutex_lock(&n->lock);
	cmd = n->f.hold ? NULL : n->head;
	if (cmd) {
		n->head = cmd->next;
		if (!n->head)
			n->tail = &n->head;
	}
	pthread_mutex_unlock(&n->lock);
	return cmd;
}

static struct prov_timer *take_timer(struct nic *n)
{
	struct prov_timer *t;

	pthread_mutex_lock(&n->lock);
	t = n->timers;
	if (t && t->when > n->f.now)
		t = NULL;
	if (t) {
		n->timers = t->next;
		t->armed = false;
	}
	pthread_mutex_unlock(&n->lock);
	return t;
}

static int progress(struct prov_device *dev)
{
	struct nic *n = of(dev);
	unsigned int limit = n->f.per_progress ? n->f.per_progress : FAKE_ROUNDS;
	struct prov_cmd *cmd;
	struct prov_timer *t;
	int did = 0;

	while ((unsigned int)did < limit && (cmd = take_command(n))) {
		finish(n, cmd);
		did++;
	}
	for (int i = 0; i < FAKE_ROUNDS && (t = take_timer(n)); i++, did++)
		t->fire(t);
	return did;
}

/* -- the rest ------------------------------------------------------------------------------------------------ */

static int wait(struct prov_device *dev, int timeout_ms)
{
	return 0;
}

static int no_fd(struct prov_device *dev)
{
	return -ENOTSUP;
}

static int uar_alloc(struct prov_device *dev, struct prov_uar *uar)
{
	*uar = (struct prov_uar){.page_id = 1};
	return 0;
}

static int uar_free(struct prov_device *dev, struct prov_uar *uar)
{
	return 0;
}

static uint64_t now(struct prov_device *dev)
{
	return of(dev)->f.now;
}

static void timer_arm(struct prov_device *dev, struct prov_timer *t)
{
	struct nic *n = of(dev);
	struct prov_timer **at;

	pthread_mutex_lock(&n->lock);
	if (!t->armed) {
		for (at = &n->timers; *at && (*at)->when <= t->when; at = &(*at)->next)
			;
		t->next = *at;
		t->armed = true;
		*at = t;
	}
	pthread_mutex_unlock(&n->lock);
}

static bool timer_cancel(struct prov_device *dev, struct prov_timer *t)
{
	struct nic *n = of(dev);
	bool found = false;

	pthread_mutex_lock(&n->lock);
	for (struct prov_timer **at = &n->timers; *at && !found; at = &(*at)->next)
		if (*at == t) {
			*at = t->next;
			t->armed = false;
			found = true;
			break;
		}
	pthread_mutex_unlock(&n->lock);
	return found;
}

static void close_nic(struct prov_device *dev)
{
	struct nic *n = of(dev);

	while (n->objs)
		unmake(n->objs);
}

static const struct prov_ops ops = {
	.name = "fake",
	.close = close_nic,
	.submit = submit,
	.progress = progress,
	.wait = wait,
	.fd = no_fd,
	.uar_alloc = uar_alloc,
	.uar_free = uar_free,
	.now = now,
	.timer_arm = timer_arm,
	.timer_cancel = timer_cancel,
};

/* -- for the test -------------------------------------------------------------------------------------------- */

struct fake_nic *fake_nic_open(struct mlxo_device **dev)
{
	struct nic *n = calloc(1, sizeof(*n));

	assert_non_null(n);
	n->base.ops = &ops;
	n->base.name[0] = 'f';
	pthread_mutex_init(&n->lock, NULL);
	n->tail = &n->head;
	n->f.next_tis = 0x100;
	n->f.next_dek = 0x1000;
	n->f.tis_room = n->f.dek_room = UINT32_MAX;
	assert_int_equal(obj_device_open_on((struct prov_device *)n, dev), 0);
	n->f.commands = n->f.creates = 0;
	return &n->f;
}

void fake_nic_close(struct fake_nic *nic, struct mlxo_device *dev)
{
	struct nic *n = nic_of(nic);

	assert_int_equal(nic->in_flight, 0);
	assert_null(n->timers);
	n->f.hold = n->f.busy = false;
	fake_nic_heal(nic);
	mlxo_device_close(dev);
	pthread_mutex_destroy(&n->lock);
	free(n);
}

void fake_nic_fail(struct fake_nic *nic, enum fake_fault kind, unsigned int nth, uint16_t opcode,
		   uint8_t status, bool always)
{
	struct nic *n = nic_of(nic);

	pthread_mutex_lock(&n->lock);
	n->fault.armed = true;
	n->fault.always = always;
	n->fault.kind = kind;
	n->fault.nth = nth;
	n->fault.opcode = opcode;
	n->fault.status = status;
	pthread_mutex_unlock(&n->lock);
}

void fake_nic_heal(struct fake_nic *nic)
{
	nic_of(nic)->fault.armed = false;
}

void fake_nic_ended(struct fake_nic *nic, uint32_t dek)
{
	struct nic *n = nic_of(nic);

	pthread_mutex_lock(&n->lock);
	for (struct prov_obj *o = n->objs; o; o = o->next)
		if (o->opcode == PRM_CMD_OP_CREATE_GENERAL_OBJECT && dek - o->id < o->count)
			o->slot[dek - o->id].ended = ++n->event;
	pthread_mutex_unlock(&n->lock);
}

void fake_nic_run(struct mlxo_device *dev)
{
	while (dev->ops->progress(dev->prov))
		;
}

void fake_nic_pass(struct fake_nic *nic, struct mlxo_device *dev, uint64_t ns)
{
	nic->now += ns;
	fake_nic_run(dev);
}

uint64_t fake_nic_next_timer(struct fake_nic *nic)
{
	struct nic *n = nic_of(nic);

	return n->timers ? n->timers->when - nic->now : UINT64_MAX;
}
