// SPDX-License-Identifier: BSD-2-Clause
/*
 * Arbitrary frames from the wire, on a model with rules of every kind: decryption, header rewrite, matches on tags,
 * fragments, ports and syndromes. Nothing may be read or written outside of the frame.
 *
 * Input: byte 0 what to do with the rest. 0: it is the frame. 1, 2: it is the clear text of an ESP packet over IPv4 or
 * IPv6, sealed here with the right key, so that mutations reach the trailer and the inner packet.
 */
#include <openssl/evp.h>
#include <string.h>

#include "lib/frames.h"
#include "lib/raw.h"
#include "providers/model/model.h"

enum { RX = PRM_FLOW_TABLE_TYPE_NIC_RX, RX_BYTES = 10240, MAX_BYTES = 9000 };
enum {
	FWD = PRM_FLOW_CONTEXT_ACTION_FWD_DEST,
	DROP = PRM_FLOW_CONTEXT_ACTION_DROP,
	COUNT = PRM_FLOW_CONTEXT_ACTION_COUNT,
	DECRYPT = PRM_FLOW_CONTEXT_ACTION_CRYPTO_DECRYPT,
	MODHDR = PRM_FLOW_CONTEXT_ACTION_MOD_HDR,
};

static const uint8_t key[16] = {1, 2, 3}, salt[4] = {0xf4, 0xf3, 0xf2, 0xf1};

static struct raw r;
static struct raw_rq rq;
static struct model_dev far; /* the other end of the wire: only its port is used */
static struct model_port *wire;
static uint8_t mask[512], value[512];

#define MATCH(section, layout, field, v) \
	do { \
		PRM_SET(layout, PRM_AT(fte_match_param, mask, section), field, UINT64_MAX); \
		PRM_SET(layout, PRM_AT(fte_match_param, value, section), field, (v)); \
	} while (0)

static void add(const struct raw_table *t, uint32_t index, struct raw_rule rule)
{
	rule.mask = mask;
	rule.value = value;
	raw_rule(&r, t, index, &rule);
	memset(mask, 0, sizeof(mask));
	memset(value, 0, sizeof(value));
}

/* First table: rewrite what is not ESP, open what is. */
static void first_table(const struct raw_table *t, const struct raw_table *next)
{
	static const struct {
		uint16_t field;
		uint8_t proto;
	} rewrites[] = {
		{PRM_ACTION_IN_FIELD_OUT_DIPV4, 6},
		{PRM_ACTION_IN_FIELD_OUT_SIPV6_31_0, 17},
		{PRM_ACTION_IN_FIELD_OUT_TCP_SEQ_NUM, 58},
		{PRM_ACTION_IN_FIELD_OUT_DIPV6_127_96, 1},
	};
	struct raw_rule open = {
		.action = FWD | DECRYPT | PRM_FLOW_CONTEXT_ACTION_PACKET_REFORMAT,
		.enable = 2,
		.to_table = next,
		.ipsec = raw_ipsec(&r, raw_dek(&r, key, 16, NULL), false, 0),
		.reformat = raw_reformat(&r, PRM_REFORMAT_TYPE_DEL_ESP_TRANSPORT, NULL, 0),
	};

	MATCH(misc_parameters, fte_match_set_misc, outer_esp_spi, 0x100);
	add(t, 0, open);
	MATCH(outer_headers, fte_match_set_lyr_2_4, frag, 1);
	add(t, 1, (struct raw_rule){.action = DROP, .enable = 1});
	for (unsigned int i = 0; i < 4; i++) {
		MATCH(outer_headers, fte_match_set_lyr_2_4, ip_protocol, rewrites[i].proto);
		add(t, 2 + i,
		    (struct raw_rule){.action = FWD | MODHDR,
				      .enable = 1,
				      .to_table = next,
				      .modhdr = raw_modhdr(&r, RX, rewrites[i].field, 0x0a0b0c0d)});
	}
	MATCH(outer_headers, fte_match_set_lyr_2_4, ethertype, 0x0806);
	add(t, 6,
	    (struct raw_rule){
		    .action = FWD, .enable = 1, .to_tir = rq.tirn, .copy_to_tir = rq.tirn});
	MATCH(outer_headers, fte_match_set_lyr_2_4, ethertype, 0x88b5);
	add(t, 7,
	    (struct raw_rule){
		    .action = FWD | DECRYPT, .enable = 1, .ipsec = open.ipsec, .to_table = next});
	add(t, 8, (struct raw_rule){.action = FWD, .to_table = next});
}

static void second_table(const struct raw_table *t)
{
	struct raw_rule to_rq = {.action = FWD, .to_tir = rq.tirn, .flow_tag = 5};
	struct prov_obj *counter;

	MATCH(misc_parameters_2, fte_match_set_misc2, ipsec_syndrome, 1);
	add(t, 0, (struct raw_rule){.action = DROP, .enable = 8});
	MATCH(misc_parameters_2, fte_match_set_misc2, ipsec_syndrome, 2);
	add(t, 1, (struct raw_rule){.action = DROP, .enable = 8});
	MATCH(outer_headers, fte_match_set_lyr_2_4, cvlan_tag, 1);
	MATCH(outer_headers, fte_match_set_lyr_2_4, first_vid, 7);
	add(t, 2,
	    (struct raw_rule){.action = DROP | COUNT,
			      .enable = 1,
			      .counter = raw_counter(&r, &counter),
			      .has_counter = true});
	MATCH(misc_parameters_3, fte_match_set_misc3, icmpv6_type, 135);
	to_rq.enable = 16;
	add(t, 3, to_rq);
	to_rq.enable = 0;
	add(t, 4, to_rq);
}

static void start(void)
{
	struct raw_table first, second;
	char why[256];

	raw_open(&r, "model:port=pair:fuzz-frame");
	far.profile.mtu = UINT16_MAX;
	model_port_open(&far, "pair:fuzz-frame", &wire, why, sizeof(why));
	raw_rq(&r, &rq, 4, 5);
	first = raw_table(&r, RX, 1);
	second = raw_table(&r, RX, 2);
	first_table(&first, &second);
	second_table(&second);
	raw_attach(&r, &first, NULL);
}

/* Ethernet, IP, ESP around the clear text. */
static void seal(struct frame *f, bool v6, const uint8_t *clear, size_t n)
{
	static uint64_t sn;
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
	uint8_t nonce[12], tag[16];
	int len;

	frame_eth(f, v6 ? 0x86dd : 0x0800);
	if (v6)
		frame_ipv6(f, 50);
	else
		frame_ipv4(f, 50, 0);
	frame_put32(f, 0x100);
	frame_put32(f, (uint32_t)++sn);
	frame_put32(f, 0);
	frame_put32(f, (uint32_t)sn);
	memcpy(nonce, salt, 4);
	memcpy(nonce + 4, f->b + f->n - 8, 8);
	EVP_EncryptInit_ex(c, EVP_aes_128_gcm(), NULL, key, nonce);
	EVP_EncryptUpdate(c, NULL, &len, f->b + f->l4, 8);
	EVP_EncryptUpdate(c, f->b + f->n, &len, clear, (int)n);
	f->n += n;
	EVP_EncryptFinal_ex(c, tag, &len);
	EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, 16, tag);
	EVP_CIPHER_CTX_free(c);
	frame_put(f, tag, 16);
	frame_end(f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct frame f;

	if (!r.dev)
		start();
	if (size < 1 + 14 || size > MAX_BYTES)
		return 0;
	if (data[0] == 1 || data[0] == 2) {
		seal(&f, data[0] == 2, data + 1, size - 1);
	} else {
		memcpy(f.b, data + 1, size - 1);
		f.n = size - 1;
	}
	if (rq.pi - rq.cq.ci < 4)
		raw_post_rx(&r, &rq, (size_t)(rq.pi % 16) * RX_BYTES, RX_BYTES);
	model_port_send(wire, f.b, f.n);
	while (r.ops->progress(r.dev))
		;
	while (raw_poll(&rq.cq))
		;
	return 0;
}
