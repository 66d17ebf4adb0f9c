// SPDX-License-Identifier: BSD-2-Clause
/* Walks through tables built by hand: order of groups and actions, misses, copies, loops, drops and counters. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <errno.h>
#include <string.h>

#include "lib/frames.h"
#include "providers/model/model.h"

static struct model_dev dev;
static struct model_pkt pkt;
static struct frame f;
static struct model_key slot = {.len = 16};
static struct model_dek dek = {.keys = &slot, .o = {.count = 1}};
static struct model_ipsec sa;
static struct model_reformat add4 = {.type = PRM_REFORMAT_TYPE_ADD_ESP_TRANSPORT_OVER_IPV4,
				     .len = 16};
static struct model_reformat del = {.type = PRM_REFORMAT_TYPE_DEL_ESP_TRANSPORT};
static struct model_tir tir[2];

/* What the copies did: the packet itself ends in the verdict. */
static int delivered[2], sent;

void model_rx_deliver(struct model_dev *d, const struct model_pkt *p, struct model_tir *t)
{
	delivered[t - tir]++;
}

void model_port_send(struct model_port *port, const uint8_t *frame, size_t len)
{
	sent++;
}

int model_key_get(struct model_dev *d, struct model_dek *k, uint32_t n, uint8_t key[32],
		  uint8_t *len, uint32_t *gen)
{
	if (slot.len == 0)
		return -ENOKEY;
	memset(key, 7, 32);
	*len = slot.len;
	*gen = slot.cache_gen;
	slot.cached = true;
	return 0;
}

/* -- tables by hand ------------------------------------------------------------------------------------- */

enum { TABLES = 40, RULES = 48 };

struct rule {
	struct model_fte fte;
	struct model_fg fg; /* each rule has a group of its own: masks differ */
	uint32_t words[MODEL_MATCH_WORDS];
	struct model_counter counter;
	uint8_t counts[32];
};

typedef __typeof__(*((struct model_fte *)0)->dest) dest_t;
typedef __typeof__(*((struct model_fte *)0)->counter) counter_ref_t;
typedef __typeof__(*((struct model_counter *)0)->c) counts_t;

static struct model_ft tables[TABLES];
static struct model_fg *groups[TABLES][8];
static struct rule rules[RULES];
static dest_t dests[RULES][20];
static counter_ref_t refs[RULES];
static counts_t counts[RULES];
static unsigned int nrules;

/* A rule in its own group at the end of the table. `off`: bit of fte_match_param; width 0: matches all. */
static struct model_fte *rule(int table, uint16_t action, unsigned int off, unsigned int width,
			      uint32_t value)
{
	struct rule *r = &rules[nrules];
	struct model_ft *ft = &tables[table];
	uint8_t mask[512] = {0}, val[512] = {0};

	if (width) {
		prm_put(mask, off, width, 0xffffffff);
		prm_put(val, off, width, value);
	}
	model_mask_compile(&r->fg.mask, 0x7f, mask);
	model_mask_values(&r->fg.mask, val, r->words);
	r->fg.start = r->fg.end = ft->nfgs;
	r->fte.index = ft->nfgs;
	r->fte.value = r->words;
	r->fte.action = action;
	r->fte.ipsec = &sa;
	r->fte.dest = dests[nrules];
	r->fte.counter = &refs[nrules];
	r->fte.ncounter = 1;
	r->counter.c = &counts[nrules];
	refs[nrules].counter = &r->counter;
	refs[nrules].index = 0;
	assert_int_equal(model_fg_insert(&r->fg, &r->fte), 0);
	ft->fgs = groups[table];
	ft->fgs[ft->nfgs++] = &r->fg;
	nrules++;
	return &r->fte;
}

static void to_table(struct model_fte *fte, int table)
{
	fte->dest[fte->ndest].type = PRM_IFC_FLOW_DESTINATION_TYPE_FLOW_TABLE;
	fte->dest[fte->ndest++].ft = &tables[table];
}

static void to_tir(struct model_fte *fte, int n)
{
	fte->dest[fte->ndest].type = PRM_IFC_FLOW_DESTINATION_TYPE_TIR;
	fte->dest[fte->ndest++].tir = &tir[n];
}

static uint64_t packets(const struct model_fte *fte)
{
	return fte->counter[0].counter->c[0].packets;
}

static uint64_t octets(const struct model_fte *fte)
{
	return fte->counter[0].counter->c[0].octets;
}

static int setup(void **state)
{
	memset(&dev, 0, sizeof(dev));
	memset(tables, 0, sizeof(tables));
	memset(rules, 0, sizeof(rules));
	memset(counts, 0, sizeof(counts));
	memset(delivered, 0, sizeof(delivered));
	nrules = 0;
	sent = 0;
	slot.len = 16;
	model_ipsec_crypto_free(&sa);
	memset(&sa, 0, sizeof(sa));
	sa.dek = &dek;
	sa.full_offload = true;
	sa.aso_mode = PRM_IPSEC_ASO_INC_SN;
	sa.aso_return_reg = PRM_IPSEC_ASO_REG_C_4_5;
	sa.next_sn = 1;
	return 0;
}

static int free_rules(void **state)
{
	for (unsigned int i = 0; i < nrules; i++)
		model_fg_remove(&rules[i].fg, &rules[i].fte);
	model_ipsec_crypto_free(&sa);
	return 0;
}

static enum model_verdict steer(bool tx, struct model_tir **t)
{
	frame_eth(&f, 0x0800);
	frame_ipv4(&f, 17, 0);
	frame_udp(&f, 5000, 5001);
	frame_pattern(&f, 22);
	frame_end(&f);
	model_pkt_init(&pkt, tx);
	memcpy(pkt.data, f.b, f.n);
	pkt.len = f.n;
	pkt.sqn = 5;
	model_pkt_parse(&pkt);
	return model_steer(&dev, &pkt, t);
}

#define F(section, layout, field) \
	PRM_OFFSET(fte_match_param, section) + PRM_OFFSET(layout, field), PRM_WIDTH(layout, field)
#define UDP_DPORT F(outer_headers, fte_match_set_lyr_2_4, udp_dport)
#define PROTOCOL F(outer_headers, fte_match_set_lyr_2_4, ip_protocol)
#define SYNDROME F(misc_parameters_2, fte_match_set_misc2, ipsec_syndrome)
#define REG_C_2 F(misc_parameters_2, fte_match_set_misc2, metadata_reg_c_2)
#define REG_C_4 F(misc_parameters_2, fte_match_set_misc2, metadata_reg_c_4)
#define SQN F(misc_parameters, fte_match_set_misc, source_sqn)

enum {
	ALLOW = PRM_FLOW_CONTEXT_ACTION_ALLOW,
	DROP = PRM_FLOW_CONTEXT_ACTION_DROP,
	FWD = PRM_FLOW_CONTEXT_ACTION_FWD_DEST,
	COUNT = PRM_FLOW_CONTEXT_ACTION_COUNT,
	REFORMAT = PRM_FLOW_CONTEXT_ACTION_PACKET_REFORMAT,
	MODHDR = PRM_FLOW_CONTEXT_ACTION_MOD_HDR,
	ENCRYPT = PRM_FLOW_CONTEXT_ACTION_CRYPTO_ENCRYPT,
	DECRYPT = PRM_FLOW_CONTEXT_ACTION_CRYPTO_DECRYPT,
};

static void no_root(void **state)
{
	struct model_tir *t;

	assert_int_equal(steer(true, &t), MODEL_TO_WIRE);
	assert_int_equal(steer(false, &t), MODEL_DROPPED);
	assert_int_equal(dev.drop[MODEL_DROP_RX_NO_ROOT], 1);
}

static void misses(void **state)
{
	struct model_tir *t;

	dev.root[0] = dev.root[1] = &tables[0];
	rule(0, DROP, UDP_DPORT, 1);
	assert_int_equal(steer(false, &t), MODEL_DROPPED);
	assert_int_equal(dev.drop[MODEL_DROP_RX_NO_ROOT], 1);
	assert_int_equal(steer(true, &t), MODEL_TO_WIRE);
	tables[0].miss_action = PRM_FLOW_TABLE_MISS_ACTION_FWD;
	tables[0].miss_ft = &tables[1];
	assert_int_equal(steer(false, &t), MODEL_DROPPED);
	assert_int_equal(dev.drop[MODEL_DROP_RX_MISS], 1);
	to_tir(rule(1, FWD, 0, 0, 0), 1);
	assert_int_equal(steer(false, &t), MODEL_TO_TIR);
	assert_ptr_equal(t, &tir[1]);
}

static void first_group_wins(void **state)
{
	struct model_fte *first, *second;
	struct model_tir *t;

	dev.root[0] = &tables[0];
	rule(0, DROP, UDP_DPORT, 9);
	first = rule(0, FWD | COUNT, UDP_DPORT, 5001);
	second = rule(0, FWD | COUNT, PROTOCOL, 17);
	to_tir(first, 0);
	to_tir(second, 1);
	assert_int_equal(steer(false, &t), MODEL_TO_TIR);
	assert_ptr_equal(t, &tir[0]);
	assert_int_equal(packets(first), 1);
	assert_int_equal(octets(first), f.n);
	assert_int_equal(packets(second), 0);
}

static void drop_counts_and_does_nothing_else(void **state)
{
	struct model_fte *fte;
	struct model_tir *t;

	dev.root[0] = dev.root[1] = &tables[0];
	fte = rule(0, DROP | COUNT | DECRYPT, 0, 0, 0);
	assert_int_equal(steer(false, &t), MODEL_DROPPED);
	assert_int_equal(steer(true, &t), MODEL_DROPPED);
	assert_int_equal(packets(fte), 2);
	assert_int_equal(dev.drop[MODEL_DROP_RX_RULE], 1);
	assert_int_equal(dev.drop[MODEL_DROP_TX_RULE], 1);
	assert_memory_equal(pkt.data, f.b, f.n);
}

static void endless_loop_is_cut(void **state)
{
	struct model_fte *fte;
	struct model_tir *t;

	dev.root[0] = dev.root[1] = &tables[0];
	fte = rule(0, FWD | COUNT, 0, 0, 0);
	to_table(fte, 0);
	assert_int_equal(steer(false, &t), MODEL_DROPPED);
	assert_int_equal(packets(fte), 32);
	assert_int_equal(dev.drop[MODEL_DROP_RX_HOPS], 1);
	assert_int_equal(steer(true, &t), MODEL_DROPPED);
	assert_int_equal(dev.drop[MODEL_DROP_TX_HOPS], 1);
	for (int i = 0; i < 31; i++) { /* 32 tables in a row are allowed */
		tables[i] = (struct model_ft){.miss_action = PRM_FLOW_TABLE_MISS_ACTION_FWD,
					      .miss_ft = &tables[i + 1]};
	}
	to_tir(rule(31, FWD, 0, 0, 0), 0);
	assert_int_equal(steer(false, &t), MODEL_TO_TIR);
}

static void several_destinations(void **state)
{
	struct model_fte *fte;
	struct model_tir *t;

	dev.root[0] = &tables[0];
	fte = rule(0, FWD, 0, 0, 0);
	to_tir(fte, 0);
	to_table(fte, 1);
	to_table(fte, 2);
	to_tir(fte, 1);
	to_tir(rule(1, FWD, 0, 0, 0), 0);
	rule(2, DROP, 0, 0, 0);
	assert_int_equal(steer(false, &t), MODEL_TO_TIR);
	assert_ptr_equal(t, &tir[1]);
	assert_int_equal(delivered[0], 2);
	assert_int_equal(delivered[1], 0);
	assert_int_equal(dev.drop[MODEL_DROP_RX_RULE], 1);
}

/* A table that sends two copies to itself must not blow up. */
static void copies_are_bounded(void **state)
{
	struct model_fte *fte;
	struct model_tir *t;

	dev.root[1] = &tables[0];
	fte = rule(0, FWD | COUNT, 0, 0, 0);
	to_table(fte, 0);
	to_table(fte, 0);
	to_table(fte, 0);
	assert_int_equal(steer(true, &t), MODEL_DROPPED);
	assert_true(packets(fte) <= 32);
	assert_int_equal(sent, 0);
}

static struct model_modhdr_action set_c2 = {.type = PRM_ACTION_TYPE_SET,
					    .field = PRM_ACTION_IN_FIELD_METADATA_REG_C_2,
					    .length = 32,
					    .data = 0x80000007};
static struct model_modhdr mark = {.n = 1, .actions = &set_c2};

static void next_table_sees_registers(void **state)
{
	struct model_fte *fte;
	struct model_tir *t;

	dev.root[0] = &tables[0];
	fte = rule(0, FWD | MODHDR, 0, 0, 0);
	fte->modhdr = &mark;
	fte->flow_tag = 0x1234;
	to_table(fte, 1);
	to_tir(rule(1, FWD, REG_C_2, 0x80000007), 1);
	assert_int_equal(steer(false, &t), MODEL_TO_TIR);
	assert_int_equal(pkt.flow_tag, 0x1234);
}

static void source_queue_is_matched(void **state)
{
	struct model_tir *t;

	dev.root[1] = &tables[0];
	rule(0, DROP, SQN, 5);
	assert_int_equal(steer(true, &t), MODEL_DROPPED);
	tables[0].nfgs = 0;
	rule(0, DROP, SQN, 6);
	assert_int_equal(steer(true, &t), MODEL_TO_WIRE);
}

/* TX seals and counts the sealed bytes; RX opens, strips, counts the clear bytes, and the status table sees it. */
static void sa_both_ways(void **state)
{
	struct model_fte *out, *in, *auth;
	struct frame clear;
	struct model_tir *t;

	dev.root[1] = &tables[0];
	dev.root[0] = &tables[1];
	out = rule(0, ENCRYPT | REFORMAT | COUNT | FWD, UDP_DPORT, 5001);
	out->reformat = &add4;
	to_table(out, 3);
	rule(3, ALLOW | COUNT, PROTOCOL, 50);
	in = rule(1, DECRYPT | REFORMAT | COUNT | MODHDR | FWD, PROTOCOL, 50);
	in->reformat = &del;
	in->modhdr = &mark;
	to_table(in, 2);
	auth = rule(2, DROP | COUNT, SYNDROME, 1);
	to_tir(rule(2, FWD, UDP_DPORT, 5001), 0);

	assert_int_equal(steer(true, &t), MODEL_TO_WIRE);
	clear = f;
	assert_int_equal(pkt.len, f.n + 34 + (-(30 + 2) & 3));
	assert_int_equal(octets(out), pkt.len);
	memmove(pkt.buf + MODEL_HEADROOM, pkt.data, pkt.len);
	f.n = pkt.len;
	model_pkt_init(&pkt, false);
	pkt.len = f.n;
	memcpy(f.b, pkt.data, pkt.len);
	model_pkt_parse(&pkt);
	assert_int_equal(model_steer(&dev, &pkt, &t), MODEL_TO_TIR);
	assert_int_equal(octets(in), clear.n);
	assert_memory_equal(pkt.data, clear.b, clear.n);
	assert_int_equal(pkt.reg_c[4], 0);

	model_pkt_init(&pkt, false);
	memcpy(pkt.data, f.b, f.n);
	pkt.data[f.n - 1] ^= 1;
	pkt.len = f.n;
	model_pkt_parse(&pkt);
	assert_int_equal(model_steer(&dev, &pkt, &t), MODEL_DROPPED);
	assert_int_equal(packets(auth), 1);
	assert_int_equal(packets(in), 2);
}

static void what_crypto_rules_drop(void **state)
{
	struct model_fte *out, *in;
	struct model_tir *t;

	dev.root[1] = &tables[0];
	dev.root[0] = &tables[1];
	out = rule(0, ENCRYPT | REFORMAT | FWD, 0, 0, 0);
	out->reformat = &add4;
	to_table(out, 3);
	slot.len = 0;
	assert_int_equal(steer(true, &t), MODEL_DROPPED);
	assert_int_equal(dev.drop[MODEL_DROP_TX_CRYPTO], 1);
	slot.len = 16;
	sa.next_sn = UINT64_C(1) << 32;
	assert_int_equal(steer(true, &t), MODEL_DROPPED);
	assert_int_equal(dev.drop[MODEL_DROP_TX_CRYPTO], 2);
	out->reformat = &del;
	assert_int_equal(steer(true, &t), MODEL_DROPPED);
	assert_int_equal(dev.drop[MODEL_DROP_TX_REFORMAT], 1);
	out->action = ENCRYPT | FWD;
	assert_int_equal(steer(true, &t), MODEL_DROPPED);
	assert_int_equal(dev.drop[MODEL_DROP_TX_CRYPTO], 3);
	out->action = REFORMAT | FWD;
	assert_int_equal(steer(true, &t), MODEL_DROPPED);
	assert_int_equal(dev.drop[MODEL_DROP_TX_REFORMAT], 2);

	in = rule(1, DECRYPT | REFORMAT | FWD, 0, 0, 0); /* takes what is not ESP */
	in->reformat = &del;
	to_tir(in, 0);
	assert_int_equal(steer(false, &t), MODEL_DROPPED);
	assert_int_equal(dev.drop[MODEL_DROP_RX_REFORMAT], 1);
	in->action = REFORMAT | FWD;
	assert_int_equal(steer(false, &t), MODEL_DROPPED);
	in->reformat = &add4;
	assert_int_equal(steer(false, &t), MODEL_DROPPED);
	assert_int_equal(dev.drop[MODEL_DROP_RX_REFORMAT], 3);
	in->action = COUNT; /* leads nowhere */
	assert_int_equal(steer(false, &t), MODEL_DROPPED);
	assert_int_equal(dev.drop[MODEL_DROP_RX_RULE], 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(no_root, setup, free_rules),
		cmocka_unit_test_setup_teardown(misses, setup, free_rules),
		cmocka_unit_test_setup_teardown(first_group_wins, setup, free_rules),
		cmocka_unit_test_setup_teardown(drop_counts_and_does_nothing_else, setup,
						free_rules),
		cmocka_unit_test_setup_teardown(endless_loop_is_cut, setup, free_rules),
		cmocka_unit_test_setup_teardown(several_destinations, setup, free_rules),
		cmocka_unit_test_setup_teardown(copies_are_bounded, setup, free_rules),
		cmocka_unit_test_setup_teardown(next_table_sees_registers, setup, free_rules),
		cmocka_unit_test_setup_teardown(source_queue_is_matched, setup, free_rules),
		cmocka_unit_test_setup_teardown(sa_both_ways, setup, free_rules),
		cmocka_unit_test_setup_teardown(what_crypto_rules_drop, setup, free_rules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
