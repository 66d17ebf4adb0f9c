// SPDX-License-Identifier: BSD-2-Clause
/* From connections to figures: the window, its intervals, a row as text and as JSON, a line of CSV. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tools/stress/files.h"
#include "tools/stress/report.h"

static struct stress_counters device;

static void read_device(void *ctx, struct stress_counters *c)
{
	*c = device;
}

/* A connection of 1000 bytes every microsecond, two commands each. */
static void pass(struct stress_recorder *r, uint64_t latency)
{
	struct stress_closed c = {
		.bytes = 1000, .hw_bytes = 250, .is_long = true, .checked = true, .records = 1};

	stress_recorder_begun(r);
	stress_recorder_ready(r, latency, /* waited */ latency > 100, /* cpu */ 5);
	device.now += 1000;
	device.commands += 2;
	device.nops = 1;
	device.op[0].name = "CREATE_TIS";
	device.op[0].n += 2;
	stress_recorder_closed(r, &c);
}

static void only_the_window_counts(void **state)
{
	struct stress_recorder *r = malloc(sizeof(*r));

	device = (struct stress_counters){.now = 5000};
	stress_recorder_init(r, 100, 40, read_device, NULL);
	for (int i = 0; i < 100; i++)
		pass(r, i < 40 ? 900 : (uint64_t)i);
	device.commands += 50; /* of the drain */
	stress_recorder_end(r);
	/* The 40th connection begins at 39 us, the last one at 99 us. */
	assert_int_equal(r->from.now - r->start.now, 39000);
	assert_int_equal(r->to.now - r->from.now, 60000);
	assert_int_equal(r->to.commands - r->from.commands, 120);
	assert_int_equal(r->end.commands - r->to.commands, 52);
	assert_int_equal(r->in.opened, 60);
	assert_int_equal(r->in.closed, 60);
	assert_int_equal(r->all.closed, 100);
	assert_int_equal(r->latency.max, 900); /* the 40th was ready in the window */
	assert_int_equal(r->in.waited, 1);
	assert_int_equal(stress_histogram_at(&r->latency, 50000), 69);
	assert_int_equal(r->nintervals, 100);
	assert_int_equal(r->interval[99].end_ns, 100000);
	assert_int_equal(r->interval[50].rate, 1000000);
	assert_int_equal(r->interval[50].commands, 2);
	assert_int_equal(r->interval[50].p99_ns, 50);
	stress_recorder_fini(r);
	free(r);
}

static void a_stopped_run_has_a_window(void **state)
{
	struct stress_recorder *r = malloc(sizeof(*r));

	device = (struct stress_counters){0};
	stress_recorder_init(r, 1000, 400, read_device, NULL);
	for (int i = 0; i < 410; i++)
		pass(r, 1);
	stress_recorder_end(r);
	assert_int_equal(r->in.closed, 11);
	assert_int_equal(r->to.now - r->from.now, 11000);
	assert_int_equal(r->nintervals, 41);
	stress_recorder_fini(r);

	stress_recorder_init(r, 1000, 400, read_device, NULL);
	pass(r, 1);
	stress_recorder_end(r);
	assert_int_equal(r->in.closed, 0);
	assert_int_equal(r->to.now, r->from.now);
	stress_recorder_fini(r);
	free(r);
}

static void the_first_bad_record_is_kept(void **state)
{
	struct stress_recorder *r = malloc(sizeof(*r));

	device = (struct stress_counters){0};
	stress_recorder_init(r, 10, 0, read_device, NULL);
	stress_recorder_bad(r, 7, 3, "it is bad");
	stress_recorder_bad(r, 8, 4, "it is worse");
	assert_string_equal(r->failure, "connection 7, record 3: it is bad");
	assert_int_equal(r->all.bad, 2);
	stress_recorder_fini(r);
	free(r);
}

static const struct stress_options options = {
	.connections = 100,
	.warmup = 40,
	.rate = 5,
	.threads = 1,
	.bytes = "1000",
	.pace = 1000000000,
	.loss_text = "0",
	.seed = 3,
};

static char *print(enum out_form form, const struct stress_result *r)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);
	struct out *o = out_create(form, f);

	out_begin(o);
	stress_report_head(o, &options, STRESS_VIRTUAL);
	stress_report_row(o, &options, r);
	stress_report_phases(o, r, /* head */ true);
	out_end(o);
	out_destroy(o);
	fclose(f);
	return text;
}

static void has(const char *text, const char *part)
{
	if (!strstr(text, part))
		print_message("%s\nis not in\n%s\n", part, text);
	assert_non_null(strstr(text, part));
}

static void a_row_is_text_and_json(void **state)
{
	struct stress_result *r = calloc(1, sizeof(*r));
	char *text;

	r->mode = STRESS_TIS;
	r->clock = STRESS_VIRTUAL;
	r->host_threads = 4;
	r->open_ns = r->close_ns = 1000;
	device = (struct stress_counters){0};
	stress_recorder_init(&r->rec, 100, 40, read_device, NULL);
	for (int i = 0; i < 100; i++)
		pass(&r->rec, 7);
	stress_recorder_end(&r->rec);
	text = print(OUT_TEXT, r);
	has(text, "not of a NIC");
	has(text, "time=virtual, seed 3, 100 connections of 1000 bytes");
	has(text, "\ntis         1000000     2.000        0.0");
	has(text, "0.250");
	has(text, "fill");
	free(text);
	text = print(OUT_JSON, r);
	has(text, "[{\"mode\":\"tis\",\"time\":\"virtual\"");
	has(text, "\"connections_per_second\":1000000,\"fw_commands_per_connection\":2.0,\"fw_"
		  "commands\":120");
	has(text, "\"fw_commands_by_opcode\":{\"CREATE_TIS\":120}");
	has(text, "\"open_latency_ns\":{\"count\":60,\"p50\":7,\"p99\":7,\"p99_9\":7,\"max\":7}");
	has(text, "\"hw_byte_share\":0.25,");
	has(text, "\"achieved_of_offered\":1.0,");
	has(text, "\"fill\":{\"ns\":39000,\"commands\":78}");
	free(text);
	stress_recorder_fini(&r->rec);
	free(r);
}

static void an_interval_is_a_line(void **state)
{
	struct stress_interval i = {.end_ns = 12000000034,
				    .closed = 3,
				    .rate = 99,
				    .p99_ns = 7,
				    .commands = 2,
				    .bytes = 8,
				    .hw_bytes = 1};
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	stress_csv_line(f, "tis+dek", &i);
	fclose(f);
	assert_string_equal(text, "12.000000034,tis+dek,99,7,0.667,0.125\n");
	free(text);
}

static void programs_are_looked_for_in_path(void **state)
{
	char found[64];

	assert_true(stress_find_program("/nowhere:/bin", "sh", found, sizeof(found)));
	assert_string_equal(found, "/bin/sh");
	assert_false(stress_find_program("/nowhere::", "sh", found, sizeof(found)));
	assert_false(stress_find_program(NULL, "sh", found, sizeof(found)));
	assert_false(stress_find_program("/bin", "sh", found, 4));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_the_window_counts),
		cmocka_unit_test(a_stopped_run_has_a_window),
		cmocka_unit_test(the_first_bad_record_is_kept),
		cmocka_unit_test(a_row_is_text_and_json),
		cmocka_unit_test(an_interval_is_a_line),
		cmocka_unit_test(programs_are_looked_for_in_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
