/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The seam: how words reach a device. Everything above this file is the same for a real NIC and for the model;
 * everything below it knows nothing of what is above.
 *
 *      objects/  queues/  steering/  offload/
 *   ---------------- struct prov_ops -----------------
 *      providers/mlx5 (libmlx5 DevX)     providers/model (software ConnectX)
 *
 * DevX-shaped on purpose: a create returns a handle, and the handle, not a mailbox, destroys the object, because
 * the kernel's DevX layer accepts no destroy opcode from a program. Commands are asynchronous: submit() starts
 * one, progress() finishes some. Nothing above the seam reads a clock, sleeps or starts a thread.
 *
 * Threads: every operation may be called from any thread unless it says otherwise. `done` runs in the thread that
 * called submit() or progress(); it may submit, it must not wait.
 */
#ifndef PROVIDERS_PROVIDER_H
#define PROVIDERS_PROVIDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct prov_device; /* a provider's device; starts with struct prov_base */
struct prov_obj;    /* a firmware object this device created; the provider's own type */

enum prov_cmd_kind {
	PROV_CMD_GENERAL, /* no object: QUERY_HCA_CAP, SYNC_CRYPTO, NOP (DevX general command) */
	PROV_CMD_CREATE, /* CREATE_x, ALLOC_x, SET_FTE op_mod 0: on success *obj receives a handle */
	PROV_CMD_MODIFY, /* MODIFY_x, SET_FTE op_mod 1 on obj */
	PROV_CMD_QUERY,	 /* QUERY_x on obj */
	/* obj; the provider builds the mailbox. in is ignored; on success the handle is gone, and on -EIO */
	PROV_CMD_DESTROY,
};

/*
 * One command. The caller owns the struct and both mailboxes until `done` was called; `done` may free them.
 *
 * result: 0; -EREMOTEIO: the device refused, status and syndrome are in out (also for DESTROY when outlen >= 16);
 * -ETIMEDOUT: no answer, whether the device did it is unknown, and there is no handle; -ENOMEM, -EINVAL: not sent;
 * -EIO: the device is dead (fatal error). The uid field of `in` is overwritten by the provider.
 */
struct prov_cmd {
	enum prov_cmd_kind kind;
	void *in;
	size_t inlen;
	void *out;
	size_t outlen;
	struct prov_obj *obj;
	int result;
	void (*done)(struct prov_cmd *cmd); /* NULL: prov_cmd_wait() is used */
	void *ctx;			    /* the caller's */
	struct prov_cmd *next;		    /* the provider's while the command is in flight */
	uint64_t private_data[2];	    /* the provider's while the command is in flight */
};

/* Registered memory a device object (ring, doorbell record) lives in. addr stays the caller's. */
struct prov_umem {
	void *addr;
	size_t len;
	uint32_t id; /* for *_umem_id fields */
	void *priv;
};

/* Memory that data segments of WQEs may name. */
struct prov_mr {
	void *addr;
	size_t len;
	uint32_t lkey;
	void *priv;
};

/* A doorbell page. */
struct prov_uar {
	uint32_t page_id; /* for uar_page fields */
	void *reg;	  /* doorbell register of a real NIC, NULL on the model */
	void *priv;
};

enum prov_dir { PROV_RX, PROV_TX };

/*
 * A rule under the NIC's root that leads to our table. match_* are struct fte_match_param (512 bytes) and the
 * match_criteria_enable bits; enable 0 takes every packet of that direction. TX sees all SQs of the function:
 * match misc.source_sqn. priority 0..15, lower first.
 */
struct prov_attach {
	enum prov_dir dir;
	unsigned int priority;
	uint8_t criteria_enable;
	const void *mask, *value;
	struct prov_obj *table;
	uint32_t table_id;
};

struct prov_attachment;
struct prov_anchor;

/* A deadline: fire() is called once from progress() when now() >= when. One thread at a time per timer. */
struct prov_timer {
	uint64_t when; /* ns of now() */
	void (*fire)(struct prov_timer *t);
	void *ctx;
	bool armed;
	struct prov_timer *next, *prev, *child; /* these and order: the provider's while armed */
	uint64_t order;
};

struct prov_ops {
	const char *name; /* "model", "mlx5" */

	/* spec is the whole device name, e.g. "model:port=pair:a". why receives one sentence on failure. */
	int (*open)(const char *spec, struct prov_device **dev, char *why, size_t whylen);
	/* Destroys what is left in a safe order. No command may be in flight. NULL is allowed. */
	void (*close)(struct prov_device *dev);

	/*
	 * After the device died or was reset: get it back. What was made before is void; destroying it is allowed and costs
	 * nothing. 0, also when nothing was wrong; -EIO: it is not back yet; or -errno; each with a sentence in why. One thread
	 * at a time. NULL: a reset takes only the objects.
	 */
	int (*restart)(struct prov_device *dev, char *why, size_t whylen);

	int (*submit)(struct prov_device *dev,
		      struct prov_cmd *cmd); /* 0 or -errno; then done is not called */
	int (*progress)(
		struct prov_device *dev); /* completions + timers + frames handled; never blocks */
	int (*wait)(struct prov_device *dev,
		    int timeout_ms); /* sleep until progress() may have work */
	/* A descriptor that polls readable when progress() may have work, or -ENOTSUP. Owned by the device. */
	int (*fd)(struct prov_device *dev);

	/*
	 * From here to anchor_free: 0; -EREMOTEIO: refused, nothing was done; -ETIMEDOUT, -EPROTO: no answer, or one that
	 * says nothing, so that it may have been done; -EIO: the device is dead; -ENOMEM, -EINVAL, -ENOSPC: not sent.
	 */
	int (*umem_reg)(struct prov_device *dev, void *addr, size_t len, struct prov_umem *umem);
	int (*umem_dereg)(struct prov_device *dev,
			  struct prov_umem *umem); /* -EBUSY while an object uses it */
	int (*uar_alloc)(struct prov_device *dev, struct prov_uar *uar);
	int (*uar_free)(struct prov_device *dev, struct prov_uar *uar);
	/* pd: number of a PD of this device. Read and local write access. */
	int (*mr_reg)(struct prov_device *dev, uint32_t pd, void *addr, size_t len,
		      struct prov_mr *mr);
	int (*mr_dereg)(struct prov_device *dev, struct prov_mr *mr);
	int (*eqn)(struct prov_device *dev, uint32_t *eqn);

	int (*attach)(struct prov_device *dev, const struct prov_attach *a,
		      struct prov_attachment **out);
	int (*detach)(struct prov_device *dev,
		      struct prov_attachment *a); /* 0 or -errno: then still attached */

	/*
	 * A table by which received packets go on as if rules of less than this priority had not taken them: to those
	 * of this priority and later ones, then to the kernel. Rules that lead to it need ignore_flow_level. It must
	 * be freed after them. priority 1..15, beyond that of every attachment that leads there, or packets go round.
	 */
	int (*anchor)(struct prov_device *dev, unsigned int priority, struct prov_anchor **out,
		      uint32_t *table_id);
	int (*anchor_free)(struct prov_device *dev, struct prov_anchor *a);

	/*
	 * Ring the send doorbell after the doorbell record was written and a release barrier: ctrl is the first 8
	 * bytes of the last control segment as they lie in the ring. One thread at a time per queue. Data-path
	 * errors come as error CQEs, never from here.
	 */
	void (*ring)(struct prov_device *dev, struct prov_uar *uar, uint64_t ctrl);

	/*
	 * Arm a CQ: its next completion makes fd() readable, once. doorbell: the arm word, which was stored in the doorbell
	 * record with release before, in the high half, the CQ's number in the low one (PRM, CQ doorbell; libmlx5 does the
	 * same). 0; -EIO: the device is dead; -errno: fd() would not tell.
	 */
	int (*cq_arm)(struct prov_device *dev, struct prov_uar *uar, struct prov_obj *cq,
		      uint64_t doorbell);

	uint64_t (*now)(
		struct prov_device *dev); /* ns, monotonic; virtual where the device's time is */
	void (*timer_arm)(struct prov_device *dev, struct prov_timer *t);
	/* true: it was armed and will not fire. false: it was not, or another thread is about to call fire(). */
	bool (*timer_cancel)(struct prov_device *dev, struct prov_timer *t);

	/* Largest IP packet that the port takes, bytes. */
	unsigned int (*mtu)(struct prov_device *dev);

	/* Does the device answer to this netdev, verbs or PCI name? */
	bool (*is_named)(struct prov_device *dev, const char *name);
};

/* First member of every provider's device. */
struct prov_base {
	const struct prov_ops *ops;
	char name[128]; /* as shown to users: "model", "mlx5_0" */
};

static inline const struct prov_ops *prov_ops(const struct prov_device *dev)
{
	return ((const struct prov_base *)dev)->ops;
}

/*
 * Open by device name: "model" and "model:..." are the software ConnectX, any other is the verbs, PCI or netdev name of a
 * NIC. 0 or -errno with a sentence in why.
 */
int prov_open(const char *spec, struct prov_device **dev, char *why, size_t whylen);

/* Submit and run progress() until done. Returns cmd->result. Must not be called from a `done` callback. */
int prov_cmd_wait(struct prov_device *dev, struct prov_cmd *cmd);

extern const struct prov_ops model_prov_ops;
extern const struct prov_ops mlx5_prov_ops; /* in builds with MLXO_MLX5 */

#endif
