// SPDX-License-Identifier: BSD-2-Clause
/*
 * The IPsec service at the seam: which commands, in which order, with which fields. Each case is compared with its
 * transcript in tests/seam/golden/; with MLXO_GOLDEN=write the files are written anew, to be read before they are kept.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <mlx5_offload/ipsec.h>

#include "lib/mock_provider.h"

static struct {
	struct mock *m;
	struct mlxo_device *dev;
	struct mlxo_ipsec *ipsec;
	char *text; /* of the transcript */
	size_t len;
	FILE *f;
} t;

static void record(int refuse_in)
{
	if (t.f)
		fclose(t.f);
	free(t.text);
	t.text = NULL;
	t.f = open_memstream(&t.text, &t.len);
	assert_non_null(t.f);
	mock_transcript(t.m, t.f, refuse_in);
}

static FILE *golden(const char *name, const char *mode)
{
	const char *src = getenv("MLXO_SRC");
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/tests/seam/golden/%s.txt", src ? src : ".", name);
	f = fopen(path, mode);
	if (!f)
		fail_msg("%s: %s", path, strerror(errno));
	return f;
}

static void expect(const char *name)
{
	const char *how = getenv("MLXO_GOLDEN");
	static char want[1 << 20];
	FILE *f;
	size_t n;

	fflush(t.f);
	if (how && strcmp(how, "write") == 0) {
		f = golden(name, "w");
		assert_int_equal(fwrite(t.text, 1, t.len, f), t.len);
		fclose(f);
		return;
	}
	f = golden(name, "r");
	n = fread(want, 1, sizeof(want) - 1, f);
	fclose(f);
	want[n] = '\0';
	assert_string_equal(t.text, want);
}

static int open_service(bool rx_all)
{
	struct mlxo_ipsec_opts opts = {.size = sizeof(opts), .rx_all = rx_all, .max_sa = 64};

	record(0);
	return mlxo_ipsec_open(t.dev, &opts, &t.ipsec);
}

static int setup(void **state)
{
	(void)state;
	memset(&t, 0, sizeof(t));
	t.m = mock_open(&t.dev);
	mock_cap(t.dev, "nic_receive.max_ft_level", 64);
	mock_cap(t.dev, "nic_transmit.max_ft_level", 64);
	mock_cap(t.dev, "nic_receive.log_max_ft_size", 20);
	mock_cap(t.dev, "nic_transmit.log_max_ft_size", 20);
	mock_transcript(t.m, stderr, 0);
	assert_int_equal(open_service(true), 0);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	record(0);
	mlxo_ipsec_close(t.ipsec);
	mock_transcript(t.m, NULL, 0);
	fclose(t.f);
	free(t.text);
	mock_done(t.m, t.dev);
	return 0;
}

static struct mlxo_addr addr(uint16_t family, uint8_t last)
{
	struct mlxo_addr a = {.family = family, .bytes = {192, 0, 2, last}};

	if (family == AF_INET6) {
		memset(&a.bytes, 0, sizeof(a.bytes));
		memcpy(a.bytes, "\x20\x01\x0d\xb8", 4);
		a.bytes[15] = last;
	}
	return a;
}

static int add(uint16_t family, enum mlxo_ipsec_dir dir, struct mlxo_ipsec_sa **sa)
{
	static const uint8_t bytes[36] = {1, 2, 3};
	struct mlxo_ipsec_sa_params p = {
		.size = sizeof(p),
		.src = addr(family, 1),
		.dst = addr(family, 2),
		.spi = 0x1000,
		.reqid = 7,
		.dir = dir,
		.offload = MLXO_IPSEC_PACKET,
		.aead = "rfc4106(gcm(aes))",
		.icv_bits = 128,
		.key = mlxo_secret_new(bytes, family == AF_INET6 ? 36 : 20)};
	int err = mlxo_ipsec_sa_add(t.ipsec, &p, sa);

	mlxo_secret_destroy(p.key);
	return err;
}

static void open_makes_tables_and_fixed_rules(void **state)
{
	(void)state;
	expect("open");
}

/* A port that is shared with the kernel: ESP that is not ours goes on. */
static void open_shared(void **state)
{
	(void)state;
	mlxo_ipsec_close(t.ipsec);
	assert_int_equal(open_service(false), 0);
	expect("open_shared");
}

static void warn(void *ctx, enum mlxo_log_level level, const char *line)
{
	if (level == MLXO_LOG_WARN)
		snprintf(ctx, 256, "%s", line);
}

/* A card, then a driver, that cannot: it is dropped, and the log says so. Any other failure is one. */
static void open_shared_without_anchor(void **state)
{
	char line[256] = "";

	(void)state;
	mlxo_log_set(warn, line, MLXO_LOG_WARN);
	mlxo_ipsec_close(t.ipsec);
	mock_fail_next(t.m, -EOPNOTSUPP);
	assert_int_equal(open_service(false), 0);
	assert_non_null(strstr(line, "ESP that no SA is for is dropped"));
	line[0] = '\0';
	mlxo_ipsec_close(t.ipsec);
	mock_cap(t.dev, "nic_receive.ignore_flow_level", 0);
	assert_int_equal(open_service(false), 0);
	assert_non_null(strstr(line, "nic_receive.ignore_flow_level"));
	mlxo_log_set(NULL, NULL, MLXO_LOG_ERROR);
	expect("open_shared_dropped");
	mlxo_ipsec_close(t.ipsec);
	mock_cap(t.dev, "nic_receive.ignore_flow_level", 1);
	mock_fail_next(t.m, -ENOMEM);
	assert_int_equal(open_service(false), -ENOMEM);
	assert_null(t.ipsec);
}

static void sa_out(void **state)
{
	struct mlxo_ipsec_sa *sa;

	(void)state;
	record(0);
	assert_int_equal(add(AF_INET, MLXO_IPSEC_OUT, &sa), 0);
	assert_int_equal(mlxo_ipsec_sa_del(sa), 0);
	expect("sa_out");
}

static void sa_in_ipv6(void **state)
{
	struct mlxo_ipsec_sa *sa;

	(void)state;
	record(0);
	assert_int_equal(add(AF_INET6, MLXO_IPSEC_IN, &sa), 0);
	assert_int_equal(mlxo_ipsec_sa_del(sa), 0);
	expect("sa_in_ipv6");
}

/* The SA rule is refused: all that was made goes again, last one first. */
static void sa_out_undone(void **state)
{
	struct mlxo_ipsec_sa *sa;

	(void)state;
	record(7);
	assert_int_equal(add(AF_INET, MLXO_IPSEC_OUT, &sa), -EINVAL);
	expect("sa_out_undone");
}

/* The same for an inbound SA, which has status rules before the SA rule. */
static void sa_in_undone(void **state)
{
	struct mlxo_ipsec_sa *sa;

	(void)state;
	record(15);
	assert_int_equal(add(AF_INET6, MLXO_IPSEC_IN, &sa), -EINVAL);
	expect("sa_in_undone");
}

static void policies(void **state)
{
	struct mlxo_ipsec_policy_params p = {.size = sizeof(p),
					     .dir = MLXO_IPSEC_OUT,
					     .sel = {.src = addr(AF_INET, 0),
						     .dst = addr(AF_INET, 2),
						     .src_prefixlen = 24,
						     .dst_prefixlen = 32,
						     .proto = IPPROTO_TCP,
						     .dport = 443},
					     .ntmpl = 1,
					     .tmpl = {.reqid = 7},
					     .offload = MLXO_IPSEC_PACKET};
	struct mlxo_ipsec_policy *out, *in;

	(void)state;
	record(0);
	assert_int_equal(mlxo_ipsec_policy_add(t.ipsec, &p, &out), 0);
	p.dir = MLXO_IPSEC_IN;
	assert_int_equal(mlxo_ipsec_policy_add(t.ipsec, &p, &in), 0);
	assert_int_equal(mlxo_ipsec_policy_del(in), 0);
	assert_int_equal(mlxo_ipsec_policy_del(out), 0);
	expect("policies");
	record(7);
	p.dir = MLXO_IPSEC_OUT;
	assert_int_equal(mlxo_ipsec_policy_add(t.ipsec, &p, &out), -EINVAL);
	expect("policy_undone");
}

#define T(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(open_makes_tables_and_fixed_rules),
		T(open_shared),
		T(open_shared_without_anchor),
		T(sa_out),
		T(sa_in_ipv6),
		T(sa_out_undone),
		T(sa_in_undone),
		T(policies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
