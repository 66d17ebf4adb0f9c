// SPDX-License-Identifier: BSD-2-Clause
#include "tests/lib/two_nics.h"
#include "tests/lib/test_device.h"

#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { IP4_SRC = 12, IP4_DST = 16, IP6_SRC = 8, IP6_DST = 24 };

/* "mlx5_0 mlx5_1": devices to use instead of models, whose wires are joined. NULL: models. */
static const char *foreign(void)
{
	return getenv("MLXO_TEST_DEVICES");
}

static void device_name(char name[256], int side, const char *pair, const char *options)
{
	char first[64], second[64];

	if (!foreign()) {
		snprintf(name, 256, "model:port=pair:%s%s", pair, options);
		return;
	}
	if (*options)
		skip(); /* they are the model's */
	assert_int_equal(sscanf(foreign(), "%63s %63s", first, second), 2);
	snprintf(name, 256, "%s", side == LEFT ? first : second);
}

static void open_side(struct two_nics *t, int side, const char *pair, const char *options)
{
	struct nic_side *s = &t->side[side];
	struct mlxo_ipsec_opts opts = {.size = sizeof(opts), .rx_all = true};
	/* small rings: fault tests open hundreds of devices */
	struct mlxo_channel_opts rings = {
		.size = sizeof(rings), .sq_entries = 64, .rq_entries = 64};
	char name[256];

	device_name(name, side, pair, options);
	assert_int_equal(test_device_open(name, &s->dev), 0);
	assert_int_equal(mlxo_channel_create(s->dev, &rings, &s->channel), 0);
	opts.channel = s->channel;
	assert_int_equal(mlxo_ipsec_open(s->dev, &opts, &s->ipsec), 0);
}

static void stop_listening(struct two_nics *t);

void two_nics_open(struct two_nics *t, const char *left, const char *right)
{
	static unsigned int n;
	char pair[32];

	memset(t, 0, sizeof(*t));
	t->family = AF_INET;
	snprintf(pair, sizeof(pair), "two%u.%u", (unsigned int)getpid(), n++);
	open_side(t, LEFT, pair, left);
	open_side(t, RIGHT, pair, right);
}

void two_nics_close(struct two_nics *t)
{
	stop_listening(t);
	for (int i = LEFT; i <= RIGHT; i++) {
		mlxo_ipsec_close(t->side[i].ipsec);
		mlxo_channel_destroy(t->side[i].channel);
		mlxo_device_close(t->side[i].dev);
	}
}

int two_nics_setup(void **state)
{
	static struct two_nics t;

	two_nics_open(&t, "", "");
	*state = &t;
	return 0;
}

int two_nics_teardown(void **state)
{
	two_nics_close(*state);
	return 0;
}

struct mlxo_addr two_nics_addr(const struct two_nics *t, int side)
{
	struct mlxo_addr a = {.family = (uint16_t)t->family};

	if (t->family == AF_INET6)
		memcpy(a.bytes, side == LEFT ? frame_src6 : frame_dst6, 16);
	else
		memcpy(a.bytes, side == LEFT ? frame_src4 : frame_dst4, 4);
	return a;
}

static struct mlxo_secret *counting_key(size_t len)
{
	uint8_t bytes[MLXO_SECRET_MAX];
	struct mlxo_secret *key;

	for (size_t i = 0; i < len; i++)
		bytes[i] = (uint8_t)(i + 1);
	key = mlxo_secret_new(bytes, len);
	assert_non_null(key);
	return key;
}

struct mlxo_ipsec_sa_params two_nics_sa_with_key(const struct two_nics *t, int from,
						 enum mlxo_ipsec_dir dir, struct mlxo_secret *key)
{
	return (struct mlxo_ipsec_sa_params){.size = sizeof(struct mlxo_ipsec_sa_params),
					     .src = two_nics_addr(t, from),
					     .dst = two_nics_addr(t, !from),
					     .spi = 0x1000,
					     .reqid = 7,
					     .dir = dir,
					     .offload = MLXO_IPSEC_PACKET,
					     .aead = "rfc4106(gcm(aes))",
					     .key = key,
					     .icv_bits = 128};
}

struct mlxo_ipsec_sa_params two_nics_sa(const struct two_nics *t, int from, enum mlxo_ipsec_dir dir,
					size_t key_len)
{
	return two_nics_sa_with_key(t, from, dir, counting_key(key_len));
}

struct mlxo_ipsec_policy_params two_nics_policy(const struct two_nics *t, int from,
						enum mlxo_ipsec_dir dir)
{
	uint8_t bits = t->family == AF_INET6 ? 128 : 32;

	return (struct mlxo_ipsec_policy_params){.size = sizeof(struct mlxo_ipsec_policy_params),
						 .dir = dir,
						 .sel = {.src = two_nics_addr(t, from),
							 .dst = two_nics_addr(t, !from),
							 .src_prefixlen = bits,
							 .dst_prefixlen = bits},
						 .ntmpl = 1,
						 .tmpl = {.reqid = 7},
						 .offload = MLXO_IPSEC_PACKET};
}

static void protect_side(struct two_nics *t, int side, uint8_t proto)
{
	struct nic_side *s = &t->side[side];
	struct mlxo_ipsec_sa_params out = two_nics_sa(t, side, MLXO_IPSEC_OUT, 20);
	struct mlxo_ipsec_sa_params in = two_nics_sa(t, !side, MLXO_IPSEC_IN, 20);
	struct mlxo_ipsec_policy_params pout = two_nics_policy(t, side, MLXO_IPSEC_OUT);
	struct mlxo_ipsec_policy_params pin = two_nics_policy(t, !side, MLXO_IPSEC_IN);

	pout.sel.proto = pin.sel.proto = proto;
	assert_int_equal(mlxo_ipsec_sa_add(s->ipsec, &out, &s->out), 0);
	assert_int_equal(mlxo_ipsec_sa_add(s->ipsec, &in, &s->in), 0);
	assert_int_equal(mlxo_ipsec_policy_add(s->ipsec, &pout, &s->policy_out), 0);
	assert_int_equal(mlxo_ipsec_policy_add(s->ipsec, &pin, &s->policy_in), 0);
	mlxo_secret_destroy(out.key);
	mlxo_secret_destroy(in.key);
}

void two_nics_protect(struct two_nics *t, uint8_t proto)
{
	protect_side(t, LEFT, proto);
	protect_side(t, RIGHT, proto);
}

/* Sums do not change when source and destination are swapped, so checksums stay right. */
static void swap(uint8_t *a, uint8_t *b, size_t n)
{
	uint8_t c[16];

	memcpy(c, a, n);
	memcpy(a, b, n);
	memcpy(b, c, n);
}

void two_nics_frame(struct two_nics *t, int from, uint8_t proto, uint16_t sport, uint16_t dport,
		    size_t n)
{
	struct frame *f = &t->sent;

	frame_eth(f, t->family == AF_INET6 ? 0x86dd : 0x0800);
	if (t->family == AF_INET6)
		frame_ipv6(f, proto);
	else
		frame_ipv4(f, proto, 0);
	if (proto == IPPROTO_TCP)
		frame_tcp(f, sport, dport);
	else if (proto == IPPROTO_UDP)
		frame_udp(f, sport, dport);
	frame_pattern(f, n);
	frame_end(f);
	if (from == RIGHT && t->family == AF_INET6)
		swap(f->b + f->l3 + IP6_SRC, f->b + f->l3 + IP6_DST, 16);
	else if (from == RIGHT)
		swap(f->b + f->l3 + IP4_SRC, f->b + f->l3 + IP4_DST, 4);
}

void two_nics_post(struct two_nics *t, int from, const struct frame *f)
{
	struct iovec iov = {.iov_base = (void *)(uintptr_t)f->b, .iov_len = f->n};

	assert_int_equal(mlxo_channel_send(t->side[from].channel, &iov, 1, 0), 0);
	mlxo_channel_flush(t->side[from].channel);
}

void two_nics_send(struct two_nics *t, int from, uint8_t proto, uint16_t sport, uint16_t dport,
		   size_t n)
{
	two_nics_frame(t, from, proto, sport, dport, n);
	two_nics_post(t, from, &t->sent);
}

/* A rule of its own, straight from the root to the channel. */
void two_nics_listen(struct two_nics *t, int side)
{
	struct nic_side *s = &t->side[side];
	struct steer_actions to_channel = {.tir = queue_channel_tir(s->channel)};
	struct steer_table_attr attr = {.dir = PROV_RX, .level = 1, .log_size = 0};
	struct steer_match all;

	mlxo_ipsec_close(s->ipsec);
	s->ipsec = NULL;
	steer_match_init(&all);
	assert_int_equal(steer_table_create(s->dev, &attr, &t->raw.table), 0);
	assert_int_equal(steer_group_create(&t->raw.table, 0, 0, &all, &t->raw.group), 0);
	assert_int_equal(
		steer_rule_add(&t->raw.group, STEER_INDEX_ANY, &all, &to_channel, &t->raw.rule), 0);
	assert_int_equal(steer_table_attach(&t->raw.table, 0, NULL, &t->raw.attachment), 0);
}

static void stop_listening(struct two_nics *t)
{
	steer_table_detach(&t->raw.attachment);
	steer_rule_del(&t->raw.rule);
	steer_group_destroy(&t->raw.group);
	steer_table_destroy(&t->raw.table);
}

/* An ARP frame, which no policy stops, with a number that no other has. */
static size_t make_marker(uint8_t frame[60], uint32_t number)
{
	static const uint8_t head[] = "\xff\xff\xff\xff\xff\xff\x02\0\0\0\0\x77\x08\x06marker";

	memset(frame, 0, 60);
	memcpy(frame, head, sizeof(head) - 1);
	memcpy(frame + sizeof(head), &number, sizeof(number));
	return 60;
}

static uint32_t markers; /* sent so far */
static bool marker_seen;

static bool is_marker(const struct mlxo_rx_frame *f)
{
	uint8_t last[60], any[60];
	size_t n = make_marker(last, markers);

	make_marker(any, 0);
	if (f->len < n || memcmp(f->data, any, 20) != 0)
		return false;
	marker_seen |= memcmp(f->data, last, n) == 0;
	return true;
}

static void take(void *ctx, const struct mlxo_rx_frame *f)
{
	struct two_nics *t = ctx;

	if (foreign() && is_marker(f))
		return;
	assert_true(f->len <= sizeof(t->last.data));
	memcpy(t->last.data, f->data, f->len);
	t->last.len = f->len;
	t->taken++;
}

static void ignore(void *ctx, const struct mlxo_rx_frame *f)
{
	(void)ctx;
	(void)f;
}

/*
 * Not a model of ours: frames come when they come. One more is sent behind them, and when it is there, they are. A
 * receiver that is not led anything waits in vain: no longer than this.
 */
static int receive_foreign(struct two_nics *t, int side)
{
	enum { IN_VAIN_MS = 1000 };
	struct mlxo_channel *from = t->side[!side].channel, *to = t->side[side].channel;
	uint8_t frame[60];
	struct iovec iov = {.iov_base = frame, .iov_len = make_marker(frame, ++markers)};

	t->taken = 0;
	marker_seen = mlxo_channel_send(from, &iov, 1, 0) != 0;
	mlxo_channel_flush(from);
	for (int ms = 0; !marker_seen && ms < IN_VAIN_MS; ms++) {
		mlxo_channel_poll(from, 64, ignore, t);
		if (mlxo_channel_poll(to, 64, take, t) <= 0)
			mlxo_device_wait(t->side[side].dev, 1);
	}
	return t->taken;
}

int two_nics_receive(struct two_nics *t, int side)
{
	int got = 0;

	if (foreign())
		return receive_foreign(t, side);
	for (int quiet = 0; quiet < 3; quiet++) {
		for (int i = LEFT; i <= RIGHT; i++)
			while (mlxo_device_progress(t->side[i].dev) > 0)
				quiet = 0;
		got += mlxo_channel_poll(t->side[side].channel, 64, take, t);
		mlxo_channel_poll(t->side[!side].channel, 64, ignore, t);
	}
	return got;
}

static const struct mlxo_stat *find(const struct mlxo_stat *s, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(s[i].name, name) == 0)
			return &s[i];
	return NULL;
}

uint64_t two_nics_ipsec_stat(struct two_nics *t, int side, const char *name)
{
	const struct mlxo_stat *found;
	struct mlxo_stat *s;
	uint64_t value;
	size_t n;

	if (foreign() && strcmp(name, "rx_drop_no_channel") == 0)
		skip(); /* the markers are dropped, too */
	assert_int_equal(mlxo_ipsec_stats(t->side[side].ipsec, &s, &n), 0);
	found = find(s, n, name);
	assert_non_null(found);
	value = found->value;
	free(s);
	return value;
}

uint64_t two_nics_model_stat(struct two_nics *t, int side, const char *name)
{
	const struct mlxo_stat *found;
	struct mlxo_stat *s;
	uint64_t value;
	size_t n;

	if (foreign())
		skip();
	assert_int_equal(mlxo_model_stats(t->side[side].dev, &s, &n), 0);
	found = find(s, n, name);
	value = found ? found->value : 0;
	free(s);
	return value;
}

uint64_t two_nics_census(struct mlxo_device *dev)
{
	struct mlxo_stat *s;
	uint64_t sum = 0;
	size_t n;

	if (foreign())
		return 0;
	if (mlxo_model_census(dev, &s, &n)) /* a test may let one allocation fail */
		assert_int_equal(mlxo_model_census(dev, &s, &n), 0);
	for (size_t i = 0; i < n; i++)
		sum += s[i].value;
	free(s);
	return sum;
}
