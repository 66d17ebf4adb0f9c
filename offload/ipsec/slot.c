// SPDX-License-Identifier: BSD-2-Clause
/*
 * Slots: one number for each thing that templates ask for. Few exist (one per reqid in use), so a list is searched.
 */
#include "service.h"

#include "objects/alloc.h"
#include "objects/error.h"

struct ipsec_slot *slot_get(struct mlxo_ipsec *svc, uint32_t reqid, enum mlxo_ipsec_mode mode,
			    uint8_t proto)
{
	struct ipsec_slot *s;

	for (s = svc->slots; s; s = s->next)
		if (s->reqid == reqid && s->mode == mode && s->proto == proto) {
			s->users++;
			return s;
		}
	s = mlxo_calloc(1, sizeof(*s));
	if (!s)
		return obj_error_null(-ENOMEM, "out of memory for a template slot");
	*s = (struct ipsec_slot){.number = ++svc->last_slot,
				 .reqid = reqid,
				 .mode = mode,
				 .proto = proto,
				 .users = 1,
				 .next = svc->slots};
	svc->slots = s;
	return s;
}

int slot_writer_get(struct mlxo_ipsec *svc, struct ipsec_slot *slot)
{
	struct obj_modhdr_set set = {
		.field = obj_modhdr_reg_c(IPSEC_REG_SLOT), .length = 32, .data = slot->number};
	int err = 0;

	if (!obj_is_live(&slot->write.obj))
		err = obj_modhdr_create(svc->dev, PRM_FLOW_TABLE_TYPE_NIC_TX, &set, 1,
					&slot->write);
	if (!err)
		slot->writers++;
	return err;
}

int slot_writer_put(struct mlxo_ipsec *svc, struct ipsec_slot *slot, bool *held)
{
	int err = slot->writers == 1 ? obj_modhdr_destroy(svc->dev, &slot->write) : 0;

	if (slot->writers == 1 && obj_is_live(&slot->write.obj))
		return err; /* refused: still held */
	slot->writers--;
	*held = false;
	return err;
}

void slot_put(struct mlxo_ipsec *svc, struct ipsec_slot *slot)
{
	struct ipsec_slot **at = &svc->slots;

	if (!slot || --slot->users)
		return;
	obj_modhdr_destroy(svc->dev, &slot->write);
	if (obj_is_live(
		    &slot->write.obj)) /* refused: try once more, then it goes with the device */
		obj_modhdr_destroy(svc->dev, &slot->write);
	while (*at != slot)
		at = &(*at)->next;
	*at = slot->next;
	mlxo_free(slot);
}
