// SPDX-License-Identifier: BSD-2-Clause
/*
 * Names, by comparing where links of sysfs lead.
 *
 *	class/infiniband/mlx5_0/device ──▶ devices/pci0000:64/.../0000:65:00.0 ◀── class/net/eth4/device
 *
 * In switchdev mode the representors of VFs and SFs are netdevs of the same PCI device; they have a phys_port_name other
 * than "p" and a number.
 */
#include "names.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* As libibverbs: the environment counts unless the program has more rights than who called it. */
static const char *sysfs(void)
{
	const char *path = secure_getenv("SYSFS_PATH");

	return path && *path ? path : "/sys";
}

/* Where does this link lead? */
static bool follow(char to[PATH_MAX], const char *dir, const char *name)
{
	char path[PATH_MAX];
	int n = snprintf(path, sizeof(path), "%s/%s/device", dir, name);

	return n > 0 && (size_t)n < sizeof(path) && realpath(path, to);
}

static bool parent_of(const struct ibv_device *ib, char to[PATH_MAX])
{
	return follow(to, ib->ibdev_path, ".");
}

/* First line of class/net/NETDEV/FILE. */
static bool read_net(const char *netdev, const char *file, char *line, int size)
{
	char path[PATH_MAX];
	FILE *f;
	bool ok;

	snprintf(path, sizeof(path), "%s/class/net/%s/%s", sysfs(), netdev, file);
	f = fopen(path, "re");
	if (!f)
		return false;
	ok = fgets(line, size, f);
	fclose(f);
	if (ok)
		line[strcspn(line, "\n")] = 0;
	return ok;
}

static bool is_representor(const char *netdev)
{
	char port[32];
	size_t digits;

	if (!read_net(netdev, "phys_port_name", port, sizeof(port)))
		return false;
	digits = strspn(port + 1, "0123456789");
	return *port && (port[0] != 'p' || !digits || port[1 + digits]);
}

static bool is_netdev_of(const char *netdev, const char *parent)
{
	char path[PATH_MAX], to[PATH_MAX];

	if (!*netdev || *netdev == '.' || strchr(netdev, '/'))
		return false;
	snprintf(path, sizeof(path), "%s/class/net", sysfs());
	return follow(to, path, netdev) && strcmp(to, parent) == 0 && !is_representor(netdev);
}

void mlx5_name_pci(const struct ibv_device *ib, char *name, size_t size)
{
	char parent[PATH_MAX];

	*name = 0;
	if (parent_of(ib, parent))
		snprintf(name, size, "%s", strrchr(parent, '/') + 1);
}

void mlx5_name_netdev(const struct ibv_device *ib, char *name, size_t size)
{
	char parent[PATH_MAX], path[PATH_MAX];
	const struct dirent *e;
	DIR *dir;

	*name = 0;
	snprintf(path, sizeof(path), "%s/class/net", sysfs());
	if (!parent_of(ib, parent))
		return;
	dir = opendir(path);
	while (dir && !*name && (e = readdir(dir)))
		if (is_netdev_of(e->d_name, parent))
			snprintf(name, size, "%s", e->d_name);
	if (dir)
		closedir(dir);
}

static bool is_pci(const char *pci, const char *name)
{
	static const char domain0[] = "0000:";

	return *pci &&
	       (strcasecmp(pci, name) == 0 || (strncmp(pci, domain0, strlen(domain0)) == 0 &&
					       strcasecmp(pci + strlen(domain0), name) == 0));
}

bool mlx5_name_is(const struct ibv_device *ib, const char *name)
{
	char pci[NAME_MAX + 1], parent[PATH_MAX];

	if (strcmp(ib->name, name) == 0)
		return true;
	mlx5_name_pci(ib, pci, sizeof(pci));
	return is_pci(pci, name) || (parent_of(ib, parent) && is_netdev_of(name, parent));
}

void mlx5_name_list(struct ibv_device *const *list, char *text, size_t size)
{
	size_t used = 0;

	*text = 0;
	for (; *list; list++) {
		char one[256], pci[64], netdev[32];
		int n;

		mlx5_name_pci(*list, pci, sizeof(pci));
		mlx5_name_netdev(*list, netdev, sizeof(netdev));
		n = snprintf(one, sizeof(one), "%s%s%s%s%s%s%s", used ? ", " : "", (*list)->name,
			     *pci || *netdev ? " (" : "", pci, *pci && *netdev ? ", " : "", netdev,
			     *pci || *netdev ? ")" : "");
		if (n < 0 || (size_t)n >= sizeof(one) || used + (size_t)n >= size)
			return;
		memcpy(text + used, one, (size_t)n + 1);
		used += (size_t)n;
	}
}

unsigned int mlx5_name_mtu(const struct ibv_device *ib)
{
	char netdev[64], mtu[32];

	mlx5_name_netdev(ib, netdev, sizeof(netdev));
	if (!*netdev || !read_net(netdev, "mtu", mtu, sizeof(mtu)))
		return 0;
	return (unsigned int)strtoul(mtu, NULL, 10);
}
