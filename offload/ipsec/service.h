/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inside the IPsec service: tables, rules, SAs and policies.
 *
 *	TX   SQ ─▶ tx.policy ── slot number in reg_c_3 ──▶ tx.sa ── encrypt ──▶ wire
 *	RX   wire ─▶ rx.entry ─ESP─▶ rx.sa ── decrypt, handle in reg_c_2, slot in reg_c_3 ──▶ rx.status ─▶ rx.policy ─▶ RQ
 *	                  └──────────────── everything else (rx_all) ─────────────────────────────▶ rx.policy
 *
 * A slot stands for what a template asks for (reqid, mode, protocol). The policy writes it, the SA rule matches it, so
 * either may be installed first. A handle stands for one inbound SA; the status table tells SAs apart by it. Slot and
 * handle numbers are never given out twice, so a rule whose fate is unknown cannot catch another SA's packets.
 *
 * A rule whose create or delete got no answer may still match. It is remembered as a ghost, and a new rule with the same
 * match is put in front of it.
 *
 * Lock: svc->lock guards everything here. Ownership: the service owns SAs, policies, slots, rules and their objects.
 */
#ifndef OFFLOAD_IPSEC_SERVICE_H
#define OFFLOAD_IPSEC_SERVICE_H

#include <pthread.h>
#include <sys/socket.h>

#include <mlx5_offload/ipsec.h>

#include "objects/counter.h"
#include "objects/device.h"
#include "objects/ipsec.h"
#include "objects/modify_header.h"
#include "objects/reformat.h"
#include "queues/channel.h"
#include "steering/order.h"
#include "steering/rule.h"
#include "steering/table.h"

/* Registers: c_4/c_5 carry the verdict of the IPsec object (aso_return_reg 2). */
enum { IPSEC_REG_HANDLE = 2, IPSEC_REG_SLOT = 3, IPSEC_REG_VERDICT = 4 };

enum { IPSEC_ETHERTYPE_ARP = 0x0806, IPSEC_PROTO_ESP = 50 };

/* -- rules that share masks (ruleset.c) ------------------------------------------------------------------ */

/*
 * Rules with few distinct masks in an index range of a table. Rules of one mask share groups of `chunk` indexes, made
 * when needed and destroyed when empty. Later groups lie lower, so a rule can always be put in front of another.
 */
struct ipsec_chunk {
	struct steer_group group;
	struct ipsec_chunk *next; /* by falling start index; or the list of lost ones */
};

struct ipsec_ruleset {
	struct steer_table *table;
	uint32_t first, last; /* index range */
	uint32_t chunk;	      /* indexes per group */
	struct ipsec_chunk *chunks, *lost;
};

void ruleset_init(struct ipsec_ruleset *set, struct steer_table *table, uint32_t first,
		  uint32_t last, uint32_t chunk);
/* Destroy the groups on the device, as far as it lets go; again if need be. */
void ruleset_destroy(struct ipsec_ruleset *set);
/* Frees the memory; after steer_table_fini(). */
void ruleset_fini(struct ipsec_ruleset *set);
/* Add at the highest free index below `limit` (UINT32_MAX: none). -ENOSPC. */
int ruleset_add(struct ipsec_ruleset *set, const struct steer_match *match,
		const struct steer_actions *actions, uint32_t limit, struct steer_rule *rule);
/* Not live: 0. The group goes with its last rule. */
int ruleset_del(struct ipsec_ruleset *set, struct steer_rule *rule);

/* -- the fixed part (pipeline.c) ------------------------------------------------------------------------- */

enum ipsec_count {
	COUNT_RX_FRAGMENT,
	COUNT_RX_NO_SA,
	COUNT_RX_STATUS,
	COUNT_RX_NO_CHANNEL,
	COUNT_RX_KERNEL,
	COUNT_TX_NO_STATE,
	IPSEC_NCOUNTS,
};

/* A rule that is there from open to close, alone in its group or with others of the same mask. */
struct ipsec_fixed {
	struct steer_group group;
	struct steer_rule rule[5];
	unsigned int nrules;
};

enum { IPSEC_MAX_FIXED = 12 };

struct ipsec_pipeline {
	struct steer_table tx_policy, tx_sa;
	struct steer_table rx_entry, rx_sa, rx_status, rx_policy;
	struct ipsec_ruleset tx_sas, rx_sas, rx_ok, rx_bad;
	struct steer_order tx_order, rx_order;
	struct obj_counter count[IPSEC_NCOUNTS];
	struct obj_reformat del_esp; /* shared by all inbound SAs: it has no data */
	struct ipsec_fixed fixed[IPSEC_MAX_FIXED];
	unsigned int nfixed;
	struct steer_attachment tx_attach, rx_attach;
	struct steer_anchor kernel; /* for ESP that is not ours; none: dropped */
};

int pipeline_create(struct mlxo_ipsec *svc);
/*
 * Everything in reverse; accepts what a failed create left. What is refused is tried once more; then it goes with the
 * device, and no memory is kept for it.
 */
void pipeline_destroy(struct mlxo_ipsec *svc);
/* Where good inbound packets go: the channel, or a counted drop. */
struct steer_actions pipeline_deliver(const struct mlxo_ipsec *svc);

/* -- slots (slot.c) ----------------------------------------------------------------------------------------- */

struct ipsec_slot {
	uint32_t number; /* 1.. ; 0 in the register means: no policy, no SA */
	uint32_t reqid;
	enum mlxo_ipsec_mode mode;
	uint8_t proto;
	unsigned int users;	 /* SAs and policies */
	unsigned int writers;	 /* outbound policies */
	struct obj_modhdr write; /* TX: reg_c_3 := number */
	struct ipsec_slot *next;
};

/* The slot of a template identity; counted. NULL: -ENOMEM reported. */
struct ipsec_slot *slot_get(struct mlxo_ipsec *svc, uint32_t reqid, enum mlxo_ipsec_mode mode,
			    uint8_t proto);
/* slot->write is there from the first get to the last put. */
int slot_writer_get(struct mlxo_ipsec *svc, struct ipsec_slot *slot);
/* *held becomes false, unless the device refuses to destroy it: then it can be put again. */
int slot_writer_put(struct mlxo_ipsec *svc, struct ipsec_slot *slot, bool *held);
/* With the last user the slot goes. NULL is allowed. */
void slot_put(struct mlxo_ipsec *svc, struct ipsec_slot *slot);

/* -- SAs (sa.c, sa_rules.c) --------------------------------------------------------------------------------- */

struct mlxo_ipsec_sa {
	struct mlxo_ipsec *svc;
	struct mlxo_ipsec_sa *prev, *next;  /* by creation */
	struct mlxo_ipsec_sa *hash_next;    /* same bucket of svc->hash */
	struct mlxo_ipsec_sa *peer_next;    /* same bucket of svc->peers */
	struct mlxo_ipsec_sa_params params; /* checked; key is a reference of ours */
	char *dev_label;
	struct ipsec_slot *slot;
	uint32_t handle; /* in only */
	struct obj_dek dek;
	struct obj_ipsec ipsec;
	struct obj_reformat add_esp; /* out only */
	struct obj_modhdr mark;	     /* in only: handle and slot into registers */
	struct obj_counter taken, auth, trailer, selector;
	struct steer_rule rule;	      /* encrypt or decrypt */
	struct steer_rule ok, bad[3]; /* in: status rules */
};

/* A rule that may still be there. */
struct ipsec_ghost {
	enum mlxo_ipsec_dir dir;
	struct mlxo_addr src, dst; /* src: out only */
	uint32_t spi;		   /* in */
	uint32_t slot;		   /* out */
	uint32_t index;
	struct ipsec_ghost *next;
};

/* sa_rules.c: install everything of sa on the device, or nothing. */
int sa_install(struct mlxo_ipsec_sa *sa);
/* Remove what is there. First failure; afterwards nothing is live, unless the device refused twice. */
int sa_uninstall(struct mlxo_ipsec_sa *sa);
bool sa_is_live(const struct mlxo_ipsec_sa *sa);

/* -- policies (policy.c, policy_rules.c) ------------------------------------------------------------------- */

/* One rule of a policy, alone in a group of one index. Own memory, because a lost group outlives its policy. */
struct ipsec_place {
	struct steer_group group;
	struct steer_rule rule;
	struct steer_match match;
	struct ipsec_place *next; /* lost ones */
};

struct ipsec_policy_rule {
	struct steer_order_entry entry; /* owner: this */
	struct mlxo_ipsec_policy *policy;
	struct steer_match match;
	struct steer_actions actions;
	struct ipsec_place *place; /* NULL: not installed */
};

/* At most: three rules (pass, drop fragments, drop the rest) for each of two IP versions. */
enum { IPSEC_POLICY_RULES = 6 };

struct mlxo_ipsec_policy {
	struct mlxo_ipsec *svc;
	struct mlxo_ipsec_policy *next; /* by precedence within its direction */
	struct mlxo_ipsec_policy_params params;
	char *dev_label;
	struct ipsec_slot *slot;
	bool writes; /* counted in slot->writers */
	struct obj_counter taken, dropped;
	struct ipsec_policy_rule rule[IPSEC_POLICY_RULES];
	unsigned int nrules;
};

int policy_install(struct mlxo_ipsec_policy *p);
int policy_uninstall(struct mlxo_ipsec_policy *p);
bool policy_is_live(const struct mlxo_ipsec_policy *p);
/* The policy's memory goes: rules that are left are the service's. */
void policy_abandon(struct mlxo_ipsec_policy *p);

/* -- the service ------------------------------------------------------------------------------------------------- */

enum { IPSEC_HASH = 4096 };

struct mlxo_ipsec {
	pthread_mutex_t lock;
	struct mlxo_device *dev;
	struct mlxo_channel *channel; /* NULL: none */
	bool rx_all, esp_all;
	uint32_t max_sa, max_policy;

	struct ipsec_pipeline pipe;
	struct ipsec_slot *slots;
	uint32_t last_slot, last_handle;

	struct mlxo_ipsec_sa *sas, *last_sa;
	struct mlxo_ipsec_sa *hash[IPSEC_HASH];	 /* by SPI */
	struct mlxo_ipsec_sa *peers[IPSEC_HASH]; /* by destination */
	uint32_t nsa[2];			 /* in, out */
	struct mlxo_ipsec_policy *policies[2];	 /* in, out */
	uint32_t npolicy[2], last_index;

	struct ipsec_ghost *ghosts;
	struct ipsec_place *lost_places;
	struct mlxo_ipsec_sa *stuck_sas; /* the device would not let go; tried again at close */
	struct mlxo_ipsec_policy *stuck_policies;
};

/* Add what a selector asks for besides the IP version: addresses, protocol, ports. */
void ipsec_match_selector(struct steer_match *m, const struct mlxo_selector *sel);
static inline unsigned int ipsec_version(uint16_t family)
{
	return family == AF_INET6 ? 6 : 4;
}
bool ipsec_same_addr(const struct mlxo_addr *a, const struct mlxo_addr *b);
/* Bucket of svc->peers. */
uint32_t ipsec_peer_hash(const struct mlxo_addr *dst);

#endif
