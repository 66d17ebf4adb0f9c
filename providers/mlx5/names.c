// SPDX-License-Identifier: BSD-2-Clause
/*
 * Names, from the directory of the device in sysfs.
 *
 *	class/infiniband/mlx5_0/device ──▶ devices/pci0000:64/.../0000:65:00.0/net/eth4/
 *	class/infiniband/mlx5_0/ports/1/gid_attrs/ndevs/0: eth4, or bond0 when two ports are one device
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

/* First line of a file in the device's directory of class/infiniband. */
static bool read_line(const struct ibv_device *ib, const char *file, char *line, int size)
{
	char path[PATH_MAX];
	FILE *f;
	bool ok;

	snprintf(path, sizeof(path), "%s/%s", ib->ibdev_path, file);
	f = fopen(path, "re");
	if (!f)
		return false;
	ok = fgets(line, size, f);
	fclose(f);
	if (ok)
		line[strcspn(line, "\n")] = 0;
	return ok && *line;
}

static bool read_net(const struct ibv_device *ib, const char *netdev, const char *file, char *line,
		     int size)
{
	char path[NAME_MAX + 64];

	snprintf(path, sizeof(path), "device/net/%s/%s", netdev, file);
	return read_line(ib, path, line, size);
}

static bool is_representor(const struct ibv_device *ib, const char *netdev)
{
	char port[32];
	size_t digits;

	if (!read_net(ib, netdev, "phys_port_name", port, sizeof(port)))
		return false;
	digits = strspn(port + 1, "0123456789");
	return port[0] != 'p' || !digits || port[1 + digits];
}

/* The next netdev of the device, NULL: none. */
static const char *next_netdev(const struct ibv_device *ib, DIR *dir)
{
	const struct dirent *e;

	while ((e = readdir(dir)))
		if (e->d_name[0] != '.' && !is_representor(ib, e->d_name))
			return e->d_name;
	return NULL;
}

static DIR *open_netdevs(const struct ibv_device *ib)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/device/net", ib->ibdev_path);
	return opendir(path);
}

/* The one that the kernel sends RoCE through. */
static bool read_port_netdev(const struct ibv_device *ib, char *name, size_t size)
{
	*name = 0;
	return read_line(ib, "ports/1/gid_attrs/ndevs/0", name, (int)size);
}

static bool is_netdev(const struct ibv_device *ib, const char *name)
{
	char port[64];
	const char *netdev = NULL;
	DIR *dir;

	if (read_port_netdev(ib, port, sizeof(port)) && strcmp(port, name) == 0)
		return true;
	dir = open_netdevs(ib);
	if (!dir)
		return false;
	while ((netdev = next_netdev(ib, dir)) && strcmp(netdev, name) != 0)
		;
	closedir(dir);
	return netdev;
}

void mlx5_name_pci(const struct ibv_device *ib, char *name, size_t size)
{
	char path[PATH_MAX], to[PATH_MAX];

	*name = 0;
	snprintf(path, sizeof(path), "%s/device", ib->ibdev_path);
	if (realpath(path, to))
		snprintf(name, size, "%s", strrchr(to, '/') + 1);
}

void mlx5_name_netdev(const struct ibv_device *ib, char *name, size_t size)
{
	const char *netdev;
	DIR *dir;

	if (read_port_netdev(ib, name, size))
		return;
	*name = 0;
	dir = open_netdevs(ib);
	if (!dir)
		return;
	netdev = next_netdev(ib, dir);
	if (netdev)
		snprintf(name, size, "%s", netdev);
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
	char pci[NAME_MAX + 1];

	if (strcmp(ib->name, name) == 0)
		return true;
	mlx5_name_pci(ib, pci, sizeof(pci));
	return is_pci(pci, name) || is_netdev(ib, name);
}

static int by_name(const void *a, const void *b)
{
	return strverscmp((*(struct ibv_device *const *)a)->name,
			  (*(struct ibv_device *const *)b)->name);
}

void mlx5_name_list(struct ibv_device **list, char *text, size_t size)
{
	size_t used = 0, n = 0;

	while (list[n])
		n++;
	qsort(list, n, sizeof(*list), by_name);

	*text = 0;
	for (; *list; list++) {
		char one[256], pci[64], netdev[32];
		int len;

		mlx5_name_pci(*list, pci, sizeof(pci));
		mlx5_name_netdev(*list, netdev, sizeof(netdev));
		len = snprintf(one, sizeof(one), "%s%s%s%s%s%s%s", used ? ", " : "", (*list)->name,
			       *pci || *netdev ? " (" : "", pci, *pci && *netdev ? ", " : "",
			       netdev, *pci || *netdev ? ")" : "");
		if (len < 0 || (size_t)len >= sizeof(one) || used + (size_t)len >= size)
			return;
		memcpy(text + used, one, (size_t)len + 1);
		used += (size_t)len;
	}
}

unsigned int mlx5_name_mtu(const struct ibv_device *ib)
{
	char netdev[64], mtu[32];

	mlx5_name_netdev(ib, netdev, sizeof(netdev));
	if (!*netdev || !read_net(ib, netdev, "mtu", mtu, sizeof(mtu)))
		return 0;
	return (unsigned int)strtoul(mtu, NULL, 10);
}
