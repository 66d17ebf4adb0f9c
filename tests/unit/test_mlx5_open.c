// SPDX-License-Identifier: BSD-2-Clause
/* Names of NICs, in a sysfs of the test's own, and what is said when one cannot be opened. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#if __has_include(<infiniband/mlx5dv.h>) && defined(MLXO_MLX5)

#include <linux/capability.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "unit/mlx5_fake.h"

static char root[64];

static void make_dir(const char *path)
{
	char full[300];

	for (const char *p = path; p; p = strchr(p + 1, '/')) {
		const char *end = strchr(p + 1, '/');

		snprintf(full, sizeof(full), "%s/%.*s", root,
			 (int)(end ? end - path : (long)strlen(path)), path);
		mkdir(full, 0755);
	}
}

static void make_link(const char *path, const char *to)
{
	char full[300], target[300];

	snprintf(full, sizeof(full), "%s/%s", root, path);
	snprintf(target, sizeof(target), "%s/%s", root, to);
	assert_int_equal(symlink(target, full), 0);
}

static void make_file(const char *path, const char *text)
{
	char full[300];
	FILE *f;

	snprintf(full, sizeof(full), "%s/%s", root, path);
	f = fopen(full, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void make_device(unsigned int n, const char *name, const char *parent)
{
	char path[100];

	snprintf(path, sizeof(path), "class/infiniband/%s", name);
	make_dir(path);
	strcat(path, "/device");
	make_link(path, parent);
	snprintf(fake.device[n].name, sizeof(fake.device[n].name), "%s", name);
	snprintf(fake.device[n].dev_name, sizeof(fake.device[n].dev_name), "uverbs%u", n);
	snprintf(fake.device[n].ibdev_path, sizeof(fake.device[n].ibdev_path),
		 "%s/class/infiniband/%s", root, name);
}

static void make_netdev(const char *parent, const char *name, const char *port, const char *mtu)
{
	char path[200];

	snprintf(path, sizeof(path), "%s/net/%s", parent, name);
	make_dir(path);
	snprintf(path, sizeof(path), "%s/net/%s/mtu", parent, name);
	make_file(path, mtu);
	snprintf(path, sizeof(path), "%s/net/%s/phys_port_name", parent, name);
	if (port)
		make_file(path, port);
}

/* Two ports of a card, the first with a representor and a subfunction. */
static int setup(void **state)
{
	static const char port0[] = "devices/pci0000:64/0000:65:00.0";
	static const char port1[] = "devices/pci0000:64/0000:65:00.1";
	static const char sf[] = "devices/pci0000:64/0000:65:00.0/mlx5_core.sf.2";

	strcpy(root, "/tmp/mlxo-sysfs-XXXXXX");
	if (!mkdtemp(root))
		return -1;
	fake_reset();
	fake.devices = 3;
	make_dir(sf);
	make_dir(port1);
	make_netdev(port0, "eth9", "pf0vf1\n", "1500\n");
	make_netdev(port0, "eth4", "p0\n", "9000\n");
	make_netdev(port1, "eth5", NULL, "1500\n");
	make_device(0, "mlx5_0", port0);
	make_device(1, "mlx5_1", port1);
	make_device(2, "mlx5_2", sf);
	return 0;
}

static int teardown(void **state)
{
	char command[100];

	snprintf(command, sizeof(command), "rm -rf %s", root);
	return system(command);
}

/* -- names --------------------------------------------------------------------------------------------------- */

static void every_name(void **state)
{
	static const struct {
		const char *name, *verbs;
	} t[] = {{"mlx5_0", "mlx5_0"},	      {"mlx5:mlx5_1", "mlx5_1"},  {"eth4", "mlx5_0"},
		 {"mlx5:eth5", "mlx5_1"},     {"0000:65:00.0", "mlx5_0"}, {"65:00.1", "mlx5_1"},
		 {"mlx5_core.sf.2", "mlx5_2"}};
	char why[256];

	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct prov_device *dev = NULL;

		assert_int_equal(prov_open(t[i].name, &dev, why, sizeof(why)), 0);
		assert_string_equal(((struct prov_base *)dev)->name, t[i].verbs);
		prov_ops(dev)->close(dev);
	}
}

static void no_name(void **state)
{
	static const char *const bad[] = {"",	   "mlx5:",	  "eth9",    "lo",	     "eth",
					  "mlx5_", "mlx5_00",	  "65:00.2", "0001:65:00.0", ".",
					  "..",	   "../net/eth4", "modell",  "mlx5:model"};
	struct prov_device *dev;
	char why[256];

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(prov_open(bad[i], &dev, why, sizeof(why)), -ENODEV);
		assert_null(dev);
		assert_non_null(strstr(why, "there are mlx5_0 (0000:65:00.0, eth4), mlx5_1 "
					    "(0000:65:00.1, eth5), mlx5_2 (mlx5_core.sf.2) and "
					    "'model'"));
	}
	fake.devices = 0;
	assert_int_equal(prov_open("mlx5_0", &dev, why, sizeof(why)), -ENODEV);
	assert_string_equal(why,
			    "device 'mlx5_0' is not known: this machine has no RDMA device (is "
			    "mlx5_ib loaded?), only 'model' is there");
}

static void is_named(void **state)
{
	static const char *const yes[] = {"mlx5_0", "eth4", "0000:65:00.0", "65:00.0"};
	static const char *const no[] = {"mlx5_1", "eth5", "eth9", "lo", "0000:65:00.1", "", "."};
	struct prov_device *dev = fake_open();

	assert_non_null(dev);
	for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
		assert_true(prov_ops(dev)->is_named(dev, yes[i]));
	for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++)
		assert_false(prov_ops(dev)->is_named(dev, no[i]));
	prov_ops(dev)->close(dev);
}

static void mtu(void **state)
{
	struct prov_device *dev = fake_open();
	const struct prov_ops *ops = prov_ops(dev);

	assert_int_equal(ops->mtu(dev), 9000);
	make_file("devices/pci0000:64/0000:65:00.0/net/eth4/mtu", "1400\n"); /* it may change */
	assert_int_equal(ops->mtu(dev), 1400);
	/* the kernel's own word for the port comes first */
	make_dir("class/infiniband/mlx5_0/ports/1/gid_attrs/ndevs");
	make_file("class/infiniband/mlx5_0/ports/1/gid_attrs/ndevs/0", "bond0\n");
	assert_true(ops->is_named(dev, "bond0"));
	assert_true(ops->is_named(dev, "eth4"));
	assert_int_equal(ops->mtu(dev), 1500);
	strcpy(fake.device[0].ibdev_path, "/nowhere");
	assert_int_equal(ops->mtu(dev), 1500);
	fake.mtu = IBV_MTU_2048;
	assert_int_equal(ops->mtu(dev), 2048);
	ops->close(dev);
}

static void two_at_a_time(void **state)
{
	struct prov_device *a = fake_open(), *b = fake_open();
	const struct prov_ops *ops = prov_ops(a);

	assert_non_null(b);
	assert_ptr_not_equal(a, b);
	assert_true(prov_ops(a)->fd(a) != prov_ops(b)->fd(b));
	ops->close(a);
	ops->close(b);
	ops->close(NULL);
	assert_string_equal(fake.calls, "xx");
}

/* -- what goes wrong ----------------------------------------------------------------------------------------- */

static void refuse(int err, const char *says)
{
	struct prov_device *dev;
	char why[256] = "";

	assert_int_equal(prov_open("eth5", &dev, why, sizeof(why)), err);
	assert_null(dev);
	if (!strstr(why, says))
		fail_msg("\"%s\" does not say \"%s\"", why, says);
	assert_non_null(strstr(why, "device mlx5_1"));
	assert_null(strchr(why, '\n'));
	assert_true(strlen(why) < sizeof(why) - 1); /* not cut */
}

static void sentences(void **state)
{
	static const struct {
		int open_err, err;
		const char *says;
	} t[] = {
		{EACCES, -EACCES, "no permission for /dev/infiniband/uverbs1: run as root"},
		{EPERM, -EPERM, "no permission for /dev/infiniband/uverbs1: run as root"},
		{ENOENT, -ENOENT, "/dev/infiniband/uverbs1 cannot be opened (No such file"},
		{ENXIO, -ENXIO, "load ib_uverbs"},
		{EINVAL, -EOPNOTSUPP, "has no DevX"},
		{EOPNOTSUPP, -EOPNOTSUPP, "newer firmware"},
		{-1, -EOPNOTSUPP, "has no DevX"}, /* NULL, and no errno */
		{EAGAIN, -EIO, "is dead or has not started yet"},
		{EMFILE, -EMFILE, "cannot be opened: Too many open files"},
	};

	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		fake.open_err = t[i].open_err;
		refuse(t[i].err, t[i].says);
	}
	fake.open_err = 0;
	fake.no_devx = true;
	refuse(-EOPNOTSUPP, "has no DevX");
	assert_string_equal(fake.calls, "x"); /* opened, and closed again */
	fake.no_devx = false;
	fake.foreign = true;
	refuse(-EOPNOTSUPP, "is not driven by mlx5: a ConnectX-6 Dx or a later NIC is needed");
}

/* Take CAP_NET_RAW from this thread, or give it back. */
static bool raw(bool on)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];
	uint32_t bit = CAP_TO_MASK(CAP_NET_RAW);

	if (syscall(SYS_capget, &head, data) || (on && !(data[0].permitted & bit)))
		return false;
	data[0].effective = on ? data[0].effective | bit : data[0].effective & ~bit;
	return syscall(SYS_capset, &head, data) == 0;
}

static void no_raw_packets(void **state)
{
	struct prov_device *dev;
	bool had = raw(true);

	fake.anchor_err = EPERM;
	if (had) { /* who has the right is not asked */
		dev = fake_open();
		assert_non_null(dev);
		prov_ops(dev)->close(dev);
	}
	assert_true(raw(false));
	refuse(-EPERM, "setcap cap_net_raw+ep");
	/* only the kernel's word counts: not when it knows no anchors, not when it lets us make one */
	for (int i = 0; i < 2; i++) {
		fake.anchor_err = i ? EOPNOTSUPP : 0;
		dev = fake_open();
		assert_non_null(dev);
		prov_ops(dev)->close(dev);
	}
	raw(true);
}

/* -- after a reset ------------------------------------------------------------------------------------------ */

static int restart(struct prov_device *dev, const char *says)
{
	char why[256] = "";
	int err = prov_ops(dev)->restart(dev, why, sizeof(why));

	if (says)
		assert_non_null(strstr(why, says));
	else
		assert_string_equal(why, "");
	return err;
}

/* Who had which name may have changed: the PCI function is what counts. */
static void rename_devices(void)
{
	char link[200];

	snprintf(link, sizeof(link), "%s/class/infiniband/mlx5_0/device", root);
	assert_int_equal(unlink(link), 0);
	make_device(0, "mlx5_7", "devices/pci0000:64/0000:65:00.0");
	make_device(1, "mlx5_0", "devices/pci0000:64/0000:65:00.1");
}

static void restarts(void **state)
{
	static const int not_yet[] = {EAGAIN, ENOENT, ENODEV, ENXIO, EIO};
	struct prov_device *dev = fake_open();
	const struct prov_ops *ops = prov_ops(dev);
	struct prov_umem old;
	static char memory[4096];

	(void)state;
	assert_int_equal(ops->umem_reg(dev, memory, sizeof(memory), &old), 0);
	assert_int_equal(restart(dev, NULL), 0); /* nothing is wrong */
	assert_int_equal(fake.opened, 1);
	fake.lost = 1;
	for (size_t i = 0; i < sizeof(not_yet) / sizeof(not_yet[0]); i++) {
		fake.open_err = not_yet[i];
		assert_int_equal(restart(dev, "device mlx5_0 has not come back yet"), -EIO);
	}
	fake.open_err = EPERM;
	assert_int_equal(restart(dev, "no permission"), -EPERM);
	fake.open_err = 0;
	fake.devices = 0;
	assert_int_equal(restart(dev, "has not come back yet"), -EIO);
	fake.devices = 3;
	rename_devices();
	assert_int_equal(restart(dev, NULL), 0);
	assert_int_equal(fake.opened, 2);
	assert_string_equal(fake.verbs[1].context.device->name, "mlx5_7");
	assert_int_equal(restart(dev, NULL), 0);
	assert_int_equal(fake.opened, 2); /* it is well */
	fake_fail('u', EIO, 1);
	assert_int_equal(ops->umem_dereg(dev, &old), 0); /* gone: costs nothing */
	fake.ncalls = 0;
	ops->close(dev);
	assert_memory_equal(fake.calls, "xx", 2); /* both contexts */
	assert_int_equal(fake.ncalls, 2);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(every_name),    TEST(no_name),   TEST(is_named),	    TEST(mtu),
		TEST(two_at_a_time), TEST(sentences), TEST(no_raw_packets), TEST(restarts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
	return 77;
}

#endif
