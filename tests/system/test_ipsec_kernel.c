// SPDX-License-Identifier: BSD-2-Clause
/*
 * ESP that is not ours: on a port that is shared with the kernel it goes on to the kernel by a steering anchor, as it
 * came. The kernel is played by a rule of the root with a later priority:
 *
 *	wire ─▶ root ─0─▶ the service ─┬─▶ channel		 what its SAs are for
 *		  │		       └─▶ anchor ─┐
 *		  └─5─◀────────────────────────────┘ ─▶ "kernel"
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <netinet/in.h>
#include <string.h>

#include "tests/lib/test_device.h"
#include "tests/lib/two_nics.h"

enum { LATER = 5, IP = 14 };

/* The right side's kernel. */
static struct {
	struct mlxo_channel *channel;
	struct steer_table table;
	struct steer_group group;
	struct steer_rule rule;
	struct steer_attachment at;
	uint8_t data[2048];
	size_t len;
	int taken;
} kernel;

static void take(void *ctx, const struct mlxo_rx_frame *f)
{
	(void)ctx;
	assert_true(f->len <= sizeof(kernel.data));
	memcpy(kernel.data, f->data, f->len);
	kernel.len = f->len;
	kernel.taken++;
}

static void begin_kernel(struct mlxo_device *dev)
{
	struct mlxo_channel_opts rings = {
		.size = sizeof(rings), .sq_entries = 64, .rq_entries = 64};
	struct steer_table_attr attr = {.dir = PROV_RX, .level = 60, .log_size = 0};
	struct steer_actions deliver = {0};
	struct steer_match all;

	memset(&kernel, 0, sizeof(kernel));
	assert_int_equal(mlxo_channel_create(dev, &rings, &kernel.channel), 0);
	deliver.tir = queue_channel_tir(kernel.channel);
	steer_match_init(&all);
	assert_int_equal(steer_table_create(dev, &attr, &kernel.table), 0);
	assert_int_equal(steer_group_create(&kernel.table, 0, 0, &all, &kernel.group), 0);
	assert_int_equal(steer_rule_add(&kernel.group, 0, &all, &deliver, &kernel.rule), 0);
	assert_int_equal(steer_table_attach(&kernel.table, LATER, NULL, &kernel.at), 0);
}

static void end_kernel(void)
{
	assert_int_equal(steer_table_detach(&kernel.at), 0);
	assert_int_equal(steer_rule_del(&kernel.rule), 0);
	assert_int_equal(steer_group_destroy(&kernel.group), 0);
	assert_int_equal(steer_table_destroy(&kernel.table), 0);
	mlxo_channel_destroy(kernel.channel);
}

/* The right side shares its port; the left one sends frames as they are. */
static void begin(struct two_nics *t, bool esp_all)
{
	struct mlxo_ipsec_opts opts = {.size = sizeof(opts), .esp_all = esp_all};

	two_nics_open(t, "", "");
	mlxo_ipsec_close(t->side[RIGHT].ipsec);
	opts.channel = t->side[RIGHT].channel;
	assert_int_equal(mlxo_ipsec_open(t->side[RIGHT].dev, &opts, &t->side[RIGHT].ipsec), 0);
	begin_kernel(t->side[RIGHT].dev);
}

static void end(struct two_nics *t)
{
	end_kernel();
	two_nics_close(t);
}

/* An ESP packet as another sender would make it: SPI, sequence number, and bytes that nobody here decrypts. */
static void send_esp(struct two_nics *t, uint32_t spi, uint16_t frag)
{
	struct frame *f = &t->sent;

	frame_eth(f, 0x0800);
	frame_ipv4(f, /* ESP */ 50, 0);
	f->b[IP + 6] = (uint8_t)(frag >> 8);
	f->b[IP + 7] = (uint8_t)frag;
	frame_put32(f, spi);
	frame_put32(f, 1);
	frame_pattern(f, 60);
	frame_end(f);
	two_nics_post(t, LEFT, f);
}

/* How many the service's channel got; kernel.taken has the others. */
static int receive(struct two_nics *t)
{
	int n = two_nics_receive(t, RIGHT);

	mlxo_channel_poll(kernel.channel, 64, take, NULL);
	return n;
}

static void kernel_got_what_was_sent(const struct two_nics *t, int n)
{
	assert_int_equal(kernel.taken, n);
	assert_int_equal(kernel.len, t->sent.n);
	assert_memory_equal(kernel.data, t->sent.b, kernel.len);
}

static uint64_t count(struct two_nics *t, const char *name)
{
	return two_nics_ipsec_stat(t, RIGHT, name);
}

static void foreign_esp_goes_on(void **state)
{
	struct mlxo_ipsec_sa_params p;
	struct two_nics t;

	(void)state;
	begin(&t, false);
	p = two_nics_sa(&t, LEFT, MLXO_IPSEC_IN, 20);
	assert_int_equal(mlxo_ipsec_sa_add(t.side[RIGHT].ipsec, &p, NULL), 0);
	mlxo_secret_destroy(p.key);
	send_esp(&t, p.spi + 1, 0);
	assert_int_equal(receive(&t), 0);
	kernel_got_what_was_sent(&t, 1);
	send_esp(&t, p.spi, 0x2000); /* a fragment: the kernel may reassemble it */
	assert_int_equal(receive(&t), 0);
	kernel_got_what_was_sent(&t, 2);
	assert_int_equal(count(&t, "rx_to_kernel"), 2);
	assert_int_equal(count(&t, "rx_drop_no_sa") + count(&t, "rx_drop_fragment"), 0);
	end(&t);
}

static void own_esp_stays(void **state)
{
	struct two_nics t;

	(void)state;
	begin(&t, false);
	two_nics_protect(&t, 0);
	two_nics_send(&t, LEFT, IPPROTO_UDP, 1, 2, 10);
	assert_int_equal(receive(&t), 1);
	assert_int_equal(t.last.len, t.sent.n);
	assert_memory_equal(t.last.data, t.sent.b, t.last.len);
	assert_int_equal(kernel.taken, 0);
	assert_int_equal(count(&t, "rx_to_kernel"), 0);

	/* without its SA it is as foreign as any other */
	assert_int_equal(mlxo_ipsec_sa_del(t.side[RIGHT].in), 0);
	two_nics_send(&t, LEFT, IPPROTO_UDP, 1, 2, 10);
	assert_int_equal(receive(&t), 0);
	assert_int_equal(kernel.taken, 1);
	assert_int_equal(kernel.data[IP + 9], 50);
	assert_int_equal(count(&t, "rx_to_kernel"), 1);
	end(&t);
}

/* What was never ESP does not even come by. */
static void the_rest_is_the_kernels(void **state)
{
	struct two_nics t;

	(void)state;
	begin(&t, false);
	two_nics_send(&t, LEFT, IPPROTO_UDP, 1, 2, 10);
	assert_int_equal(receive(&t), 0);
	kernel_got_what_was_sent(&t, 1);
	assert_int_equal(count(&t, "rx_to_kernel"), 0);
	end(&t);
}

static void owned_esp_is_dropped(void **state)
{
	struct two_nics t;

	(void)state;
	begin(&t, true);
	send_esp(&t, 0x7777, 0);
	send_esp(&t, 0x7777, 0x2000);
	assert_int_equal(receive(&t), 0);
	assert_int_equal(kernel.taken, 0);
	assert_int_equal(count(&t, "rx_drop_no_sa"), 1);
	assert_int_equal(count(&t, "rx_drop_fragment"), 1);
	assert_int_equal(count(&t, "rx_to_kernel"), 0);
	end(&t);
}

/* An anchor of our own priority leads to ourselves: packets go round until the card gives up, and are counted. */
static void an_anchor_before_us_goes_round(void **state)
{
	struct steer_table_attr attr = {.dir = PROV_RX, .level = 2, .log_size = 0};
	struct steer_actions back = {0};
	struct steer_attachment at;
	struct steer_anchor anchor;
	struct steer_table table;
	struct steer_group group;
	struct steer_match all;
	struct steer_rule rule;
	struct two_nics t;
	struct mlxo_device *dev;

	(void)state;
	begin(&t, false);
	dev = t.side[RIGHT].dev;
	steer_match_init(&all);
	assert_int_equal(steer_anchor_create(dev, 2, &anchor), 0);
	back.anchor = &anchor;
	assert_int_equal(steer_table_create(dev, &attr, &table), 0);
	assert_int_equal(steer_group_create(&table, 0, 0, &all, &group), 0);
	assert_int_equal(steer_rule_add(&group, 0, &all, &back, &rule), 0);
	assert_int_not_equal(steer_anchor_destroy(&anchor), 0); /* a rule leads there */
	for (unsigned int priority = 1; priority <= 2; priority++) {
		assert_int_equal(steer_table_attach(&table, priority, NULL, &at), 0);
		two_nics_send(&t, LEFT, IPPROTO_UDP, 1, 2, 10);
		assert_int_equal(receive(&t), 0);
		assert_int_equal(kernel.taken, 1); /* by way of 1; not of 2 */
		assert_int_equal(two_nics_model_stat(&t, RIGHT, "rx_hops"), priority == 2);
		assert_int_equal(steer_table_detach(&at), 0);
	}
	assert_int_equal(steer_rule_del(&rule), 0);
	assert_int_equal(steer_group_destroy(&group), 0);
	assert_int_equal(steer_table_destroy(&table), 0);
	assert_int_equal(steer_anchor_destroy(&anchor), 0);
	assert_int_equal(steer_anchor_destroy(&anchor), 0);
	end(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(foreign_esp_goes_on),
		cmocka_unit_test(own_esp_stays),
		cmocka_unit_test(the_rest_is_the_kernels),
		cmocka_unit_test(owned_esp_is_dropped),
		cmocka_unit_test(an_anchor_before_us_goes_round),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
