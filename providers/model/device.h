/* SPDX-License-Identifier: BSD-2-Clause */
/* The model as a provider's device: shared by model.c (seam), attach.c (root rules) and spec.c (device name). */
#ifndef PROVIDERS_MODEL_DEVICE_H
#define PROVIDERS_MODEL_DEVICE_H

#include "control.h"
#include "devx.h"
#include "providers/timer.h"

#define MODEL_ROOT_LOG_SIZE 14 /* 16 priorities of MODEL_ROOT_PLACES rules */
#define MODEL_ROOT_PLACES 1024

struct model_pending; /* a command in flight, model.c */

struct prov_device {
	struct prov_base base;
	struct model_dev m;
	uint16_t uid;
	char *netdev; /* the name it answers to; NULL: every name */
	struct model_cost cost;

	/* Guards what follows. Rank 0: before the firmware's lock; no callback with it held. */
	pthread_mutex_t lock;
	struct model_pending *head, **tail; /* in the order in which the firmware does them */
	struct prov_timers timers;
	struct prov_obj *objs;
	struct prov_attachment *attachments;
	uint32_t root_id[2];
	uint64_t root_used[2][16]
			  [MODEL_ROOT_PLACES / 64]; /* rules of a priority: one bit per place */

	int epoll, event, timer; /* epoll holds the event, the timer and the port's descriptor */
	_Atomic bool signaled;	 /* event is readable */
	_Atomic int waiters;	 /* threads in wait() */
	uint64_t armed;		 /* deadline the timer is set to, 0: none */
};

/*
 * What the answer to a command of the provider's own says: 0; -EREMOTEIO: refused, nothing was done; -EPROTO: its
 * status means nothing, so that the command may have been done.
 */
int model_answer(const void *out);

/* attach.c */
int model_roots_create(struct prov_device *dev);
int model_attach(struct prov_device *dev, const struct prov_attach *a,
		 struct prov_attachment **out);
/* What faces ask for besides: an end that is no table, and what happens on the way. Numbers of firmware objects. */
struct model_root_rule {
	struct prov_attach match; /* table_id 0: another end */
	uint32_t tirn;		  /* 0: none */
	bool allow, drop, counted;
	uint32_t counter;
	uint32_t tag;		/* 24 bits */
	uint32_t modify_header; /* 0: none */
	uint32_t reformat;	/* 0: none */
	bool decap;
};
int model_root_add(struct prov_device *dev, const struct model_root_rule *r,
		   struct prov_attachment **out);
int model_detach(struct prov_device *dev, struct prov_attachment *a);
/* type: PRM_FLOW_TABLE_TYPE_NIC_RX or _TX; priority 0..15. out: firmware's answer. */
int model_anchor_create(struct prov_device *dev, uint8_t type, unsigned int priority,
			uint32_t *table, uint8_t out[16]);
int model_anchor_destroy(struct prov_device *dev, uint8_t type, uint32_t table, uint8_t out[16]);
int model_anchor(struct prov_device *dev, unsigned int priority, struct prov_anchor **out,
		 uint32_t *table_id);
int model_anchor_free(struct prov_device *dev, struct prov_anchor *a);
void model_attachments_free(struct prov_device *dev);

/* spec.c: options of a device name. */
struct model_spec {
	const struct model_profile *profile;
	enum model_time time;
	char *port, *netdev; /* malloc */
	unsigned int mtu;    /* 0: the profile's */
	uint64_t speed;	     /* bits/s */
	struct model_cost cost;
	unsigned int nfaults, ntimes;
	struct model_fault fault[MODEL_MAX_FAULTS];
	struct {
		uint16_t opcode;
		uint64_t ns;
	} times[64];
};
/* 0 or -errno with a sentence in why. model_spec_fini() in any case. */
int model_spec_parse(struct model_spec *s, const char *spec, char *why, size_t whylen);
void model_spec_fini(struct model_spec *s);

#endif
