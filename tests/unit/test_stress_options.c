// SPDX-License-Identifier: BSD-2-Clause
/* The words behind `stress tls`: defaults, values, and one sentence for each that is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include <mlx5_offload/error.h>

#include "tools/stress/options.h"

/* The library has no part in this. */
const struct mlxo_error *mlxo_error_last(void)
{
	static const struct mlxo_error none;

	return &none;
}

static struct problem problem;
static char copy[512];
static char *word[64];

static int parse(const char *text, struct stress_options *o)
{
	struct words w = {.word = word, .problem = &problem};
	char *save = NULL;

	snprintf(copy, sizeof(copy), "%s", text);
	for (char *t = strtok_r(copy, " ", &save); t; t = strtok_r(NULL, " ", &save))
		word[w.n++] = t;
	memset(&problem, 0, sizeof(problem));
	return stress_options_parse(&w, o);
}

static void nothing_said_means_the_defaults(void **state)
{
	struct stress_options o;

	assert_int_equal(parse("", &o), 0);
	assert_int_equal(o.modes, 1u << STRESS_ADAPTIVE);
	assert_int_equal(o.connections, 100000);
	assert_int_equal(o.warmup, 10000);
	assert_int_equal(o.alive, 1000);
	assert_int_equal(o.rate, 0);
	assert_int_equal(o.threads, 1);
	assert_int_equal(stress_sizes_max(&o.sizes), 4096);
	assert_int_equal(o.pace, 10000000000ULL);
	assert_true(o.loss >= 0 && o.loss <= 0);
	assert_int_equal(o.seed, 1);
	assert_false(o.verify);
	assert_null(o.csv);
	assert_null(o.plot);
}

static void every_option_is_read(void **state)
{
	struct stress_options o;

	assert_int_equal(parse("--mode tis+dek --connections 500 --warmup 100 --rate 240000 "
			       "--threads 3 --bytes mix:80%4096,20%1048576 --pace 2.5G --loss 0.01 "
			       "--seed 9 --verify --csv a.csv --plot b.svg",
			       &o),
			 0);
	assert_int_equal(o.modes, 1u << STRESS_TIS_DEK);
	assert_int_equal(o.connections, 500);
	assert_int_equal(o.warmup, 100);
	assert_int_equal(o.alive, 0);
	assert_int_equal(o.rate, 240000);
	assert_int_equal(o.threads, 3);
	assert_string_equal(o.bytes, "mix:80%4096,20%1048576");
	assert_int_equal(o.pace, 2500000000ULL);
	assert_true(o.loss > 0.0099 && o.loss < 0.0101);
	assert_int_equal(o.seed, 9);
	assert_true(o.verify);
	assert_string_equal(o.csv, "a.csv");
	assert_string_equal(o.plot, "b.svg");
	assert_int_equal(parse("--mode all", &o), 0);
	assert_int_equal(o.modes, 31);
}

static void the_warmup_leaves_something_to_measure(void **state)
{
	struct stress_options o;

	assert_int_equal(parse("--connections 20000", &o), 0);
	assert_int_equal(o.warmup, 4000);
	assert_int_equal(parse("--connections 200", &o), 0);
	assert_int_equal(o.warmup, 100);
	assert_int_equal(o.alive, 20);
	assert_int_equal(parse("--connections 1", &o), 0);
	assert_int_equal(o.warmup, 0);
}

static void what_is_refused_is_named(void **state)
{
	static const struct {
		const char *words, *option, *value;
	} bad[] = {
		{"--mode fast", "--mode", "fast"},
		{"--mode", "--mode", "missing"},
		{"--connections 0", "--connections", "0"},
		{"--connections many", "--connections", "many"},
		{"--warmup 100000", "--warmup", "100000"},
		{"--alive 0", "--alive", "0"},
		{"--alive 10 --rate 20", "--rate", "20"},
		{"--connections 10 --alive 11", "--alive", "11"},
		{"--rate 0", "--rate", "0"},
		{"--threads 0", "--threads", "0"},
		{"--threads 65", "--threads", "65"},
		{"--threads 4 --alive 2", "--threads", "4"},
		{"--bytes 0", "--bytes", "0"},
		{"--bytes mix:80%1,30%2", "--bytes", "100 %"},
		{"--pace 10", "--pace", "10"},
		{"--pace 10Gbit", "--pace", "10Gbit"},
		{"--pace 100T", "--pace", "100T"},
		{"--loss 1", "--loss", "0.9"},
		{"--loss -0.1", "--loss", "-0.1"},
		{"--loss nan", "--loss", "nan"},
		{"--loss 0.1x", "--loss", "0.1x"},
		{"--seed x", "--seed", "x"},
		{"--csv", "--csv", "missing"},
		{"--fast", "--fast", "stress"},
		{"-j", "-j", "before"},
	};
	struct stress_options o;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(parse(bad[i].words, &o), TOOL_USAGE);
		assert_non_null(strstr(problem.text, bad[i].option));
		assert_non_null(strstr(problem.text, bad[i].value));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_said_means_the_defaults),
		cmocka_unit_test(every_option_is_read),
		cmocka_unit_test(the_warmup_leaves_something_to_measure),
		cmocka_unit_test(what_is_refused_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
