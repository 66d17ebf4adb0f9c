// SPDX-License-Identifier: BSD-2-Clause
/*
 * The fixed part of the service: tables, the rules that are always there, and the way in from the NIC's root.
 *
 *	table	   level   indexes, lowest first
 *	tx.policy  last-1  ARP, neighbour discovery: wire | policies | rest: wire
 *	tx.sa	   last    SAs | rest: drop, count "no state"
 *	rx.entry   last-3  ESP fragment: not ours | ESP: rx.sa | rest: rx.policy
 *	rx.sa	   last-2  SAs | rest: not ours
 *	rx.status  last-1  good SAs' packets: rx.policy | drops by reason | rest: drop, count
 *	rx.policy  last    ARP, neighbour discovery: deliver | policies | rest: deliver
 *
 * "Not ours" is dropped and counted where the service owns ESP, else it goes on to the kernel by a steering anchor.
 *
 * "last" is the highest level of the device, so that any attachment under the root is lower. No table relies on its
 * default miss action: the last index of each catches what is left (its meaning is not documented for other tables than
 * the root). ESP transport needs neither reformat_en nor decap_en (Linux en_accel/ipsec_fs.c sets them for tunnels only).
 */
#include "service.h"

#include "objects/error.h"

enum {
	POLICY_LOG_SIZE = 16,
	ENTRY_LOG_SIZE = 3,
	CHUNK = 64, /* indexes per group of SA rules */
	ROOM = 4,   /* places per possible SA: several masks, and room in front of older rules */
	FIRST_POLICY = 16, /* below: fixed rules */
	ND_FIRST = 133,	   /* ICMPv6 router solicitation .. redirect, RFC 4861 */
	ND_TYPES = 5,
	PRIORITY = 0, /* of the attachments */
	KERNEL = 1,   /* of the anchor: later than our own attachment */
};

/* -- tables ------------------------------------------------------------------------------------------------------ */

static uint8_t log2_up(uint64_t n)
{
	uint8_t log = 0;

	while (UINT64_C(1) << log < n)
		log++;
	return log;
}

static int create_table(struct mlxo_ipsec *svc, enum prov_dir dir, unsigned int from_last,
			uint8_t log_size, struct steer_table *table)
{
	bool tx = dir == PROV_TX;
	uint64_t levels = obj_cap(svc->dev, tx ? OBJ_CAP_tx_max_ft_level : OBJ_CAP_rx_max_ft_level);
	uint64_t max_log =
		obj_cap(svc->dev, tx ? OBJ_CAP_tx_log_max_ft_size : OBJ_CAP_rx_log_max_ft_size);
	struct steer_table_attr attr = {.dir = dir,
					.level = (uint8_t)(levels - 1 - from_last),
					.log_size = log_size < max_log ? log_size
								       : (uint8_t)max_log};

	if (levels < 5)
		return obj_error(-EOPNOTSUPP,
				 "device %s has %u levels of flow tables; packet offload needs 5",
				 mlxo_device_name(svc->dev), (unsigned int)levels);
	return steer_table_create(svc->dev, &attr, table);
}

static int create_tables(struct mlxo_ipsec *svc)
{
	struct ipsec_pipeline *pipe = &svc->pipe;
	uint8_t sas = log2_up((uint64_t)svc->max_sa * ROOM + 2 * CHUNK);
	int err = create_table(svc, PROV_TX, 1, POLICY_LOG_SIZE, &pipe->tx_policy);

	if (!err)
		err = create_table(svc, PROV_TX, 0, sas, &pipe->tx_sa);
	if (!err)
		err = create_table(svc, PROV_RX, 3, ENTRY_LOG_SIZE, &pipe->rx_entry);
	if (!err)
		err = create_table(svc, PROV_RX, 2, sas, &pipe->rx_sa);
	if (!err)
		err = create_table(svc, PROV_RX, 1, (uint8_t)(sas + 2), &pipe->rx_status);
	if (!err)
		err = create_table(svc, PROV_RX, 0, POLICY_LOG_SIZE, &pipe->rx_policy);
	return err;
}

static uint32_t last_index(const struct steer_table *t)
{
	return steer_table_size(t) - 1;
}

/* Index ranges: in the status table the good ones lie in the lower half, so they go first. */
static void divide(struct ipsec_pipeline *pipe)
{
	uint32_t half = steer_table_size(&pipe->rx_status) / 2;

	ruleset_init(&pipe->tx_sas, &pipe->tx_sa, 0, last_index(&pipe->tx_sa) - 1, CHUNK);
	ruleset_init(&pipe->rx_sas, &pipe->rx_sa, 0, last_index(&pipe->rx_sa) - 1, CHUNK);
	ruleset_init(&pipe->rx_ok, &pipe->rx_status, 0, half - 1, CHUNK);
	ruleset_init(&pipe->rx_bad, &pipe->rx_status, half, last_index(&pipe->rx_status) - 1,
		     CHUNK);
	steer_order_init(&pipe->tx_order, FIRST_POLICY, last_index(&pipe->tx_policy) - 1);
	steer_order_init(&pipe->rx_order, FIRST_POLICY, last_index(&pipe->rx_policy) - 1);
}

/* -- fixed rules ------------------------------------------------------------------------------------------------- */

/* A new group start..end with the mask of match; NULL with *err set, or when *err was set before. */
static struct ipsec_fixed *add_group(struct ipsec_pipeline *pipe, struct steer_table *table,
				     uint32_t start, uint32_t end, const struct steer_match *match,
				     int *err)
{
	struct ipsec_fixed *f = &pipe->fixed[pipe->nfixed];

	if (*err)
		return NULL;
	pipe->nfixed++;
	*err = steer_group_create(table, start, end, match, &f->group);
	return *err ? NULL : f;
}

static void add_to(struct ipsec_fixed *f, uint32_t index, const struct steer_match *match,
		   const struct steer_actions *actions, int *err)
{
	if (*err)
		return;
	*err = steer_rule_add(&f->group, index, match, actions, &f->rule[f->nrules]);
	if (!*err)
		f->nrules++;
}

/* One rule alone in its group. */
static void add_one(struct ipsec_pipeline *pipe, struct steer_table *table, uint32_t index,
		    const struct steer_match *match, const struct steer_actions *actions, int *err)
{
	struct ipsec_fixed *f = add_group(pipe, table, index, index, match, err);

	add_to(f, index, match, actions, err);
}

static void add_rest(struct ipsec_pipeline *pipe, struct steer_table *table,
		     const struct steer_actions *actions, int *err)
{
	struct steer_match all;

	steer_match_init(&all);
	add_one(pipe, table, last_index(table), &all, actions, err);
}

/* ARP and neighbour discovery: never protected, always through. */
static void add_neighbours(struct ipsec_pipeline *pipe, struct steer_table *table,
			   const struct steer_actions *actions, int *err)
{
	struct ipsec_fixed *f = NULL;
	struct steer_match m;

	steer_match_init(&m);
	steer_match_ethertype(&m, IPSEC_ETHERTYPE_ARP);
	add_one(pipe, table, 0, &m, actions, err);
	for (unsigned int i = 0; i < ND_TYPES; i++) {
		steer_match_init(&m);
		steer_match_ip_version(&m, 6);
		steer_match_icmpv6_type(&m, (uint8_t)(ND_FIRST + i));
		if (i == 0)
			f = add_group(pipe, table, 1, ND_TYPES, &m, err);
		add_to(f, 1 + i, &m, actions, err);
	}
}

/* ESP that is not ours: to the kernel, or a drop that is counted as `why`. */
static struct steer_actions not_ours(const struct ipsec_pipeline *pipe, enum ipsec_count why)
{
	if (pipe->kernel.prov)
		return (struct steer_actions){.anchor = &pipe->kernel,
					      .counter = &pipe->count[COUNT_RX_KERNEL]};
	return (struct steer_actions){.drop = true, .counter = &pipe->count[why]};
}

static void add_entry(struct ipsec_pipeline *pipe, int *err)
{
	struct steer_actions fragment = not_ours(pipe, COUNT_RX_FRAGMENT);
	struct steer_actions esp = {.table = &pipe->rx_sa};
	struct steer_actions rest = {.table = &pipe->rx_policy};
	struct steer_match m;

	steer_match_init(&m);
	steer_match_ip_proto(&m, IPSEC_PROTO_ESP);
	steer_match_frag(&m, true);
	add_one(pipe, &pipe->rx_entry, 0, &m, &fragment, err);
	steer_match_frag(&m, false);
	add_one(pipe, &pipe->rx_entry, 1, &m, &esp, err);
	add_rest(pipe, &pipe->rx_entry, &rest, err);
}

static int add_fixed(struct mlxo_ipsec *svc)
{
	struct ipsec_pipeline *pipe = &svc->pipe;
	struct steer_actions wire = {.allow = true}, deliver = pipeline_deliver(svc);
	struct steer_actions no_state = {.drop = true, .counter = &pipe->count[COUNT_TX_NO_STATE]};
	struct steer_actions no_sa = not_ours(pipe, COUNT_RX_NO_SA);
	struct steer_actions status = {.drop = true, .counter = &pipe->count[COUNT_RX_STATUS]};
	int err = 0;

	add_neighbours(pipe, &pipe->tx_policy, &wire, &err);
	add_rest(pipe, &pipe->tx_policy, &wire, &err);
	add_rest(pipe, &pipe->tx_sa, &no_state, &err);
	add_entry(pipe, &err);
	add_rest(pipe, &pipe->rx_sa, &no_sa, &err);
	add_rest(pipe, &pipe->rx_status, &status, &err);
	add_neighbours(pipe, &pipe->rx_policy, &deliver, &err);
	add_rest(pipe, &pipe->rx_policy, &deliver, &err);
	return err;
}

struct steer_actions pipeline_deliver(const struct mlxo_ipsec *svc)
{
	if (svc->channel)
		return (struct steer_actions){.tir = queue_channel_tir(svc->channel)};
	return (struct steer_actions){.drop = true,
				      .counter = &svc->pipe.count[COUNT_RX_NO_CHANNEL]};
}

/* -- attach ------------------------------------------------------------------------------------------------------- */

static int attach(struct mlxo_ipsec *svc)
{
	struct ipsec_pipeline *pipe = &svc->pipe;
	struct steer_match esp, ours;
	int err;

	steer_match_init(&esp);
	steer_match_ip_proto(&esp, IPSEC_PROTO_ESP);
	err = steer_table_attach(&pipe->rx_entry, PRIORITY, svc->rx_all ? NULL : &esp,
				 &pipe->rx_attach);
	if (err || !svc->channel)
		return err;
	steer_match_init(&ours);
	steer_match_source_sqn(&ours, mlxo_channel_sqn(svc->channel));
	return steer_table_attach(&pipe->tx_policy, PRIORITY, &ours, &pipe->tx_attach);
}

/* Cards and drivers without anchors are told of, and are no reason to fail. */
static int find_kernel(struct mlxo_ipsec *svc)
{
	int err = steer_anchor_create(svc->dev, KERNEL, &svc->pipe.kernel);

	if (err != -EOPNOTSUPP)
		return err;
	obj_log(MLXO_LOG_WARN, "ESP that no SA is for is dropped: %s", mlxo_error_last()->text);
	return 0;
}

/* -- all of it ------------------------------------------------------------------------------------------------- */

int pipeline_create(struct mlxo_ipsec *svc)
{
	struct ipsec_pipeline *pipe = &svc->pipe;
	int err = 0;

	for (unsigned int i = 0; i < IPSEC_NCOUNTS && !err; i++)
		err = obj_counter_create(svc->dev, &pipe->count[i]);
	if (!err)
		err = obj_reformat_create_del_esp(svc->dev, &pipe->del_esp);
	if (!err)
		err = create_tables(svc);
	if (!err && !svc->esp_all)
		err = find_kernel(svc);
	if (err)
		return err;
	divide(pipe);
	err = add_fixed(svc);
	return err ? err : attach(svc);
}

static void destroy_fixed(struct ipsec_pipeline *pipe)
{
	for (unsigned int i = pipe->nfixed; i-- > 0;) {
		struct ipsec_fixed *f = &pipe->fixed[i];

		for (unsigned int k = f->nrules; k-- > 0;)
			steer_rule_del(&f->rule[k]);
		steer_group_destroy(&f->group);
	}
}

enum { NTABLES = 6 };

/* i: below NTABLES. */
static struct steer_table *table_number(struct ipsec_pipeline *pipe, unsigned int i)
{
	struct steer_table *tables[NTABLES] = {&pipe->tx_policy, &pipe->rx_entry,
					       &pipe->tx_sa,	 &pipe->rx_sa,
					       &pipe->rx_status, &pipe->rx_policy};

	return tables[i];
}

/* Policy rules that the device would not let go before. */
static void destroy_places(struct mlxo_ipsec *svc)
{
	for (struct ipsec_place *l = svc->lost_places; l; l = l->next) {
		steer_rule_del(&l->rule);
		steer_group_destroy(&l->group);
	}
}

/* On the device. What is gone already is passed over. */
static void destroy_all(struct mlxo_ipsec *svc)
{
	struct ipsec_pipeline *pipe = &svc->pipe;

	steer_table_detach(&pipe->tx_attach);
	steer_table_detach(&pipe->rx_attach);
	destroy_fixed(pipe);
	destroy_places(svc);
	ruleset_destroy(&pipe->tx_sas);
	ruleset_destroy(&pipe->rx_sas);
	ruleset_destroy(&pipe->rx_ok);
	ruleset_destroy(&pipe->rx_bad);
	steer_anchor_destroy(&pipe->kernel);
	for (unsigned int i = 0; i < NTABLES; i++)
		steer_table_destroy(table_number(pipe, i));
	obj_reformat_destroy(svc->dev, &pipe->del_esp);
	for (unsigned int i = 0; i < IPSEC_NCOUNTS; i++)
		obj_counter_destroy(svc->dev, &pipe->count[i]);
}

void pipeline_destroy(struct mlxo_ipsec *svc)
{
	struct ipsec_pipeline *pipe = &svc->pipe;

	destroy_all(svc);
	destroy_all(svc);
	for (unsigned int i = 0; i < NTABLES; i++)
		steer_table_fini(table_number(pipe, i));
	ruleset_fini(&pipe->tx_sas);
	ruleset_fini(&pipe->rx_sas);
	ruleset_fini(&pipe->rx_ok);
	ruleset_fini(&pipe->rx_bad);
	steer_order_fini(&pipe->tx_order);
	steer_order_fini(&pipe->rx_order);
}
