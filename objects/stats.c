// SPDX-License-Identifier: BSD-2-Clause
/* Numbers of the library about a device: commands by opcode, refusals, lost answers, quarantine by kind. */
#include "objects/alloc.h"
#include "objects/device.h"
#include "objects/error.h"

struct list {
	struct mlxo_stat *s;
	size_t n;
};

static void put(struct list *l, const char *group, const char *name, uint64_t value,
		const char *about)
{
	l->s[l->n++] = (struct mlxo_stat){group, name, value, about};
}

static uint64_t get(_Atomic uint64_t *counter)
{
	return atomic_load_explicit(counter, memory_order_relaxed);
}

static void put_totals(struct list *l, struct mlxo_device *dev)
{
	uint64_t sent = 0, refused = 0, unanswered = 0;

	for (size_t i = 0; i < dev->ncounts; i++) {
		sent += get(&dev->counts[i].sent);
		refused += get(&dev->counts[i].refused);
		unanswered += get(&dev->counts[i].unanswered);
	}
	put(l, "commands", "total", sent, "firmware commands sent");
	put(l, "commands", "refused", refused, "answered with an error status");
	put(l, "commands", "unanswered", unanswered,
	    "without an answer, or with one that cannot be understood");
}

/* Opcodes that were used. */
static void put_opcodes(struct list *l, struct mlxo_device *dev)
{
	size_t n;
	const struct prm_opcode_info *ops = prm_opcodes(&n);

	for (size_t i = 0; i < n && i < dev->ncounts; i++)
		if (get(&dev->counts[i].sent))
			put(l, "commands", ops[i].name, get(&dev->counts[i].sent), ops[i].object);
}

static void put_quarantine(struct list *l, struct mlxo_device *dev)
{
	uint64_t by_kind[OBJ_NKINDS] = {0}, total = 0;

	pthread_mutex_lock(&dev->lock);
	for (size_t i = 0; i < dev->nquarantine; i++)
		by_kind[dev->quarantine[i].kind]++;
	total = dev->nquarantine;
	pthread_mutex_unlock(&dev->lock);
	put(l, "quarantined", "total", total,
	    "objects in an unknown state, never reused; they go when the device is closed");
	for (int kind = 0; kind < OBJ_NKINDS; kind++)
		if (by_kind[kind])
			put(l, "quarantined", obj_kind_name((enum obj_kind)kind), by_kind[kind],
			    NULL);
}

int mlxo_device_stats(struct mlxo_device *dev, struct mlxo_stat **stats, size_t *n)
{
	enum { TOTALS = 4 };
	struct list l = {0};

	*stats = NULL;
	*n = 0;
	l.s = mlxo_calloc(TOTALS + dev->ncounts + OBJ_NKINDS, sizeof(*l.s));
	if (!l.s)
		return obj_error_nomem("statistics");
	put_totals(&l, dev);
	put_opcodes(&l, dev);
	put_quarantine(&l, dev);
	*stats = l.s;
	*n = l.n;
	return 0;
}
