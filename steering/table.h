/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Flow table: 2^log_size places for rules, ordered: the lowest matching index wins.
 *
 *	root of the NIC ──attachment──▶ table ──rule: forward──▶ table of a higher level
 *	                                  └──miss──▶ table, or the direction's default (RX drop, TX wire)
 *
 * Tables, groups and rules are not locked: the service that owns them has one lock. Every function takes what it needs
 * from the table it is given; nothing is looked up by a bare id, because groups and indexes of two tables may be equal.
 */
#ifndef STEERING_TABLE_H
#define STEERING_TABLE_H

#include "objects/device.h"
#include "steering/match.h"

struct steer_group;
struct steer_range; /* indexes of a lost group (group.c) */

struct steer_table {
	struct obj obj; /* id: table_id, 24 bits */
	struct mlxo_device *dev;
	enum prov_dir dir;
	uint8_t level, log_size;
	bool reformat_en, decap_en;
	struct steer_group *groups; /* by start index */
	struct steer_range *lost;   /* ranges that may still be occupied on the device */
	unsigned int attachments;
};

struct steer_table_attr {
	enum prov_dir dir;
	uint8_t level;	  /* forwards and misses must go to a higher level; 0..max_ft_level - 1 */
	uint8_t log_size; /* 0..log_max_ft_size */
	bool reformat_en; /* some rule will add a header */
	bool decap_en;	  /* some rule will remove one */
	const struct steer_table *miss; /* NULL: the direction's default */
};

/* -EINVAL: level or size beyond the device, miss of another direction or not of a higher level. */
int steer_table_create(struct mlxo_device *dev, const struct steer_table_attr *attr,
		       struct steer_table *table);
/* Groups and attachments must be gone (-EBUSY); lost ones count as gone. Refused: still there, else memory is freed. */
int steer_table_destroy(struct steer_table *table);
/*
 * Before its memory goes, whatever the device said: frees what is kept for groups that are still there. They and the table
 * go with the device.
 */
void steer_table_fini(struct steer_table *table);
static inline uint32_t steer_table_size(const struct steer_table *table)
{
	return UINT32_C(1) << table->log_size;
}
/* PRM_FLOW_TABLE_TYPE_NIC_RX / _TX */
uint8_t steer_table_type(const struct steer_table *table);

/* A rule of the NIC's root that leads to the table. */
struct steer_attachment {
	struct steer_table *table;
	struct prov_attachment *prov; /* NULL: not attached */
};

/*
 * match NULL: every packet, RX only. On TX the root sees every send queue of the function, also the kernel's: match must
 * name one (steer_match_source_sqn), else -EINVAL. priority 0..15, lower first.
 */
int steer_table_attach(struct steer_table *table, unsigned int priority,
		       const struct steer_match *match, struct steer_attachment *a);
/* Not attached: 0. Refused: attached still. No answer: lost, counts as gone. */
int steer_table_detach(struct steer_attachment *a);

/* The way back: a table of the kernel's that RX rules can lead to, as if no rule of less than `priority` had matched. */
struct steer_anchor {
	struct mlxo_device *dev;
	struct prov_anchor *prov; /* NULL: there is none */
	uint32_t table_id;
};

/*
 * priority 1..15: beyond that of the attachments from which rules lead here, or packets go round. -EOPNOTSUPP: the card
 * cannot (ignore_flow_level), or its driver.
 */
int steer_anchor_create(struct mlxo_device *dev, unsigned int priority, struct steer_anchor *a);
/* After the rules that lead there. None: 0. Refused: still there. No answer: lost, counts as gone. */
int steer_anchor_destroy(struct steer_anchor *a);

#endif
