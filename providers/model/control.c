// SPDX-License-Identifier: BSD-2-Clause
/*
 * Statistics of the model: what the device did, not what a driver believes. Faults are in fault.c, reset and the
 * provider's side in model.c.
 */
#include "control.h"

#include <errno.h>
#include <stdlib.h>

#define DROP_NAME(d, word, text) {word, text},
static const struct {
	const char *word, *text;
} drops[] = {MODEL_DROPS(DROP_NAME)};

static const struct {
	const char *word, *text;
} tls[] = {MODEL_TLS_STATS(DROP_NAME)};

struct list {
	struct model_stat *s;
	size_t n;
};

static void add(struct list *l, const char *group, const char *name, uint64_t value,
		const char *about)
{
	l->s[l->n++] = (struct model_stat){group, name, value, about};
}

static void add_commands(struct model_dev *dev, struct list *l)
{
	size_t n;
	const struct prm_opcode_info *ops = prm_opcodes(&n);

	pthread_mutex_lock(&dev->fw);
	add(l, "firmware", "commands", dev->commands, "commands that reached the device");
	add(l, "firmware", "refused", dev->refused, "commands answered with a bad status");
	add(l, "firmware", "busy_ns", dev->fw_busy_ns, "service time of all commands");
	for (size_t i = 0; i < n; i++)
		if (dev->by_opcode[ops[i].opcode & 0xfff])
			add(l, "commands", ops[i].name, dev->by_opcode[ops[i].opcode & 0xfff],
			    NULL);
	pthread_mutex_unlock(&dev->fw);
}

int model_dev_stats(struct model_dev *dev, struct model_stat **stats, size_t *n)
{
	enum { OTHERS = 17 };
	size_t nops;
	struct list l = {NULL, 0};

	prm_opcodes(&nops);
	l.s = calloc(OTHERS + nops + MODEL_NDROPS + MODEL_NTLS_STATS, sizeof(*l.s));
	if (!l.s)
		return -ENOMEM;
	add_commands(dev, &l);
	add(&l, "wire", "tx_packets", atomic_load(&dev->tx_packets), NULL);
	add(&l, "wire", "tx_bytes", atomic_load(&dev->tx_bytes), NULL);
	add(&l, "wire", "rx_packets", atomic_load(&dev->rx_packets), NULL);
	add(&l, "wire", "rx_bytes", atomic_load(&dev->rx_bytes), NULL);
	if (dev->time == MODEL_TIME_VIRTUAL)
		add(&l, "wire", "busy_ns", atomic_load(&dev->wire_busy_ns),
		    "time that the frames sent take on the wire");
	add(&l, "crypto", "encrypted_bytes", atomic_load(&dev->encrypted_bytes),
	    "payload bytes that the device encrypted");
	add(&l, "crypto", "decrypted_bytes", atomic_load(&dev->decrypted_bytes),
	    "payload bytes that the device decrypted");
	add(&l, "crypto", "key_refills", atomic_load(&dev->key_refills),
	    "keys read into the key cache");
	add(&l, "crypto", "syncs", atomic_load(&dev->syncs), "SYNC_CRYPTO commands executed");
	for (unsigned int i = 0; dev->profile.tls_tx && i < MODEL_NTLS_STATS; i++)
		add(&l, "tls", tls[i].word, atomic_load(&dev->tls[i]), tls[i].text);
	for (unsigned int d = 0; d < MODEL_NDROPS; d++)
		if (atomic_load(&dev->drop[d]))
			add(&l, "drops", drops[d].word, atomic_load(&dev->drop[d]), drops[d].text);
	*stats = l.s;
	*n = l.n;
	return 0;
}

const struct model_controls model_controls = {
	.fault_set = model_fault_set,
	.fault_clear = model_fault_clear,
	.reset = model_reset,
	.census = model_census,
	.stats = model_stats,
	.advance = model_advance,
	.wire_watch = model_wire_watch,
	.cost = model_cost,
};
