// SPDX-License-Identifier: BSD-2-Clause
/* Opening and closing the IPsec service, and its counters. */
#include "params.h"
#include "service.h"

#include "objects/alloc.h"
#include "objects/error.h"

#include <stdlib.h>
#include <string.h>

enum {
	DEFAULT_SA = 4096,
	MAX_SA = 16384,
	DEFAULT_POLICY = 512,
	MAX_POLICY = 4096,
};

static int check(struct mlxo_device *dev, const struct mlxo_ipsec_opts *o)
{
	if (o->max_sa > MAX_SA)
		return obj_error(-EINVAL, "max_sa %u: 1 to %u are allowed", o->max_sa, MAX_SA);
	if (o->max_policy > MAX_POLICY)
		return obj_error(-EINVAL, "max_policy %u: 1 to %u are allowed", o->max_policy,
				 MAX_POLICY);
	if (o->channel && queue_channel_device(o->channel) != dev)
		return obj_error(-EINVAL, "the channel belongs to another device");
	return mlxo_device_check_ipsec_packet(dev, false);
}

int mlxo_ipsec_open(struct mlxo_device *dev, const struct mlxo_ipsec_opts *opts,
		    struct mlxo_ipsec **ipsec)
{
	struct mlxo_ipsec_opts o = {.size = sizeof(o)};
	struct mlxo_ipsec *svc;
	int err = 0;

	*ipsec = NULL;
	if (opts)
		err = ipsec_take_struct("struct mlxo_ipsec_opts", opts, opts->size, &o, sizeof(o));
	if (!err)
		err = check(dev, &o);
	if (err)
		return err;
	svc = mlxo_calloc(1, sizeof(*svc));
	if (!svc)
		return obj_error_nomem("the IPsec service");
	pthread_mutex_init(&svc->lock, NULL);
	svc->dev = dev;
	svc->channel = o.channel;
	svc->rx_all = o.rx_all;
	svc->esp_all = o.rx_all || o.esp_all;
	svc->max_sa = o.max_sa ? o.max_sa : DEFAULT_SA;
	svc->max_policy = o.max_policy ? o.max_policy : DEFAULT_POLICY;
	err = pipeline_create(svc);
	if (err) {
		mlxo_ipsec_close(svc);
		return err;
	}
	*ipsec = svc;
	return 0;
}

/* What the device would not let go before. It goes with the device at the latest, so the memory is freed now. */
static void close_stuck(struct mlxo_ipsec *svc)
{
	while (svc->stuck_policies) {
		struct mlxo_ipsec_policy *p = svc->stuck_policies;

		svc->stuck_policies = p->next;
		policy_uninstall(p);
		policy_abandon(p);
		mlxo_free(p->dev_label);
		mlxo_free(p);
	}
	while (svc->stuck_sas) {
		struct mlxo_ipsec_sa *sa = svc->stuck_sas;

		svc->stuck_sas = sa->next;
		sa_uninstall(sa);
		mlxo_secret_destroy(sa->params.key);
		mlxo_free(sa->dev_label);
		mlxo_free(sa);
	}
}

/* Slots of lost rules, and of SAs and policies that were stuck. */
static void close_slots(struct mlxo_ipsec *svc)
{
	while (svc->slots) {
		struct ipsec_slot *s = svc->slots;

		svc->slots = s->next;
		obj_modhdr_destroy(svc->dev, &s->write);
		obj_modhdr_destroy(svc->dev, &s->write); /* refused: once more */
		mlxo_free(s);
	}
}

static void free_lists(struct mlxo_ipsec *svc)
{
	while (svc->ghosts) {
		struct ipsec_ghost *g = svc->ghosts;

		svc->ghosts = g->next;
		mlxo_free(g);
	}
	while (svc->lost_places) {
		struct ipsec_place *l = svc->lost_places;

		svc->lost_places = l->next;
		mlxo_free(l);
	}
}

/* SAs and policies that were not deleted because the device refused: their memory. */
static void abandon(struct mlxo_ipsec *svc)
{
	for (int dir = 0; dir < 2; dir++)
		while (svc->policies[dir]) {
			struct mlxo_ipsec_policy *p = svc->policies[dir];

			svc->policies[dir] = p->next;
			p->next = svc->stuck_policies;
			svc->stuck_policies = p;
		}
	while (svc->sas) {
		struct mlxo_ipsec_sa *sa = svc->sas;

		svc->sas = sa->next;
		sa->next = svc->stuck_sas;
		svc->stuck_sas = sa;
	}
	close_stuck(svc);
}

void mlxo_ipsec_close(struct mlxo_ipsec *svc)
{
	if (!svc)
		return;
	obj_undo_begin(); /* nobody can be told but the log */
	mlxo_ipsec_policy_flush(svc, NULL);
	mlxo_ipsec_sa_flush(svc, NULL);
	abandon(svc);
	close_slots(svc);
	pipeline_destroy(svc);
	obj_undo_end();
	free_lists(svc);
	pthread_mutex_destroy(&svc->lock);
	mlxo_free(svc);
}

static const struct {
	const char *name, *about;
} words[IPSEC_NCOUNTS] = {
	[COUNT_RX_FRAGMENT] = {"rx_drop_fragment", "fragments of ESP packets"},
	[COUNT_RX_NO_SA] = {"rx_drop_no_sa", "ESP packets with a destination and SPI of no SA"},
	[COUNT_RX_STATUS] = {"rx_drop_status", "packets of an SA that was just removed"},
	[COUNT_RX_NO_CHANNEL] = {"rx_drop_no_channel", "packets that no channel was there for"},
	[COUNT_RX_KERNEL] = {"rx_to_kernel", "ESP that no SA is for, and fragments of ESP"},
	[COUNT_TX_NO_STATE] = {"tx_drop_no_state",
			       "packets that a policy protects and no SA matches"},
};

int mlxo_ipsec_stats(struct mlxo_ipsec *svc, struct mlxo_stat **stats, size_t *n)
{
	/* for the caller's free(), so it comes from the C library */
	struct mlxo_stat *s = calloc(IPSEC_NCOUNTS + 4, sizeof(*s));
	size_t k = 0;
	int err = 0;

	*stats = NULL;
	*n = 0;
	if (!s)
		return obj_error_nomem("counters");
	pthread_mutex_lock(&svc->lock);
	s[k++] = (struct mlxo_stat){"ipsec", "sa_in", svc->nsa[0], "inbound SAs"};
	s[k++] = (struct mlxo_stat){"ipsec", "sa_out", svc->nsa[1], "outbound SAs"};
	s[k++] = (struct mlxo_stat){"ipsec", "policy_in", svc->npolicy[0], "inbound policies"};
	s[k++] = (struct mlxo_stat){"ipsec", "policy_out", svc->npolicy[1], "outbound policies"};
	for (unsigned int i = 0; i < IPSEC_NCOUNTS && !err; i++) {
		s[k] = (struct mlxo_stat){"ipsec", words[i].name, 0, words[i].about};
		err = obj_counter_query(svc->dev, &svc->pipe.count[i], &s[k++].value, NULL);
	}
	pthread_mutex_unlock(&svc->lock);
	if (err) {
		free(s);
		return err;
	}
	*stats = s;
	*n = k;
	return 0;
}
