// SPDX-License-Identifier: BSD-2-Clause
/*
 * Questions about keys: which forms of the commands are accepted, how long they take, whether several are done at a time.
 *
 * "Loaded" keys were written by MODIFY; nothing uses them, so the device's key cache may be emptier than with traffic.
 */
#include "keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	TLS = PRM_GENERAL_OBJECT_TYPE_ENCRYPTION_KEY_PURPOSE_TLS,
	IPSEC = PRM_GENERAL_OBJECT_TYPE_ENCRYPTION_KEY_PURPOSE_IPSEC,
};
enum { HEADER = 16, BODY = PRM_BYTES(create_encryption_key_in) - HEADER, BODY_SHORT = 256 };
enum { SYNC_ALL = 1 << 0 };
enum { LATENCIES = 200, SYNCS = 20, LOADS = 4096 };

const uint8_t measure_key[2 * KEY_BYTES] = "measure-key-0000measure-key-1111";

/* -- commands ----------------------------------------------------------------------------------------------- */

static uint8_t *begin(struct lab *lab, uint8_t *in, uint16_t opcode, uint8_t purpose)
{
	uint8_t *key = PRM_AT(create_encryption_key_in, in, encryption_key_object);

	memset(in, 0, LAB_MAILBOX);
	PRM_SET(general_obj_in_cmd_hdr, in, opcode, opcode);
	PRM_SET(general_obj_in_cmd_hdr, in, obj_type, PRM_GENERAL_OBJECT_TYPES_ENCRYPTION_KEY);
	PRM_SET(encryption_key_obj, key, key_purpose, purpose);
	PRM_SET(encryption_key_obj, key, pd, lab->dev->pd.id);
	return key;
}

/* A 128-bit key lies behind 16 bytes of zero. */
static void put_key(uint8_t *key, size_t bytes)
{
	PRM_SET(encryption_key_obj, key, key_size, bytes == 2 * KEY_BYTES);
	memcpy(PRM_AT(encryption_key_obj, key, key) + 2 * KEY_BYTES - bytes, measure_key, bytes);
}

static struct reply create(struct lab *lab, uint8_t *in, size_t inlen, struct bulk *bulk)
{
	uint8_t out[PRM_BYTES(general_obj_out_cmd_hdr)];
	struct reply r = lab_create(lab, in, inlen, out, sizeof(out), &bulk->obj);

	bulk->id = lab_accepted(r) ? (uint32_t)PRM_GET(general_obj_out_cmd_hdr, out, obj_id) : 0;
	return r;
}

struct reply keys_bulk(struct lab *lab, uint8_t purpose, uint8_t log, struct bulk *bulk)
{
	uint8_t in[LAB_MAILBOX];

	begin(lab, in, PRM_CMD_OP_CREATE_GENERAL_OBJECT, purpose);
	PRM_SET(general_obj_create_param, PRM_AT(general_obj_in_cmd_hdr, in, op_param),
		log_obj_range, log);
	*bulk = (struct bulk){.purpose = purpose, .log = log};
	return create(lab, in, sizeof(in), bulk);
}

struct reply keys_single(struct lab *lab, uint8_t purpose, size_t body, struct bulk *key)
{
	uint8_t in[LAB_MAILBOX];

	put_key(begin(lab, in, PRM_CMD_OP_CREATE_GENERAL_OBJECT, purpose), KEY_BYTES);
	*key = (struct bulk){.purpose = purpose};
	return create(lab, in, HEADER + body, key);
}

static void fill_load(struct lab *lab, const struct bulk *bulk, uint32_t id, uint32_t offset,
		      size_t bytes, uint8_t *in)
{
	uint8_t *key = begin(lab, in, PRM_CMD_OP_MODIFY_GENERAL_OBJECT, bulk->purpose);

	PRM_SET(general_obj_in_cmd_hdr, in, obj_id, id);
	PRM_SET(general_obj_query_param, PRM_AT(general_obj_in_cmd_hdr, in, op_param), obj_offset,
		offset);
	PRM_SET(encryption_key_obj, key, modify_field_select, 1);
	put_key(key, bytes);
}

struct reply keys_load(struct lab *lab, const struct bulk *bulk, uint32_t id, uint32_t offset,
		       size_t bytes)
{
	uint8_t in[LAB_MAILBOX], out[PRM_BYTES(general_obj_out_cmd_hdr)];

	fill_load(lab, bulk, id, offset, bytes, in);
	return lab_command(lab, PROV_CMD_MODIFY, bulk->obj, in, sizeof(in), out, sizeof(out));
}

static void fill_sync(uint8_t *in, uint16_t crypto_type)
{
	PRM_SET(sync_crypto_in, in, opcode, PRM_CMD_OP_SYNC_CRYPTO);
	PRM_SET(sync_crypto_in, in, crypto_type, crypto_type);
}

struct reply keys_sync(struct lab *lab, uint16_t crypto_type)
{
	uint8_t in[PRM_BYTES(sync_crypto_in)] = {0}, out[PRM_BYTES(sync_crypto_out)];

	fill_sync(in, crypto_type);
	return lab_command(lab, PROV_CMD_GENERAL, NULL, in, sizeof(in), out, sizeof(out));
}

/* Of the keys of questions that any key answers. */
static uint8_t purpose_of(const struct lab *lab)
{
	return obj_cap(lab->dev, OBJ_CAP_tls_tx) ? TLS : IPSEC;
}

/* -- which forms are accepted -------------------------------------------------------------------------------- */

static void body(struct lab *lab, struct answer *a)
{
	struct bulk key;

	if (!lab_has(lab, a, OBJ_CAP_encryption_key_object))
		return;
	lab_say(a, keys_single(lab, purpose_of(lab), BODY, &key), "512 bytes");
	lab_say(a, keys_single(lab, purpose_of(lab), BODY_SHORT, &key), "256 bytes");
}

static void sync_type(struct lab *lab, struct answer *a)
{
	if (!lab_has(lab, a, OBJ_CAP_synchronize_dek) || !lab_has(lab, a, OBJ_CAP_tls_tx))
		return;
	lab_say(a, keys_sync(lab, 1 << TLS), "0x2 (TLS, as the Linux driver says)");
	lab_say(a, keys_sync(lab, SYNC_ALL), "0x1 (all, or TLS as others say)");
}

/* Without room for two keys in a bulk there are no bulks. */
static bool small_bulk(struct lab *lab, struct answer *a, uint8_t purpose, struct bulk *bulk)
{
	return lab_has(lab, a, OBJ_CAP_encryption_key_object) &&
	       lab_has(lab, a, OBJ_CAP_log_dek_max_alloc) &&
	       lab_must(a, keys_bulk(lab, purpose, 1, bulk), "a bulk of two keys");
}

static void bulk_id(struct lab *lab, struct answer *a)
{
	struct bulk bulk;

	if (!small_bulk(lab, a, purpose_of(lab), &bulk))
		return;
	lab_say(a, keys_load(lab, &bulk, bulk.id, 1, KEY_BYTES), "base, offset 1");
	lab_say(a, keys_load(lab, &bulk, bulk.id + 1, 0, KEY_BYTES), "base + 1, offset 0");
	lab_say(a, keys_load(lab, &bulk, bulk.id, 2, KEY_BYTES), "offset behind the bulk");
}

static void bulk_ipsec(struct lab *lab, struct answer *a)
{
	struct bulk bulk;

	if (!lab_has(lab, a, OBJ_CAP_ipsec_offload) || !small_bulk(lab, a, IPSEC, &bulk))
		return;
	lab_say(a, keys_load(lab, &bulk, bulk.id, 1, KEY_BYTES), "load");
	lab_say(a, keys_sync(lab, 1 << IPSEC), "SYNC_CRYPTO 0x4");
	lab_say(a, keys_load(lab, &bulk, bulk.id, 1, KEY_BYTES), "load again");
}

static void key_size(struct lab *lab, struct answer *a)
{
	struct bulk bulk;

	if (!small_bulk(lab, a, purpose_of(lab), &bulk))
		return;
	lab_say(a, keys_load(lab, &bulk, bulk.id, 0, KEY_BYTES), "128 bits");
	lab_say(a, keys_load(lab, &bulk, bulk.id, 0, 2 * KEY_BYTES), "then 256");
	lab_say(a, keys_load(lab, &bulk, bulk.id, 0, KEY_BYTES), "then 128");
}

/* -- how long it takes ---------------------------------------------------------------------------------------- */

/* Loads for lab_burst(), and every `sync_every`-th command a SYNC_CRYPTO instead. */
struct loads {
	struct lab *lab;
	const struct bulk *bulk;
	unsigned int sync_every;
};

static void fill_burst(void *ctx, unsigned int i, struct prov_cmd *cmd)
{
	const struct loads *l = ctx;

	if (l->sync_every && i % l->sync_every == l->sync_every - 1) {
		fill_sync(cmd->in, (uint16_t)(1u << l->bulk->purpose));
		cmd->kind = PROV_CMD_GENERAL;
		cmd->inlen = PRM_BYTES(sync_crypto_in);
		return;
	}
	fill_load(l->lab, l->bulk, l->bulk->id, i & ((1u << l->bulk->log) - 1), KEY_BYTES, cmd->in);
	cmd->kind = PROV_CMD_MODIFY;
	cmd->obj = l->bulk->obj;
}

/* The largest bulk, but no more than 2^log keys. */
static bool big_bulk(struct lab *lab, struct answer *a, uint8_t log, struct bulk *bulk)
{
	uint64_t most = obj_cap(lab->dev, OBJ_CAP_log_dek_max_alloc);

	if (!lab_has(lab, a, OBJ_CAP_encryption_key_object) ||
	    !lab_has(lab, a, OBJ_CAP_log_dek_max_alloc))
		return false;
	return lab_must(a, keys_bulk(lab, purpose_of(lab), log < most ? log : (uint8_t)most, bulk),
			"a bulk");
}

static void load_rate(struct lab *lab, struct answer *a)
{
	static const unsigned int widths[] = {1, 8, 16};
	struct loads l = {.lab = lab};
	struct bulk bulk;
	struct reply last;

	if (!big_bulk(lab, a, 12, &bulk))
		return;
	l.bulk = &bulk;
	for (unsigned int i = 0; i < 3; i++) {
		uint64_t start = lab_now(lab), ns;
		unsigned int good = lab_burst(lab, LOADS, widths[i], fill_burst, &l, &last);

		ns = lab_now(lab) - start;
		answer_say(a, "%u in flight: %u of %d accepted", widths[i], good, LOADS);
		if (ns)
			answer_number(a, LOADS * 1e9 / (double)ns, "per s", "in_flight_%u",
				      widths[i]);
	}
}

static bool time_syncs(struct lab *lab, struct answer *a, const char *name)
{
	uint64_t ns[SYNCS];

	for (int i = 0; i < SYNCS; i++) {
		uint64_t start = lab_now(lab);

		if (!lab_must(a, keys_sync(lab, (uint16_t)(1u << purpose_of(lab))), "SYNC_CRYPTO"))
			return false;
		ns[i] = lab_now(lab) - start;
	}
	lab_spread(a, name, ns, SYNCS);
	return true;
}

/* Bring the number of loaded keys up to `want`. */
static bool load_up_to(struct lab *lab, struct answer *a, unsigned int *have, unsigned int want)
{
	struct bulk bulk;
	struct loads l = {.lab = lab, .bulk = &bulk};
	struct reply last;

	while (*have < want) {
		unsigned int todo = want - *have;

		if (!big_bulk(lab, a, 12, &bulk))
			return false;
		if (todo > 1u << bulk.log)
			todo = 1u << bulk.log;
		if (lab_burst(lab, todo, LAB_WIDTH, fill_burst, &l, &last) != todo)
			return lab_must(a, last, "a key");
		*have += todo;
	}
	return true;
}

/* Room for so many keys? */
static bool key_room(struct lab *lab, struct answer *a, unsigned int n)
{
	if (n < UINT64_C(1) << obj_cap(lab->dev, OBJ_CAP_log_max_num_deks))
		return true;
	answer_say(a, "%u keys: more than there are", n);
	return false;
}

static void sync_time(struct lab *lab, struct answer *a)
{
	static const unsigned int loaded[] = {0, 1000, 4000, 16000};
	unsigned int have = 0;
	char name[32];

	if (!lab_has(lab, a, OBJ_CAP_synchronize_dek) ||
	    !lab_has(lab, a, OBJ_CAP_log_dek_max_alloc))
		return;
	for (unsigned int i = 0; i < 4; i++) {
		if (!key_room(lab, a, loaded[i]))
			break;
		snprintf(name, sizeof(name), "loaded_%u", loaded[i]);
		if (!load_up_to(lab, a, &have, loaded[i]) || !time_syncs(lab, a, name))
			return;
		answer_say(a, "%u keys loaded: %d accepted", loaded[i], SYNCS);
	}
}

/* Other commands with and without a SYNC_CRYPTO among every sixteen: what one costs them. */
static void sync_among(struct lab *lab, struct answer *a)
{
	struct loads l = {.lab = lab};
	struct bulk bulk;
	struct reply last;

	if (!lab_has(lab, a, OBJ_CAP_synchronize_dek) || !big_bulk(lab, a, 12, &bulk))
		return;
	l.bulk = &bulk;
	for (int with = 0; with < 2; with++) {
		uint64_t start = lab_now(lab), ns;
		unsigned int good;

		l.sync_every = with ? LAB_WIDTH : 0;
		good = lab_burst(lab, LOADS, LAB_WIDTH, fill_burst, &l, &last);
		ns = lab_now(lab) - start;
		answer_say(a, "%s SYNC_CRYPTO among them: %u of %d accepted",
			   with ? "with" : "without", good, LOADS);
		answer_number(a, (double)ns / 1e3, "us", "%s_sync", with ? "with" : "without");
	}
}

/* -- latencies -------------------------------------------------------------------------------------------------- */

static struct reply make_tis(struct lab *lab)
{
	uint8_t in[PRM_BYTES(create_tis_in)] = {0}, out[PRM_BYTES(create_tis_out)];
	uint8_t *tisc = PRM_AT(create_tis_in, in, ctx);

	PRM_SET(create_tis_in, in, opcode, PRM_CMD_OP_CREATE_TIS);
	PRM_SET(tisc, tisc, tls_en, obj_cap(lab->dev, OBJ_CAP_tls_tx));
	PRM_SET(tisc, tisc, transport_domain, lab->dev->td.id);
	PRM_SET(tisc, tisc, pd, obj_cap(lab->dev, OBJ_CAP_tls_tx) ? lab->dev->pd.id : 0);
	return lab_create(lab, in, sizeof(in), out, sizeof(out), NULL);
}

static struct reply make_key(struct lab *lab)
{
	struct bulk key;

	return keys_single(lab, purpose_of(lab), BODY, &key);
}

static void time_pair(struct lab *lab, struct answer *a, struct reply (*make)(struct lab *),
		      const char *name)
{
	uint64_t made[LATENCIES], destroyed[LATENCIES];
	char text[32];

	for (int i = 0; i < LATENCIES; i++) {
		uint64_t start = lab_now(lab);

		if (!lab_must(a, make(lab), name))
			return;
		made[i] = lab_now(lab) - start;
		start = lab_now(lab);
		if (!lab_must(a, lab_destroy_newest(lab), name))
			return;
		destroyed[i] = lab_now(lab) - start;
	}
	snprintf(text, sizeof(text), "%s_create", name);
	lab_spread(a, text, made, LATENCIES);
	snprintf(text, sizeof(text), "%s_destroy", name);
	lab_spread(a, text, destroyed, LATENCIES);
	answer_say(a, "%s: %d made and destroyed", name, LATENCIES);
}

static void time_loads(struct lab *lab, struct answer *a)
{
	uint64_t ns[LATENCIES];
	struct bulk key;

	if (!lab_must(a, keys_single(lab, purpose_of(lab), BODY, &key), "a key"))
		return;
	for (int i = 0; i < LATENCIES; i++) {
		uint64_t start = lab_now(lab);

		if (!lab_must(a, keys_load(lab, &key, key.id, 0, KEY_BYTES), "load"))
			return;
		ns[i] = lab_now(lab) - start;
	}
	lab_spread(a, "key_modify", ns, LATENCIES);
	answer_say(a, "key: %d times modified", LATENCIES);
}

static void latencies(struct lab *lab, struct answer *a)
{
	time_pair(lab, a, make_tis, "tis");
	if (!obj_cap(lab->dev, OBJ_CAP_encryption_key_object)) {
		answer_say(a, "key: the device has none");
		return;
	}
	time_pair(lab, a, make_key, "key");
	time_loads(lab, a);
}

const struct question questions_keys[] = {
	{"key-body", "Does the key command take objects of 512 and of 256 bytes?", body},
	{"sync-type", "Which crypto_type does SYNC_CRYPTO take for keys of TLS?", sync_type},
	{"bulk-id", "How is a key of a bulk named: by base and offset, or by its number?", bulk_id},
	{"bulk-ipsec", "Can a key of a bulk for IPsec be loaded, and loaded again?", bulk_ipsec},
	{"key-size", "May the size of a key change from one use of its slot to the next?",
	 key_size},
	{"latency", "How long do single commands take: TIS, key, key written again?", latencies},
	{"load-rate",
	 "How many keys can be written per second with 1, 8 and 16 commands in flight?", load_rate},
	{"sync-time", "How long does SYNC_CRYPTO take with 0, 1,000, 4,000 and 16,000 keys loaded?",
	 sync_time},
	{"sync-among", "What does one SYNC_CRYPTO in sixteen commands cost the others?",
	 sync_among},
	{0},
};
