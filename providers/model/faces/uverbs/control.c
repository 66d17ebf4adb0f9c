// SPDX-License-Identifier: BSD-2-Clause
/*
 * Cards on request, and the way to their models, for programs that know that they run on this library (control.h).
 *
 * A card that is free is stopped and started with other options. What libibverbs reads of it in sysfs stays, but for a
 * netdev of its own, whose MTU is the model's: devices/.../net/face3/mtu.
 *
 * Locks: `choosing` before the cards'.
 */
#include "control.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libc.h"
#include "uverbs.h"

static pthread_mutex_t choosing = PTHREAD_MUTEX_INITIALIZER;

/* -- a card ------------------------------------------------------------------------------------------------ */

static struct uv_card *named(const char *name)
{
	for (unsigned int i = 0; i < uv_ncards; i++)
		if (strcmp(uv_cards[i].name, name) == 0)
			return &uv_cards[i];
	return NULL;
}

static void write_mtu(const char *dir, unsigned int mtu)
{
	char path[PATH_MAX], text[16];
	int fd, n = snprintf(text, sizeof(text), "%u\n", mtu);

	if (snprintf(path, sizeof(path), "%s/mtu", dir) >= PATH_MAX)
		return;
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		return;
	(void)!write(fd, text, (size_t)n);
	close(fd);
}

/* What the provider for NICs asks a netdev for. A netdev that the card was named for at start keeps its place. */
static void put_netdev(const struct uv_card *card)
{
	const char *root = getenv("SYSFS_PATH");
	char dir[PATH_MAX];
	int n;

	if (!root || card->netdev[0])
		return;
	n = snprintf(dir, sizeof(dir), "%s/devices/pci0000:00/0000:%02x:00.0/net", root,
		     UV_FIRST_BUS + card->index);
	if (n >= PATH_MAX - 16 || (mkdir(dir, 0700) && errno != EEXIST))
		return;
	snprintf(dir + n, sizeof(dir) - (size_t)n, "/face%u", card->index);
	if (mkdir(dir, 0700) && errno != EEXIST)
		return;
	write_mtu(dir, prov_ops(card->prov)->mtu(card->prov));
}

/* With the card's lock. */
static int renew(struct uv_card *card, const char *options, char *why, size_t whylen)
{
	char *spec, *old;
	int err;

	if (asprintf(&spec, "model%s%s", *options ? ":" : "", options) < 0) {
		snprintf(why, whylen, "out of memory");
		return -ENOMEM;
	}
	old = card->spec;
	card->spec = NULL;
	uv_card_stop(card);
	card->spec = spec;
	err = uv_card_open(card, why, whylen);
	if (err)
		card->spec = old; /* for who opens it next */
	free(err ? spec : old);
	if (err)
		return err;
	card->reserved = true;
	put_netdev(card);
	return 0;
}

PUBLIC int mlxo_face_card_open(const char *options, char name[MLXO_FACE_NAME], char *why,
			       size_t whylen)
{
	int err = -EBUSY;

	snprintf(why, whylen, "none of the %u cards of MLXO_MODEL is free", uv_ncards);
	pthread_mutex_lock(&choosing);
	for (unsigned int i = 0; i < uv_ncards && err == -EBUSY; i++) {
		struct uv_card *card = &uv_cards[i];

		pthread_mutex_lock(&card->lock);
		if (!card->ctxs && !card->reserved)
			err = renew(card, options, why, whylen);
		if (!err)
			snprintf(name, MLXO_FACE_NAME, "%s", card->name);
		pthread_mutex_unlock(&card->lock);
	}
	pthread_mutex_unlock(&choosing);
	return err;
}

PUBLIC int mlxo_face_settle(const char *name)
{
	struct uv_card *card = named(name);

	return card ? uv_settle(card) : 0;
}

PUBLIC int mlxo_face_port(const char *name, bool up)
{
	struct uv_card *card = named(name);

	if (!card)
		return -ENODEV;
	uv_events_port(card, up);
	return 0;
}

/* -- controls ------------------------------------------------------------------------------------------------ */

/* NULL: the card was stopped since. */
static struct uv_card *card_of(const struct prov_device *prov)
{
	for (unsigned int i = 0; i < uv_ncards; i++)
		if (uv_cards[i].prov == prov)
			return &uv_cards[i];
	return NULL;
}

static int reset(struct prov_device *prov)
{
	struct uv_card *card = card_of(prov);

	return card ? uv_card_reset(card) : -ENODEV;
}

/* The card's thread sends while it has its turn. */
static int watch_wire(struct prov_device *prov, model_wire_fn fn, void *ctx)
{
	struct uv_card *card = card_of(prov);
	int err;

	if (!card)
		return -ENODEV;
	pthread_mutex_lock(&card->turn);
	err = model_controls.wire_watch(prov, fn, ctx);
	pthread_mutex_unlock(&card->turn);
	return err;
}

PUBLIC const struct model_controls *mlxo_face_controls(const char *name, struct prov_device **prov)
{
	static struct model_controls controls;
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	struct uv_card *card = named(name);

	pthread_mutex_lock(&lock);
	if (!controls.wire_watch) {
		controls = model_controls;
		controls.wire_watch = watch_wire;
		controls.reset = reset;
	}
	pthread_mutex_unlock(&lock);
	*prov = card ? card->prov : NULL;
	return *prov ? &controls : NULL;
}
