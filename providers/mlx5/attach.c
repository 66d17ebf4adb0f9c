// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules of the NIC's root. The root belongs to the kernel, so that a rule in it is made by the kernel: a matcher (mask,
 * priority, direction) and one flow, whose destination is a flow table of ours. Both need CAP_NET_RAW (-EPERM).
 *
 *	kernel's root ──priority 2p+1──▶ matcher ──flow: DEST_DEVX──▶ our table
 *
 *	our table ──rule──▶ steering anchor of priority q ──▶ kernel's root from priority 2q+1 on ──▶ the kernel
 *
 * Only these few rules go this way; everything in our tables is commands of ours. Source: Linux
 * drivers/infiniband/hw/mlx5/fs.c.
 */
#include "device.h"
#include "result.h"
#include "prm/prm.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { PRIORITIES = 16 };

/* Size and bytes, as libmlx5 takes them. */
struct match {
	size_t size;
	uint64_t bytes[PRM_BYTES(fte_match_param) / 8];
};

_Static_assert(offsetof(struct match, bytes) ==
		       offsetof(struct mlx5dv_flow_match_parameters, match_buf),
	       "layout of struct mlx5dv_flow_match_parameters");

struct prov_attachment {
	struct mlx5_left left;
	struct mlx5dv_flow_matcher *matcher;
	struct ibv_flow *flow; /* NULL: none, or destroyed already */
};

/* The kernel has its own word where firmware refuses: EINVAL, or EBUSY while something uses it. */
static bool is_refusal(int err)
{
	return err == EINVAL || err == EBUSY;
}

static int refused_or(int err)
{
	return is_refusal(err) ? -EREMOTEIO : mlx5_result(err);
}

static int destroy_flow(struct prov_attachment *at)
{
	int err = at->flow ? ibv_destroy_flow(at->flow) : 0;

	if (!err)
		at->flow = NULL;
	return err;
}

static int destroy_attachment(struct mlx5_left *left)
{
	struct prov_attachment *at = (struct prov_attachment *)left;
	int err = destroy_flow(at);

	return err ? err : mlx5dv_destroy_flow_matcher(at->matcher);
}

static struct mlx5dv_flow_match_parameters *fill(struct match *m, const void *from)
{
	memset(m, 0, sizeof(*m));
	m->size = sizeof(m->bytes);
	if (from)
		memcpy(m->bytes, from, sizeof(m->bytes));
	return (struct mlx5dv_flow_match_parameters *)(void *)m;
}

static struct mlx5dv_flow_matcher *create_matcher(struct ibv_context *ctx,
						  const struct prov_attach *a)
{
	struct match mask;
	struct mlx5dv_flow_matcher_attr attr = {
		.type = IBV_FLOW_ATTR_NORMAL,
		.priority = (uint16_t)a->priority,
		.match_criteria_enable = a->criteria_enable,
		.match_mask = fill(&mask, a->mask),
		.comp_mask = MLX5DV_FLOW_MATCHER_MASK_FT_TYPE,
		.ft_type = a->dir == PROV_TX ? MLX5DV_FLOW_TABLE_TYPE_NIC_TX
					     : MLX5DV_FLOW_TABLE_TYPE_NIC_RX,
	};

	errno = 0;
	return mlx5dv_create_flow_matcher(ctx, &attr);
}

static struct ibv_flow *create_flow(const struct prov_attach *a,
				    struct mlx5dv_flow_matcher *matcher)
{
	struct match value;
	struct mlx5dv_flow_action_attr to = {.type = MLX5DV_FLOW_ACTION_DEST_DEVX,
					     .obj = a->table->devx};

	errno = 0;
	return mlx5dv_create_flow(matcher, fill(&value, a->value), 1, &to);
}

int mlx5_attach(struct prov_device *dev, const struct prov_attach *a, struct prov_attachment **out)
{
	struct ibv_context *ctx = mlx5_ctx(dev);
	struct prov_attachment *at;
	int err;

	if (a->priority >= PRIORITIES || !a->table)
		return -EINVAL;
	at = calloc(1, sizeof(*at));
	if (!at)
		return -ENOMEM;
	at->left.destroy = destroy_attachment;
	at->matcher = create_matcher(ctx, a);
	if (!at->matcher) {
		err = refused_or(mlx5_failed());
		free(at);
		return err;
	}
	mlx5_left_add(dev, ctx, &at->left);
	at->flow = create_flow(a, at->matcher);
	if (!at->flow) {
		err = refused_or(mlx5_failed());
		mlx5_detach(dev, at);
		return err;
	}
	*out = at;
	return 0;
}

/* Without its flow it takes no packet any more; a matcher that cannot be destroyed now goes at close. */
int mlx5_detach(struct prov_device *dev, struct prov_attachment *at)
{
	int err = destroy_flow(at);

	if (err)
		return is_refusal(err) ? -EREMOTEIO : mlx5_left_failed(dev, &at->left, err);
	if (destroy_attachment(&at->left) == 0) {
		mlx5_left_remove(dev, &at->left);
		free(at);
	}
	return 0;
}

/* -- the way back ------------------------------------------------------------------------------------------------ */

/* How drivers say that they do not know of anchors: EPROTONOSUPPORT is the word for an unknown method. */
static int anchor_failed(int err)
{
	return err == EPROTONOSUPPORT || err == ENOSYS ? -EOPNOTSUPP : refused_or(err);
}

struct prov_anchor {
	struct mlx5_left left;
	struct mlx5dv_steering_anchor *anchor;
};

static int destroy_anchor(struct mlx5_left *left)
{
	return mlx5dv_destroy_steering_anchor(((struct prov_anchor *)left)->anchor);
}

int mlx5_anchor(struct prov_device *dev, unsigned int priority, struct prov_anchor **out,
		uint32_t *table_id)
{
	struct mlx5dv_steering_anchor_attr attr = {.ft_type = MLX5DV_FLOW_TABLE_TYPE_NIC_RX,
						   .priority = (uint16_t)priority};
	struct ibv_context *ctx = mlx5_ctx(dev);
	struct prov_anchor *a;
	int err;

	if (priority >= PRIORITIES)
		return -EINVAL;
	a = calloc(1, sizeof(*a));
	if (!a)
		return -ENOMEM;
	a->left.destroy = destroy_anchor;
	errno = 0;
	a->anchor = mlx5dv_create_steering_anchor(ctx, &attr);
	if (!a->anchor) {
		err = anchor_failed(mlx5_failed());
		free(a);
		return err;
	}
	mlx5_left_add(dev, ctx, &a->left);
	*table_id = a->anchor->id;
	*out = a;
	return 0;
}

int mlx5_anchor_free(struct prov_device *dev, struct prov_anchor *a)
{
	int err = destroy_anchor(&a->left);

	if (err)
		return is_refusal(err) ? -EREMOTEIO : mlx5_left_failed(dev, &a->left, err);
	mlx5_left_remove(dev, &a->left);
	free(a);
	return 0;
}
