// SPDX-License-Identifier: BSD-2-Clause
/* CREATE_FLOW_TABLE and DESTROY_FLOW_TABLE, and the rule of the NIC's root that leads to a table. */
#include "steering/table.h"
#include "objects/error.h"
#include "steering/group.h"

#include <errno.h>
#include <string.h>

uint8_t steer_table_type(const struct steer_table *table)
{
	return table->dir == PROV_TX ? PRM_FLOW_TABLE_TYPE_NIC_TX : PRM_FLOW_TABLE_TYPE_NIC_RX;
}

static const char *dir_name(enum prov_dir dir)
{
	return dir == PROV_TX ? "TX" : "RX";
}

static int check(struct mlxo_device *dev, const struct steer_table_attr *a)
{
	bool tx = a->dir == PROV_TX;
	uint64_t max_level = obj_cap(dev, tx ? OBJ_CAP_tx_max_ft_level : OBJ_CAP_rx_max_ft_level);
	uint64_t max_size =
		obj_cap(dev, tx ? OBJ_CAP_tx_log_max_ft_size : OBJ_CAP_rx_log_max_ft_size);

	if (a->level >= max_level)
		return obj_error(-EINVAL,
				 "%s flow table of level %u: the device has levels below %u",
				 dir_name(a->dir), a->level, (unsigned int)max_level);
	if (a->log_size > max_size)
		return obj_error(-EINVAL,
				 "%s flow table of 2^%u rules: the device takes up to 2^%u",
				 dir_name(a->dir), a->log_size, (unsigned int)max_size);
	if (a->miss && (a->miss->dir != a->dir || a->miss->level <= a->level))
		return obj_error(
			-EINVAL,
			"%s flow table of level %u cannot miss to a %s table of level %u: the "
			"same direction and a higher level are needed",
			dir_name(a->dir), a->level, dir_name(a->miss->dir), a->miss->level);
	return 0;
}

int steer_table_create(struct mlxo_device *dev, const struct steer_table_attr *attr,
		       struct steer_table *table)
{
	uint8_t in[PRM_BYTES(create_flow_table_in)] = {0};
	uint8_t out[PRM_BYTES(create_flow_table_out)];
	uint8_t *ctx = PRM_AT(create_flow_table_in, in, flow_table_context);
	int err;

	*table = (struct steer_table){.dev = dev,
				      .dir = attr->dir,
				      .level = attr->level,
				      .log_size = attr->log_size,
				      .reformat_en = attr->reformat_en,
				      .decap_en = attr->decap_en};
	err = check(dev, attr);
	if (err)
		return err;
	PRM_SET(create_flow_table_in, in, opcode, PRM_CMD_OP_CREATE_FLOW_TABLE);
	PRM_SET(create_flow_table_in, in, table_type, steer_table_type(table));
	PRM_SET(flow_table_context, ctx, reformat_en, attr->reformat_en);
	PRM_SET(flow_table_context, ctx, decap_en, attr->decap_en);
	PRM_SET(flow_table_context, ctx, level, attr->level);
	PRM_SET(flow_table_context, ctx, log_size, attr->log_size);
	if (attr->miss) {
		PRM_SET(flow_table_context, ctx, table_miss_action, PRM_FLOW_TABLE_MISS_ACTION_FWD);
		PRM_SET(flow_table_context, ctx, table_miss_id, attr->miss->obj.id);
	}
	return obj_create(dev, OBJ_CREATE(OBJ_TABLE, in, out, create_flow_table_out, table_id),
			  &table->obj);
}

int steer_table_destroy(struct steer_table *table)
{
	int err;

	if (!obj_is_live(&table->obj))
		return 0;
	if (table->attachments)
		return obj_error(-EBUSY, "flow table %u is still attached", table->obj.id);
	if (table->groups)
		return obj_error(-EBUSY, "flow table %u still has flow group %u", table->obj.id,
				 table->groups->obj.id);
	err = obj_destroy(table->dev, &table->obj);
	if (!obj_is_live(&table->obj))
		steer_group_forget_lost(table);
	return err;
}

void steer_table_fini(struct steer_table *table)
{
	steer_group_forget_all(table);
}

/* Rules of the root are the provider's to make: of a refusal it knows only that it was one. */
static const char *reason(int err)
{
	return err == -EREMOTEIO ? "refused" : strerror(-err);
}

static int send_attach(struct steer_table *table, unsigned int priority,
		       const struct steer_match *match, struct prov_attachment **prov)
{
	struct prov_attach attach = {.dir = table->dir,
				     .priority = priority,
				     .table = table->obj.prov,
				     .table_id = table->obj.id};

	if (match) {
		attach.criteria_enable = match->enable;
		attach.mask = match->mask;
		attach.value = match->value;
	}
	return table->dev->ops->attach(table->dev->prov, &attach, prov);
}

int steer_table_attach(struct steer_table *table, unsigned int priority,
		       const struct steer_match *match, struct steer_attachment *a)
{
	int err;

	*a = (struct steer_attachment){0};
	if (table->dir == PROV_TX && !(match && steer_match_has_source_sqn(match)))
		return obj_error(-EINVAL,
				 "a TX flow table must be attached for one send queue: the "
				 "root sees those of all programs");
	err = obj_quarantine_reserve(table->dev);
	if (err)
		return err;
	err = send_attach(table, priority, match, &a->prov);
	if (!err) {
		a->table = table;
		table->attachments++;
		return 0;
	}
	a->prov = NULL;
	if (obj_is_unknown(err))
		obj_quarantine_add(table->dev, OBJ_ATTACHMENT, 0, "attach");
	else
		obj_quarantine_release(table->dev);
	return obj_error(err, "%s flow table %u cannot be attached: %s", dir_name(table->dir),
			 table->obj.id, reason(err));
}

int steer_table_detach(struct steer_attachment *a)
{
	struct steer_table *table = a->table;
	int err;

	if (!a->prov)
		return 0;
	err = table->dev->ops->detach(table->dev->prov, a->prov);
	if (obj_is_unknown(err))
		obj_quarantine_add(table->dev, OBJ_ATTACHMENT, 0, "detach");
	else if (!err || err == -EIO)
		obj_quarantine_release(table->dev);
	if (!err || err == -EIO || obj_is_unknown(err)) {
		table->attachments--;
		*a = (struct steer_attachment){0};
	}
	return err ? obj_error(err, "%s flow table %u cannot be detached: %s", dir_name(table->dir),
			       table->obj.id, reason(err))
		   : 0;
}

/* -- the way back ------------------------------------------------------------------------------------------------ */

int steer_anchor_create(struct mlxo_device *dev, unsigned int priority, struct steer_anchor *a)
{
	int err;

	*a = (struct steer_anchor){0};
	if (!obj_cap(dev, OBJ_CAP_rx_ignore_flow_level))
		return obj_error(-EOPNOTSUPP,
				 "device %s cannot lead packets back to the kernel "
				 "(nic_receive.ignore_flow_level)",
				 mlxo_device_name(dev));
	err = obj_quarantine_reserve(dev);
	if (err)
		return err;
	err = dev->ops->anchor(dev->prov, priority, &a->prov, &a->table_id);
	if (!err) {
		a->dev = dev;
		return 0;
	}
	a->prov = NULL;
	if (obj_is_unknown(err))
		obj_quarantine_add(dev, OBJ_ANCHOR, 0, "create");
	else
		obj_quarantine_release(dev);
	return obj_error(err, "a steering anchor cannot be created: %s", reason(err));
}

int steer_anchor_destroy(struct steer_anchor *a)
{
	struct mlxo_device *dev = a->dev;
	int err;

	if (!a->prov)
		return 0;
	err = dev->ops->anchor_free(dev->prov, a->prov);
	if (obj_is_unknown(err))
		obj_quarantine_add(dev, OBJ_ANCHOR, a->table_id, "destroy");
	else if (!err || err == -EIO)
		obj_quarantine_release(dev);
	if (!err || err == -EIO || obj_is_unknown(err))
		*a = (struct steer_anchor){0};
	return err ? obj_error(err, "the steering anchor cannot be destroyed: %s", reason(err)) : 0;
}
