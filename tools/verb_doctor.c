// SPDX-License-Identifier: BSD-2-Clause
/*
 * doctor: can this machine and this device do what is wanted, and if not, what is to be done?
 *
 *	host	modules ─▶ device file ─▶ rights ─▶ locked memory		(a NIC; the model needs none of it)
 *	device	opens? ─▶ its limits ─▶ IPsec packet offload, TLS by version and key size
 *
 * A check is ok, a warning (works, but …) or a failure. Each that is not ok says what to do. The verb fails when a check does.
 * Where libibverbs looks for /sys, so do we: SYSFS_PATH.
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/verbs.h"

enum { MEMLOCK_MB = 64, CAP_NET_RAW_BIT = 13, DETAIL = 512 };

enum verdict { GOOD, WARNING, BAD };

struct doctor {
	struct session *s;
	unsigned int bad;
};

static const char *sysfs(void)
{
	const char *path = getenv("SYSFS_PATH");

	return path && *path ? path : "/sys";
}

/* One line of the result. advice: what to do; NULL when good. */
static void tell(struct doctor *d, const char *check, enum verdict v, const char *detail,
		 const char *advice)
{
	static const char *const words[] = {"ok", "warning", "failed"};
	static const char *const leads[] = {"ok       ", "warning  ", "failed   "};
	struct out *o = d->s->out;

	d->bad += v == BAD;
	out_object(o, NULL);
	out_text(o, "%s", leads[v]);
	out_str(o, "check", "", check);
	out_str(o, "result", NULL, words[v]);
	out_str(o, "detail", ": ", detail);
	if (v != GOOD)
		out_str(o, "advice", "\n         do: ", advice);
	out_text(o, "\n");
	out_close(o);
}

/* -- the host ------------------------------------------------------------------------------------------------- */

static bool exists(const char *fmt, const char *a, const char *b)
{
	char path[512];
	struct stat st;

	snprintf(path, sizeof(path), fmt, a, b);
	return stat(path, &st) == 0;
}

static void check_modules(struct doctor *d)
{
	static const char *const names[] = {"mlx5_core", "mlx5_ib", "ib_uverbs"};
	char missing[64] = "";

	for (int i = 0; i < 3; i++) {
		size_t have = strlen(missing);

		if (!exists("%s/module/%s", sysfs(), names[i]))
			snprintf(missing + have, sizeof(missing) - have, "%s%s",
				 have ? " " : "not loaded: ", names[i]);
	}
	if (*missing)
		tell(d, "kernel modules", WARNING, missing,
		     "modprobe mlx5_ib (it brings the others), unless they are built in");
	else
		tell(d, "kernel modules", GOOD, "mlx5_core mlx5_ib ib_uverbs", NULL);
}

/* Names of the mlx5 devices; how many. */
static unsigned int list_devices(char *names, size_t size)
{
	char path[512];
	struct dirent *e;
	unsigned int n = 0;
	DIR *dir;

	*names = '\0';
	snprintf(path, sizeof(path), "%s/class/infiniband", sysfs());
	dir = opendir(path);
	while (dir && (e = readdir(dir))) {
		size_t have = strlen(names);

		if (e->d_name[0] == '.')
			continue;
		snprintf(names + have, size - have, "%s%s", have ? " " : "", e->d_name);
		n++;
	}
	if (dir)
		closedir(dir);
	return n;
}

static void check_devices(struct doctor *d)
{
	char names[DETAIL];

	if (list_devices(names, sizeof(names)))
		tell(d, "RDMA devices", GOOD, names, NULL);
	else
		tell(d, "RDMA devices", BAD, "none",
		     "see whether the card is there (lspci -d 15b3:) and mlx5_ib is loaded; in a "
		     "container, "
		     "pass /dev/infiniband and the device's RDMA namespace");
}

static void check_files(struct doctor *d)
{
	char path[64];
	int seen = 0, usable = 0;

	for (int i = 0; i < 64; i++) {
		snprintf(path, sizeof(path), "/dev/infiniband/uverbs%d", i);
		if (access(path, F_OK) == 0) {
			seen++;
			usable += access(path, R_OK | W_OK) == 0;
		}
	}
	if (!seen)
		tell(d, "device files", WARNING, "no /dev/infiniband/uverbsN is visible",
		     "load ib_uverbs; in a container, pass /dev/infiniband into it");
	else if (!usable)
		tell(d, "device files", BAD, "/dev/infiniband/uverbsN cannot be read and written",
		     "run as root, or give the file to your group by a udev rule");
	else
		tell(d, "device files", GOOD, "/dev/infiniband/uverbsN can be opened", NULL);
}

/* Effective capabilities of this process; all ones when they cannot be read. */
static unsigned long long capabilities(void)
{
	FILE *f = fopen("/proc/self/status", "re");
	unsigned long long caps = ~0ULL;
	char line[256];

	while (f && fgets(line, sizeof(line), f))
		if (strncmp(line, "CapEff:", strlen("CapEff:")) == 0)
			caps = strtoull(line + strlen("CapEff:"), NULL, 16);
	if (f)
		fclose(f);
	return caps;
}

static void check_rights(struct doctor *d)
{
	if (capabilities() >> CAP_NET_RAW_BIT & 1)
		tell(d, "CAP_NET_RAW", GOOD, "held: send queues and flow rules are possible", NULL);
	else
		tell(d, "CAP_NET_RAW", BAD,
		     "not held: the device refuses raw send queues and flow rules",
		     "run as root, or setcap cap_net_raw+ep on the program");
}

static void check_memlock(struct doctor *d)
{
	struct rlimit r;
	char text[DETAIL];

	if (getrlimit(RLIMIT_MEMLOCK, &r))
		return;
	if (r.rlim_cur == RLIM_INFINITY || geteuid() == 0) {
		tell(d, "locked memory", GOOD, "unlimited", NULL);
		return;
	}
	snprintf(text, sizeof(text), "%llu KB", (unsigned long long)r.rlim_cur / 1024);
	if (r.rlim_cur >= (rlim_t)MEMLOCK_MB << 20)
		tell(d, "locked memory", GOOD, text, NULL);
	else
		tell(d, "locked memory", WARNING, text,
		     "ulimit -l unlimited: queues, packet memory and keys are locked");
}

static void check_host(struct doctor *d)
{
	check_modules(d);
	check_devices(d);
	check_files(d);
	check_rights(d);
	check_memlock(d);
}

/* -- the device ----------------------------------------------------------------------------------------------- */

static uint64_t cap(struct session *s, const char *name)
{
	size_t n;
	const struct mlxo_cap *caps = mlxo_device_caps(s->dev, &n);

	for (size_t i = 0; i < n; i++)
		if (strcmp(caps[i].name, name) == 0)
			return caps[i].value;
	return 0;
}

static void check_ipsec(struct doctor *d)
{
	static const char *const names[] = {"IPsec packet offload, AES-GCM-128",
					    "IPsec packet offload, AES-GCM-256"};

	for (int big = 0; big < 2; big++) {
		int rc = mlxo_device_check_ipsec_packet(d->s->dev, big);

		tell(d, names[big], rc ? WARNING : GOOD, rc ? mlxo_error_last()->text : "possible",
		     "newer firmware or another card; on a VF or SF ask for it on the PF (devlink "
		     "port function "
		     "set … ipsec_packet enable); e-switch encap mode must be none");
	}
}

static void check_tls(struct doctor *d)
{
	static const struct {
		const char *name;
		uint16_t version, cipher;
	} kinds[] = {
		{"TLS 1.2 transmit, AES-GCM-128", MLXO_TLS_1_2, MLXO_TLS_AES_GCM_128},
		{"TLS 1.2 transmit, AES-GCM-256", MLXO_TLS_1_2, MLXO_TLS_AES_GCM_256},
		{"TLS 1.3 transmit, AES-GCM-128", MLXO_TLS_1_3, MLXO_TLS_AES_GCM_128},
		{"TLS 1.3 transmit, AES-GCM-256", MLXO_TLS_1_3, MLXO_TLS_AES_GCM_256},
	};

	for (int i = 0; i < 4; i++) {
		int rc = mlxo_device_check_tls(d->s->dev, kinds[i].version, kinds[i].cipher);

		tell(d, kinds[i].name, rc ? WARNING : GOOD,
		     rc ? mlxo_error_last()->text : "possible",
		     "a crypto-enabled card (not every order number is) and newer firmware; "
		     "without it connections stay "
		     "in software");
	}
}

static void check_keys(struct doctor *d)
{
	char text[DETAIL];
	uint64_t log = cap(d->s, "log_dek_max_alloc"), most = cap(d->s, "log_max_num_deks");

	snprintf(text, sizeof(text), "2^%llu keys, bulks of 2^%llu", (unsigned long long)most,
		 (unsigned long long)log);
	if (!most)
		tell(d, "keys", WARNING, "the device has no key objects",
		     "a crypto-enabled card is needed for every offload of this program");
	else if (!log)
		tell(d, "keys", WARNING, text,
		     "newer firmware: without bulks each connection costs two commands instead of "
		     "one");
	else
		tell(d, "keys", GOOD, text, NULL);
}

static int check_device(struct doctor *d)
{
	int rc = session_device(d->s);

	if (rc) {
		tell(d, "device opens", BAD, d->s->problem.text,
		     "give its name with -d: model, mlx5_0, a netdev or a PCI address");
		memset(&d->s->problem, 0, sizeof(d->s->problem));
		return rc;
	}
	tell(d, "device opens", GOOD, mlxo_device_name(d->s->dev), NULL);
	check_ipsec(d);
	check_keys(d);
	check_tls(d);
	return 0;
}

int verb_doctor(struct session *s, struct words *w)
{
	bool model = !s->spec || strncmp(s->spec, "model", strlen("model")) == 0;
	struct doctor d = {.s = s};
	int rc = words_end(w);

	if (rc)
		return rc;
	out_begin(s->out);
	if (model)
		tell(&d, "host", GOOD, "the model is software and needs nothing of the host", NULL);
	else
		check_host(&d);
	check_device(&d);
	out_end(s->out);
	return d.bad ? problem_errno(&s->problem, ENODEV, "%u of the checks failed", d.bad) : 0;
}
