// SPDX-License-Identifier: BSD-2-Clause
/*
 * The sysfs tree that libibverbs looks at, below a directory of ours (SYSFS_PATH).
 *
 *   class/infiniband_verbs/abi_version, uverbsN/{ibdev,dev,abi_version,device -> ../../../devices/...}
 *   class/infiniband/mlx5_N/{node_type,node_guid,fw_ver,device,ports/1/...}
 *   bus/pci/devices/0000:MM:00.0, for DPDK (SYSFS_PCI_DEVICES)
 *   devices/pci0000:00/0000:MM:00.0/{vendor,device,modalias,uevent,...}
 *
 * `dev` says 1:3, /dev/null: that is what the program gets when it opens uverbsN, so that fstat() agrees.
 */
#include "uverbs.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct tree {
	const char *root;
	int err; /* the first */
};

static bool path_of(struct tree *t, char out[PATH_MAX], const char *name)
{
	if (!t->err && snprintf(out, PATH_MAX, "%s/%s", t->root, name) >= PATH_MAX)
		t->err = -ENAMETOOLONG;
	return !t->err;
}

/* All directories up to the last '/'. */
static void make_dirs(struct tree *t, char *path)
{
	for (char *p = path + strlen(t->root) + 1; *p && !t->err; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		if (mkdir(path, 0755) && errno != EEXIST)
			t->err = -errno;
		*p = '/';
	}
}

static void put(struct tree *t, const char *name, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static void put(struct tree *t, const char *name, const char *fmt, ...)
{
	char path[PATH_MAX], text[1024];
	va_list ap;
	int fd, n;

	va_start(ap, fmt);
	n = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (!path_of(t, path, name))
		return;
	make_dirs(t, path);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0 || write(fd, text, (size_t)n) != n)
		t->err = t->err ? t->err : -errno;
	if (fd >= 0)
		close(fd);
}

static void link_to(struct tree *t, const char *name, const char *target)
{
	char path[PATH_MAX];

	if (!path_of(t, path, name))
		return;
	make_dirs(t, path);
	if (symlink(target, path) && errno != EEXIST)
		t->err = -errno;
}

#define PUT(name, ...) \
	do { \
		snprintf(at, sizeof(at), "%s/%s", base, name); \
		put(t, at, __VA_ARGS__); \
	} while (0)

static void put_port(struct tree *t, const struct uv_card *card, const char *dir)
{
	char base[256], at[512];
	uint64_t g = card->guid;

	snprintf(base, sizeof(base), "%s/ports/1", dir);
	PUT("state", "4: ACTIVE\n");
	PUT("phys_state", "5: LinkUp\n");
	PUT("link_layer", "Ethernet\n");
	PUT("rate", "100 Gb/sec (4X EDR)\n");
	PUT("cap_mask", "0x04010000\n");
	PUT("lid", "0x0\n");
	PUT("pkeys/0", "0xffff\n");
	PUT("gids/0", "fe80:0000:0000:0000:%04x:%04x:%04x:%04x\n", (unsigned)(g >> 48 & 0xffff),
	    (unsigned)(g >> 32 & 0xffff), (unsigned)(g >> 16 & 0xffff), (unsigned)(g & 0xffff));
	PUT("gid_attrs/types/0", "RoCE v2\n");
	PUT("gid_attrs/ndevs/0", "%s\n", card->netdev);
}

static void put_guid(struct tree *t, const char *dir, const char *name, uint64_t g)
{
	char at[512];

	snprintf(at, sizeof(at), "%s/%s", dir, name);
	put(t, at, "%04x:%04x:%04x:%04x\n", (unsigned)(g >> 48 & 0xffff),
	    (unsigned)(g >> 32 & 0xffff), (unsigned)(g >> 16 & 0xffff), (unsigned)(g & 0xffff));
}

static void put_ibdev(struct tree *t, const struct uv_card *card, const char *pci)
{
	char base[128], at[512], target[256];

	snprintf(base, sizeof(base), "%s/infiniband/%s", pci, card->name);
	PUT("node_type", "1: CA\n");
	PUT("node_desc", "%s\n", card->name);
	PUT("fw_ver", "22.38.1002\n");
	PUT("hca_type", "MT4125\n");
	PUT("hw_rev", "0\n");
	PUT("board_id", "MT_MODEL\n");
	put_guid(t, base, "node_guid", card->guid);
	put_guid(t, base, "sys_image_guid", card->guid);
	put_port(t, card, base);
	snprintf(at, sizeof(at), "%s/device", base);
	link_to(t, at, "../..");
	snprintf(at, sizeof(at), "class/infiniband/%s", card->name);
	snprintf(target, sizeof(target), "../../%s", base);
	link_to(t, at, target);
}

static void put_uverbs(struct tree *t, const struct uv_card *card, const char *pci)
{
	char base[128], at[512], target[256];

	snprintf(base, sizeof(base), "%s/infiniband_verbs/uverbs%u", pci, card->number);
	PUT("ibdev", "%s\n", card->name);
	PUT("dev", "1:3\n");
	PUT("abi_version", "%d\n", MLX5_IB_UVERBS_ABI_VERSION);
	snprintf(at, sizeof(at), "%s/device", base);
	link_to(t, at, "../..");
	snprintf(at, sizeof(at), "class/infiniband_verbs/uverbs%u", card->number);
	snprintf(target, sizeof(target), "../../%s", base);
	link_to(t, at, target);
}

#define PCI_ROOT "devices/pci0000:00/"
#define NO_RESOURCE "0x0000000000000000 0x0000000000000000 0x0000000000000000\n"

static void put_card(struct tree *t, const struct uv_card *card)
{
	char base[64], at[512], target[128];

	snprintf(base, sizeof(base), PCI_ROOT "0000:%02x:00.0", UV_FIRST_BUS + card->index);
	PUT("vendor", "0x15b3\n");
	PUT("device", "0x101d\n");
	PUT("subsystem_vendor", "0x15b3\n");
	PUT("subsystem_device", "0x0016\n");
	PUT("class", "0x020000\n");
	PUT("numa_node", "-1\n");
	PUT("modalias", "pci:v000015B3d0000101Dsv000015B3sd00000016bc02sc00i00\n");
	PUT("uevent",
	    "DRIVER=mlx5_core\nPCI_CLASS=20000\nPCI_ID=15B3:101D\nPCI_SUBSYS_ID=15B3:0016\n"
	    "PCI_SLOT_NAME=%s\n",
	    base + strlen(PCI_ROOT));
	PUT("resource", "%s%s%s", NO_RESOURCE NO_RESOURCE, NO_RESOURCE NO_RESOURCE,
	    NO_RESOURCE NO_RESOURCE);
	snprintf(at, sizeof(at), "%s/driver", base);
	link_to(t, at, "../../../bus/pci/drivers/mlx5_core");
	snprintf(at, sizeof(at), "bus/pci/devices/%s", base + strlen(PCI_ROOT));
	snprintf(target, sizeof(target), "../../../%s", base);
	link_to(t, at, target);
	put_ibdev(t, card, base);
	put_uverbs(t, card, base);
	if (card->netdev[0]) {
		snprintf(at, sizeof(at), "%s/net/%s", base, card->netdev);
		snprintf(target, sizeof(target), "/sys/class/net/%s", card->netdev);
		link_to(t, at, target);
	}
}

/* One of the host's: a link to it. */
static void link_host(void *tree, const char *path)
{
	link_to(tree, path + strlen("/sys/"), path);
}

int uv_sysfs_make(const char *root)
{
	struct tree t = {.root = root};

	if (mkdir(root, 0755) && errno != EEXIST)
		return -errno;
	put(&t, "class/infiniband_verbs/abi_version", "%d\n", IB_USER_VERBS_ABI_VERSION);
	put(&t, "bus/pci/drivers/mlx5_core/module/version", "model\n");
	for (unsigned int i = 0; i < uv_ncards; i++)
		put_card(&t, &uv_cards[i]);
	uv_host_list(link_host, &t);
	return t.err;
}

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	return remove(path);
}

int uv_sysfs_remove(const char *root)
{
	return nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS) ? -errno : 0;
}
