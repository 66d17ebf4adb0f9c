// SPDX-License-Identifier: BSD-2-Clause
/*
 * Security associations as users hold them: add, find, walk, query, delete, flush.
 *
 * An SA is known by destination, SPI and protocol, as in RFC 4301 and in the kernel; the direction is not part of it.
 * Deleting leaves nothing, or, when the device refuses to let the SA rule go, the whole SA. Objects that the device
 * refuses to destroy behind the rule are kept aside and tried again at close.
 */
#include "params.h"
#include "service.h"

#include "objects/alloc.h"
#include "objects/error.h"

#include <arpa/inet.h>
#include <string.h>

static struct mlxo_ipsec_sa **bucket(struct mlxo_ipsec *svc, uint32_t spi)
{
	return &svc->hash[(spi ^ spi >> 12) % IPSEC_HASH];
}

static struct mlxo_ipsec_sa *find(struct mlxo_ipsec *svc, const struct mlxo_addr *dst, uint32_t spi)
{
	struct mlxo_ipsec_sa *sa = *bucket(svc, spi);

	while (sa && (sa->params.spi != spi || !ipsec_same_addr(&sa->params.dst, dst)))
		sa = sa->hash_next;
	return sa;
}

/* Another destination with the same SPI: legal, but worth a note (the kernel's allocator avoids it). */
static void note_same_spi(struct mlxo_ipsec *svc, uint32_t spi)
{
	for (struct mlxo_ipsec_sa *sa = *bucket(svc, spi); sa; sa = sa->hash_next)
		if (sa->params.spi == spi) {
			obj_log(MLXO_LOG_INFO, "spi 0x%08x is in use for another destination, too",
				spi);
			return;
		}
}

static void link_sa(struct mlxo_ipsec_sa *sa)
{
	struct mlxo_ipsec *svc = sa->svc;
	struct mlxo_ipsec_sa **at = bucket(svc, sa->params.spi);

	sa->hash_next = *at;
	*at = sa;
	at = &svc->peers[ipsec_peer_hash(&sa->params.dst)];
	sa->peer_next = *at;
	*at = sa;
	sa->prev = svc->last_sa;
	if (svc->last_sa)
		svc->last_sa->next = sa;
	else
		svc->sas = sa;
	svc->last_sa = sa;
	svc->nsa[sa->params.dir - 1]++;
}

static void unlink_sa(struct mlxo_ipsec_sa *sa)
{
	struct mlxo_ipsec *svc = sa->svc;
	struct mlxo_ipsec_sa **at = bucket(svc, sa->params.spi);

	while (*at != sa)
		at = &(*at)->hash_next;
	*at = sa->hash_next;
	at = &svc->peers[ipsec_peer_hash(&sa->params.dst)];
	while (*at != sa)
		at = &(*at)->peer_next;
	*at = sa->peer_next;
	if (sa->prev)
		sa->prev->next = sa->next;
	else
		svc->sas = sa->next;
	if (sa->next)
		sa->next->prev = sa->prev;
	else
		svc->last_sa = sa->prev;
	svc->nsa[sa->params.dir - 1]--;
}

/* Nothing of it is live any more; or keep it aside. */
static void free_sa(struct mlxo_ipsec_sa *sa)
{
	struct mlxo_ipsec *svc = sa->svc;

	mlxo_secret_destroy(sa->params.key);
	sa->params.key = NULL;
	if (sa_is_live(sa)) {
		sa->next = svc->stuck_sas;
		svc->stuck_sas = sa;
		return;
	}
	slot_put(svc, sa->slot);
	mlxo_free(sa->dev_label);
	mlxo_free(sa);
}

static int check_room(struct mlxo_ipsec *svc, const struct mlxo_ipsec_sa_params *p)
{
	char text[INET6_ADDRSTRLEN] = "";

	if (find(svc, &p->dst, p->spi)) {
		inet_ntop(p->dst.family, p->dst.bytes, text, sizeof(text));
		return obj_error(-EEXIST, "an SA with dst %s, proto esp, spi 0x%08x exists", text,
				 p->spi);
	}
	if (svc->nsa[p->dir - 1] >= svc->max_sa)
		return obj_error(-ENOSPC, "no room for another SA: the limit is %u per direction",
				 svc->max_sa);
	return 0;
}

static struct mlxo_ipsec_sa *new_sa(struct mlxo_ipsec *svc, const struct mlxo_ipsec_sa_params *p)
{
	struct mlxo_ipsec_sa *sa = mlxo_calloc(1, sizeof(*sa));

	if (!sa)
		return obj_error_null(-ENOMEM, "out of memory for a security association");
	sa->svc = svc;
	sa->params = *p;
	sa->params.key = NULL;
	if (p->dev) {
		sa->dev_label = mlxo_strdup(p->dev);
		if (!sa->dev_label) {
			obj_error_nomem("a security association");
			mlxo_free(sa);
			return NULL;
		}
	}
	sa->params.dev = sa->dev_label;
	sa->params.aead =
		"rfc4106(gcm(aes))"; /* the one that passes the check; the caller's text may go */
	sa->slot = slot_get(svc, p->reqid, p->mode, p->proto);
	if (!sa->slot) {
		mlxo_free(sa->dev_label);
		mlxo_free(sa);
		return NULL;
	}
	sa->params.key = mlxo_secret_ref(p->key);
	if (p->dir == MLXO_IPSEC_IN)
		sa->handle = ++svc->last_handle;
	return sa;
}

static int add(struct mlxo_ipsec *svc, const struct mlxo_ipsec_sa_params *p,
	       struct mlxo_ipsec_sa **out)
{
	struct mlxo_ipsec_sa *sa;
	int err = check_room(svc, p);

	if (err)
		return err;
	note_same_spi(svc, p->spi);
	sa = new_sa(svc, p);
	if (!sa)
		return -ENOMEM;
	err = sa_install(sa);
	if (err) {
		obj_undo_begin();
		free_sa(sa);
		obj_undo_end();
		return err;
	}
	link_sa(sa);
	*out = sa;
	return 0;
}

int mlxo_ipsec_sa_add(struct mlxo_ipsec *svc, const struct mlxo_ipsec_sa_params *params,
		      struct mlxo_ipsec_sa **sa)
{
	struct mlxo_ipsec_sa *made = NULL;
	struct mlxo_ipsec_sa_params p;
	int err = ipsec_sa_params_check(svc->dev, params, &p);

	if (!err) {
		pthread_mutex_lock(&svc->lock);
		err = add(svc, &p, &made);
		pthread_mutex_unlock(&svc->lock);
	}
	if (sa)
		*sa = made;
	return err;
}

int mlxo_ipsec_sa_check(struct mlxo_ipsec *svc, const struct mlxo_ipsec_sa_params *params)
{
	struct mlxo_ipsec_sa_params p;
	int err = ipsec_sa_params_check(svc->dev, params, &p);

	if (err)
		return err;
	pthread_mutex_lock(&svc->lock);
	err = check_room(svc, &p);
	pthread_mutex_unlock(&svc->lock);
	return err;
}

static int del(struct mlxo_ipsec_sa *sa)
{
	int err = sa_uninstall(sa);

	if (obj_is_live(&sa->rule.obj))
		return err;
	unlink_sa(sa);
	obj_undo_begin();
	free_sa(sa);
	obj_undo_end();
	return err;
}

int mlxo_ipsec_sa_del(struct mlxo_ipsec_sa *sa)
{
	struct mlxo_ipsec *svc = sa->svc;
	int err;

	pthread_mutex_lock(&svc->lock);
	err = del(sa);
	pthread_mutex_unlock(&svc->lock);
	return err;
}

int mlxo_ipsec_sa_flush(struct mlxo_ipsec *svc, size_t *n)
{
	struct mlxo_ipsec_sa *sa, *next;
	size_t before, left;
	int first = 0;

	pthread_mutex_lock(&svc->lock);
	before = svc->nsa[0] + svc->nsa[1];
	for (sa = svc->sas; sa; sa = next) {
		int err;

		next = sa->next;
		err = del(sa);
		if (err && !first) {
			first = err;
			obj_undo_begin();
		}
	}
	if (first)
		obj_undo_end();
	left = svc->nsa[0] + svc->nsa[1];
	pthread_mutex_unlock(&svc->lock);
	if (n)
		*n = before - left;
	return first;
}

struct mlxo_ipsec_sa *mlxo_ipsec_sa_find(struct mlxo_ipsec *svc, const struct mlxo_addr *dst,
					 uint32_t spi, enum mlxo_ipsec_dir dir)
{
	struct mlxo_ipsec_sa *sa;

	pthread_mutex_lock(&svc->lock);
	sa = find(svc, dst, spi);
	if (sa && dir && sa->params.dir != dir)
		sa = NULL;
	pthread_mutex_unlock(&svc->lock);
	if (sa)
		return sa;
	return obj_error_null(-ENOENT, "no SA with this destination and spi 0x%08x", spi);
}

struct mlxo_ipsec_sa *mlxo_ipsec_sa_next(struct mlxo_ipsec *svc, struct mlxo_ipsec_sa *prev)
{
	struct mlxo_ipsec_sa *sa;

	pthread_mutex_lock(&svc->lock);
	sa = prev ? prev->next : svc->sas;
	pthread_mutex_unlock(&svc->lock);
	return sa;
}

static int query(struct mlxo_ipsec_sa *sa, struct mlxo_ipsec_sa_info *info)
{
	struct mlxo_device *dev = sa->svc->dev;
	int err = obj_counter_query(dev, &sa->taken, &info->packets, &info->bytes);

	if (!err)
		err = obj_counter_query(dev, &sa->auth, &info->drop_auth, NULL);
	if (!err)
		err = obj_counter_query(dev, &sa->trailer, &info->drop_trailer, NULL);
	if (!err)
		err = obj_counter_query(dev, &sa->selector, &info->drop_selector, NULL);
	return err;
}

int mlxo_ipsec_sa_query(struct mlxo_ipsec_sa *sa, struct mlxo_ipsec_sa_info *info)
{
	struct mlxo_ipsec *svc = sa->svc;
	unsigned int mtu = svc->dev->ops->mtu(svc->dev->prov);
	int err;

	memset(info, 0, sizeof(*info));
	pthread_mutex_lock(&svc->lock);
	info->params = sa->params;
	info->params.key = NULL;
	info->key_bits = (unsigned int)(mlxo_secret_len(sa->params.key) - 4) * 8;
	info->overhead = ipsec_overhead(sa->params.dst.family);
	info->usable_mtu = ipsec_usable_mtu(mtu, sa->params.dst.family);
	info->dek_id = sa->dek.obj.id;
	info->ipsec_id = sa->ipsec.obj.id;
	info->slot = sa->slot->number;
	err = query(sa, info);
	pthread_mutex_unlock(&svc->lock);
	return err;
}

const struct mlxo_secret *mlxo_ipsec_sa_key(const struct mlxo_ipsec_sa *sa)
{
	return sa->params.key;
}
