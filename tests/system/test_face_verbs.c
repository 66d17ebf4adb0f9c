// SPDX-License-Identifier: BSD-2-Clause
/*
 * work queues, indirection tables, RSS QPs, counters and flow actions of verbs, through the real libraries: states, who is used
 * by whom, DevX commands on verbs handles, and what a kernel refuses. Their frames are in the tests with pyverbs and DPDK.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <infiniband/mlx5dv.h>
#include <string.h>

#include "prm/prm.h"
#include "tests/lib/face.h"

enum { KEY_LEN = 40, QUEUES = 4 };

static struct {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_wq *wq[QUEUES];
	struct ibv_rwq_ind_table *table;
	struct ibv_qp *qp;
} t;

static struct ibv_wq *create_wq(struct ibv_cq *cq)
{
	struct ibv_wq_init_attr attr = {
		.wq_type = IBV_WQT_RQ, .max_wr = 8, .max_sge = 1, .pd = t.pd, .cq = cq};

	return ibv_create_wq(t.ctx, &attr);
}

static int move_wq(struct ibv_wq *wq, enum ibv_wq_state to)
{
	struct ibv_wq_attr attr = {.attr_mask = IBV_WQ_ATTR_STATE, .wq_state = to};

	return ibv_modify_wq(wq, &attr);
}

static struct ibv_rwq_ind_table *create_table(struct ibv_wq **queues, uint32_t log)
{
	struct ibv_rwq_ind_table_init_attr attr = {.log_ind_tbl_size = log, .ind_tbl = queues};

	return ibv_create_rwq_ind_table(t.ctx, &attr);
}

static struct ibv_qp *create_rss(uint64_t fields, uint8_t function, uint8_t key_len)
{
	static uint8_t key[KEY_LEN] = {1, 2, 3};
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_RAW_PACKET,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_IND_TABLE |
			     IBV_QP_INIT_ATTR_RX_HASH,
		.pd = t.pd,
		.rwq_ind_tbl = t.table,
		.rx_hash_conf = {function, key_len, key, fields},
	};

	return ibv_create_qp_ex(t.ctx, &attr);
}

static int setup(void **state)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct mlx5dv_context_attr attr = {.flags = MLX5DV_CONTEXT_FLAGS_DEVX};

	memset(&t, 0, sizeof(t));
	assert_non_null(list);
	t.ctx = mlx5dv_open_device(list[0], &attr);
	ibv_free_device_list(list);
	assert_non_null(t.ctx);
	t.pd = ibv_alloc_pd(t.ctx);
	t.cq = ibv_create_cq(t.ctx, 64, NULL, NULL, 0);
	assert_true(t.pd && t.cq);
	for (int i = 0; i < QUEUES; i++) {
		t.wq[i] = create_wq(t.cq);
		assert_non_null(t.wq[i]);
		assert_int_equal(move_wq(t.wq[i], IBV_WQS_RDY), 0);
	}
	t.table = create_table(t.wq, 2);
	assert_non_null(t.table);
	t.qp = create_rss(IBV_RX_HASH_SRC_IPV4 | IBV_RX_HASH_DST_PORT_UDP,
			  IBV_RX_HASH_FUNC_TOEPLITZ, KEY_LEN);
	assert_non_null(t.qp);
	return 0;
}

static int teardown(void **state)
{
	assert_int_equal(ibv_destroy_qp(t.qp), 0);
	assert_int_equal(ibv_destroy_rwq_ind_table(t.table), 0);
	for (int i = 0; i < QUEUES; i++)
		assert_int_equal(ibv_destroy_wq(t.wq[i]), 0);
	assert_int_equal(ibv_destroy_cq(t.cq), 0);
	assert_int_equal(ibv_dealloc_pd(t.pd), 0);
	assert_int_equal(ibv_close_device(t.ctx), 0);
	assert_int_equal(face_census_bad(), 0);
	return 0;
}

/* -- receive queues and RSS ---------------------------------------------------------------------------------------- */

static void used_ones_stay(void **state)
{
	assert_int_equal(ibv_destroy_cq(t.cq), EBUSY);
	assert_int_equal(ibv_destroy_wq(t.wq[1]), EBUSY);
	assert_int_equal(ibv_destroy_rwq_ind_table(t.table), EBUSY);
}

static void states(void **state)
{
	struct ibv_wq *wq = create_wq(t.cq);
	struct ibv_wq_attr attr = {.attr_mask = IBV_WQ_ATTR_STATE | IBV_WQ_ATTR_CURR_STATE,
				   .wq_state = IBV_WQS_RDY,
				   .curr_wq_state = IBV_WQS_ERR};

	assert_int_not_equal(ibv_modify_wq(wq, &attr), 0); /* it is RESET */
	assert_int_equal(move_wq(wq, IBV_WQS_RDY), 0);
	assert_int_equal(move_wq(wq, IBV_WQS_ERR), 0);
	assert_int_equal(move_wq(wq, IBV_WQS_RESET), 0);
	attr = (struct ibv_wq_attr){.attr_mask = IBV_WQ_ATTR_FLAGS};
	assert_int_not_equal(ibv_modify_wq(wq, &attr), 0);
	assert_int_equal(ibv_destroy_wq(wq), 0);
}

static void refused_rss(void **state)
{
	const struct {
		uint64_t fields;
		uint8_t function, key_len;
		int err;
	} bad[] = {
		{IBV_RX_HASH_SRC_IPV4, IBV_RX_HASH_FUNC_TOEPLITZ, KEY_LEN - 1, EINVAL},
		{IBV_RX_HASH_SRC_IPV4 | IBV_RX_HASH_DST_IPV6, IBV_RX_HASH_FUNC_TOEPLITZ, KEY_LEN,
		 EINVAL},
		{IBV_RX_HASH_SRC_PORT_TCP | IBV_RX_HASH_DST_PORT_UDP, IBV_RX_HASH_FUNC_TOEPLITZ,
		 KEY_LEN, EINVAL},
		{0, IBV_RX_HASH_FUNC_TOEPLITZ, KEY_LEN, EINVAL}, /* of four work queues: which? */
		{IBV_RX_HASH_SRC_IPV4, 1 << 1, KEY_LEN, EOPNOTSUPP},
		{IBV_RX_HASH_SRC_IPV4 | IBV_RX_HASH_INNER, IBV_RX_HASH_FUNC_TOEPLITZ, KEY_LEN,
		 EOPNOTSUPP},
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		errno = 0;
		assert_null(create_rss(bad[i].fields, bad[i].function, bad[i].key_len));
		assert_int_equal(errno, bad[i].err);
	}
}

static void refused_tables(void **state)
{
	struct ibv_wq *many[2048];

	for (size_t i = 0; i < sizeof(many) / sizeof(*many); i++)
		many[i] = t.wq[0];
	assert_null(create_table(many, 11)); /* the device has 1024 entries at most */
	assert_int_equal(errno, EINVAL);
}

/* -- DevX on handles of verbs -------------------------------------------------------------------------------------- */

static int query_rq(struct ibv_wq *wq, uint32_t rqn, uint8_t out[PRM_BYTES(query_rq_out)])
{
	uint8_t in[PRM_BYTES(query_rq_in)] = {0};

	PRM_SET(query_rq_in, in, opcode, PRM_CMD_OP_QUERY_RQ);
	PRM_SET(query_rq_in, in, rqn, rqn);
	return mlx5dv_devx_wq_query(wq, in, sizeof(in), out, PRM_BYTES(query_rq_out));
}

static void devx_on_verbs(void **state)
{
	uint8_t out[PRM_BYTES(query_rq_out)];

	assert_int_equal(query_rq(t.wq[0], t.wq[0]->wq_num, out), 0);
	assert_int_equal(PRM_GET(rqc, PRM_AT(query_rq_out, out, rq_context), state), 1);
	assert_int_equal(query_rq(t.wq[0], t.wq[1]->wq_num, out), EINVAL); /* another's */
}

/* -- flows --------------------------------------------------------------------------------------------------------- */

/* Specs lie one behind the other, whatever their alignment. */
struct rule {
	struct ibv_flow_attr attr;
	uint8_t specs[128];
};

static void add(struct rule *r, const void *spec, size_t n)
{
	memcpy((uint8_t *)r + r->attr.size, spec, n);
	r->attr.size += n;
	r->attr.num_of_specs++;
}

static struct rule any_frame(void)
{
	struct ibv_flow_spec_eth eth = {.type = IBV_FLOW_SPEC_ETH, .size = sizeof(eth)};
	struct rule r = {.attr = {.type = IBV_FLOW_ATTR_NORMAL, .size = sizeof(r.attr), .port = 1}};

	memset(eth.mask.dst_mac, 0xff, 6);
	add(&r, &eth, sizeof(eth));
	return r;
}

static void counters(void **state)
{
	struct ibv_counters_init_attr init = {0};
	struct ibv_counters *k = ibv_create_counters(t.ctx, &init);
	struct ibv_counter_attach_attr what = {IBV_COUNTER_PACKETS, 0, 0};
	struct ibv_flow_spec_counter_action count = {IBV_FLOW_SPEC_ACTION_COUNT, sizeof(count), k};
	struct rule r = any_frame();
	struct ibv_flow *flow;
	uint64_t value[2] = {7, 7};

	assert_non_null(k);
	add(&r, &count, sizeof(count));
	assert_int_equal(ibv_attach_counters_point_flow(k, &what, NULL), 0);
	what = (struct ibv_counter_attach_attr){IBV_COUNTER_BYTES, 1, 0};
	assert_int_equal(ibv_attach_counters_point_flow(k, &what, NULL), 0);
	assert_int_not_equal(ibv_read_counters(k, value, 2, 0), 0); /* nothing counts yet */
	flow = ibv_create_flow(t.qp, &r.attr);
	assert_non_null(flow);
	assert_int_equal(ibv_read_counters(k, value, 2, 0), 0);
	assert_int_equal(value[0] | value[1], 0);
	assert_int_equal(ibv_destroy_counters(k), EBUSY);
	assert_int_equal(ibv_destroy_flow(flow), 0);
	assert_int_equal(ibv_destroy_counters(k), 0);
}

static void drop(void **state)
{
	struct ibv_flow_spec_action_drop spec = {IBV_FLOW_SPEC_ACTION_DROP, sizeof(spec)};
	struct rule r = any_frame();
	struct ibv_flow *flow;

	add(&r, &spec, sizeof(spec));
	flow = ibv_create_flow(t.qp, &r.attr);
	assert_non_null(flow);
	assert_int_equal(ibv_destroy_qp(t.qp), EBUSY);
	assert_int_equal(ibv_destroy_flow(flow), 0);
}

static struct mlx5dv_flow_matcher *matcher_at(enum mlx5dv_flow_table_type type, uint16_t priority)
{
	struct {
		size_t size;
		uint8_t bytes[512];
	} mask = {sizeof(mask.bytes), {0}};
	struct mlx5dv_flow_matcher_attr attr = {
		.type = IBV_FLOW_ATTR_NORMAL,
		.priority = priority,
		.match_mask = (struct mlx5dv_flow_match_parameters *)(void *)&mask,
		.comp_mask = MLX5DV_FLOW_MATCHER_MASK_FT_TYPE,
		.ft_type = type};

	return mlx5dv_create_flow_matcher(t.ctx, &attr);
}

static struct mlx5dv_flow_matcher *matcher(enum mlx5dv_flow_table_type type)
{
	return matcher_at(type, 0);
}

static struct ibv_flow *flow_with(struct mlx5dv_flow_matcher *m, struct ibv_flow_action *action)
{
	struct {
		size_t size;
		uint8_t bytes[512];
	} value = {sizeof(value.bytes), {0}};
	struct mlx5dv_flow_action_attr list[] = {
		{.type = MLX5DV_FLOW_ACTION_IBV_FLOW_ACTION, .action = action},
		{.type = MLX5DV_FLOW_ACTION_DEST_IBV_QP, .qp = t.qp}};

	return mlx5dv_create_flow(m, (struct mlx5dv_flow_match_parameters *)(void *)&value,
				  action ? 2 : 1, action ? list : list + 1);
}

/* A matcher takes any; the flow is what is refused. */
static void priorities(void **state)
{
	static const uint16_t priority[] = {0, 15, 16, 99};
	struct rule r = any_frame();

	for (size_t i = 0; i < 4; i++) {
		struct mlx5dv_flow_matcher *m =
			matcher_at(MLX5DV_FLOW_TABLE_TYPE_NIC_RX, priority[i]);
		struct ibv_flow *flow[2];

		assert_non_null(m);
		r.attr.priority = priority[i];
		errno = 0;
		flow[0] = flow_with(m, NULL);
		assert_int_equal(errno, i < 2 ? 0 : ENOMEM);
		errno = 0;
		flow[1] = ibv_create_flow(t.qp, &r.attr);
		assert_int_equal(errno, i < 2 ? 0 : ENOMEM);
		for (int k = 0; k < 2 && i < 2; k++)
			assert_int_equal(ibv_destroy_flow(flow[k]), 0);
		assert_int_equal(mlx5dv_destroy_flow_matcher(m), 0);
	}
}

static void modify_header(void **state)
{
	uint64_t ttl = 0, bad = UINT64_MAX;
	struct mlx5dv_flow_matcher *rx = matcher(MLX5DV_FLOW_TABLE_TYPE_NIC_RX);
	struct ibv_flow_action *in, *out;
	struct ibv_flow *flow;

	PRM_SET(set_action_in, &ttl, action_type, PRM_ACTION_TYPE_SET);
	PRM_SET(set_action_in, &ttl, field, PRM_ACTION_IN_FIELD_METADATA_REG_C_0);
	PRM_SET(set_action_in, &ttl, data, 9);
	in = mlx5dv_create_flow_action_modify_header(t.ctx, sizeof(ttl), &ttl,
						     MLX5DV_FLOW_TABLE_TYPE_NIC_RX);
	out = mlx5dv_create_flow_action_modify_header(t.ctx, sizeof(ttl), &ttl,
						      MLX5DV_FLOW_TABLE_TYPE_NIC_TX);
	assert_true(rx && in && out);
	assert_null(mlx5dv_create_flow_action_modify_header(t.ctx, sizeof(bad), &bad,
							    MLX5DV_FLOW_TABLE_TYPE_NIC_RX));
	assert_int_equal(errno, EINVAL);
	assert_null(mlx5dv_create_flow_action_modify_header(t.ctx, sizeof(ttl), &ttl,
							    MLX5DV_FLOW_TABLE_TYPE_FDB));
	assert_null(flow_with(rx, out)); /* of the other direction */
	assert_int_equal(errno, EINVAL);
	flow = flow_with(rx, in);
	assert_non_null(flow);
	assert_int_equal(ibv_destroy_flow_action(in), EBUSY);
	assert_int_equal(ibv_destroy_flow(flow), 0);
	assert_int_equal(ibv_destroy_flow_action(in), 0);
	assert_int_equal(ibv_destroy_flow_action(out), 0);
	assert_int_equal(mlx5dv_destroy_flow_matcher(rx), 0);
}

static struct ibv_flow_action *reformat(int type, size_t len, int table)
{
	/* Ethernet, IPv4, UDP to 4789, VXLAN */
	static const uint8_t vxlan[50] = {
		[12] = 8, [14] = 0x45, [22] = 64, 17, [36] = 0x12, 0xb5, [42] = 8};
	uint8_t data[sizeof(vxlan)];

	memcpy(data, vxlan, sizeof(data));
	errno = 0;
	return mlx5dv_create_flow_action_packet_reformat(
		t.ctx, len, len ? data : NULL, (enum mlx5dv_flow_action_packet_reformat_type)type,
		(enum mlx5dv_flow_table_type)table);
}

/* Each kind for one direction only; firmware looks at the header. */
static void packet_reformat(void **state)
{
	enum { RX = MLX5DV_FLOW_TABLE_TYPE_NIC_RX, TX = MLX5DV_FLOW_TABLE_TYPE_NIC_TX };
	enum {
		DECAP = MLX5DV_FLOW_ACTION_PACKET_REFORMAT_TYPE_L2_TUNNEL_TO_L2,
		ENCAP = MLX5DV_FLOW_ACTION_PACKET_REFORMAT_TYPE_L2_TO_L2_TUNNEL,
		DECAP3 = MLX5DV_FLOW_ACTION_PACKET_REFORMAT_TYPE_L3_TUNNEL_TO_L2,
		ENCAP3 = MLX5DV_FLOW_ACTION_PACKET_REFORMAT_TYPE_L2_TO_L3_TUNNEL,
	};
	static const struct {
		int type, table;
		size_t len;
		int err;
	} list[] = {{DECAP, RX, 0, 0},
		    {ENCAP, TX, 50, 0},
		    {DECAP3, RX, 14, 0},
		    {ENCAP3, TX, 50, 0},
		    {DECAP, TX, 0, EOPNOTSUPP},
		    {ENCAP, RX, 50, EOPNOTSUPP},
		    {DECAP3, TX, 14, EOPNOTSUPP},
		    {ENCAP3, RX, 50, EOPNOTSUPP},
		    {ENCAP, TX, 0, ENOENT},
		    {ENCAP, TX, 14, EINVAL}, /* no IP header */
		    {DECAP3, RX, 15, EINVAL},
		    {9, RX, 14, EINVAL},
		    {DECAP, MLX5DV_FLOW_TABLE_TYPE_FDB, 0, EOPNOTSUPP}};
	struct mlx5dv_flow_matcher *rx = matcher(MLX5DV_FLOW_TABLE_TYPE_NIC_RX);
	struct ibv_flow_action *a;
	struct ibv_flow *flow;

	assert_non_null(rx);
	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		a = reformat(list[i].type, list[i].len, list[i].table);
		assert_int_equal(errno, list[i].err);
		if (list[i].err) {
			assert_null(a);
			continue;
		}
		assert_non_null(a);
		flow = flow_with(rx, a);
		assert_int_equal(flow != NULL, list[i].table == RX);
		if (flow) {
			assert_int_equal(ibv_destroy_flow_action(a), EBUSY);
			assert_int_equal(ibv_destroy_flow(flow), 0);
		}
		assert_int_equal(ibv_destroy_flow_action(a), 0);
	}
	assert_int_equal(mlx5dv_destroy_flow_matcher(rx), 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		TEST(used_ones_stay), TEST(states),
		TEST(refused_rss),    TEST(refused_tables),
		TEST(devx_on_verbs),  TEST(counters),
		TEST(drop),	      TEST(priorities),
		TEST(modify_header),  TEST(packet_reformat),
	};

	if (!face_preload(argv, "model"))
		return 0;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
