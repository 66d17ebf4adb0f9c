// SPDX-License-Identifier: BSD-2-Clause
/* Completion queues: making one, finding the next entry. */
#include "queues/cqe.h"
#include "objects/error.h"

#include <string.h>

/* Arm word: PRM, CQ doorbell record; libmlx5 mlx5_arm_cq(). */
enum { DBREC_ARM = 1, SN_AT = 28, SN_MASK = 3, ARM_ANY = 0 << 24 };
enum { LOG_CQE = 6, CQE_BYTES = 64, OWN_AT = PRM_OFFSET(cqe64, op_own) / 8, INDEX_MASK = 0xffffff };

int queue_cq_init(struct queue_cq *cq, struct mlxo_device *dev, unsigned int log_size)
{
	struct obj_cq_attr attr = {.log_size = log_size, .uar_page = dev->uar.page_id};
	int err;

	memset(cq, 0, sizeof(*cq));
	err = queue_ring_init(&cq->ring, dev, log_size, LOG_CQE);
	if (err)
		return err;
	for (uint32_t i = 0; i <= cq->ring.mask; i++)
		queue_ring_entry(&cq->ring, i)[OWN_AT] = PRM_CQE_OP_INVALID << 4 | 1;
	err = dev->ops->eqn(dev->prov, &attr.eqn);
	if (err)
		return obj_error(err, "device %s has no event queue for a completion queue: %s",
				 mlxo_device_name(dev), strerror(-err));
	attr.umem_id = cq->ring.mem->umem.id;
	attr.dbr_offset = queue_ring_dbr_offset(&cq->ring);
	return obj_cq_create(dev, &attr, &cq->obj);
}

int queue_cq_fini(struct queue_cq *cq, struct mlxo_device *dev)
{
	int err = obj_destroy_twice(dev, &cq->obj.obj);

	queue_ring_fini(&cq->ring, dev);
	return err;
}

/* The entry at ci when it is ours, else NULL. */
static const uint8_t *look(const struct queue_cq *cq, uint8_t *opcode)
{
	const uint8_t *cqe = queue_ring_entry(&cq->ring, cq->ci);
	uint8_t lap = cq->ci >> cq->ring.log_size & 1;
	/* acquire: the rest of the CQE and the packet are read after the owner bit */
	uint8_t own = __atomic_load_n(cqe + OWN_AT, __ATOMIC_ACQUIRE);

	*opcode = own >> 4;
	return (own & 1) != lap || *opcode == PRM_CQE_OP_INVALID ? NULL : cqe;
}

const uint8_t *queue_cq_next(struct queue_cq *cq, uint8_t *opcode)
{
	const uint8_t *cqe = look(cq, opcode);

	if (cqe)
		cq->ci++;
	return cqe;
}

void queue_cq_update(struct queue_cq *cq)
{
	queue_ring_publish(&cq->ring, 0, cq->ci & INDEX_MASK);
}

/*
 * An event disarms. It comes for the first completion behind ci, so that while ci stands still the CQ is armed, or there is
 * something to poll.
 */
int queue_cq_arm(struct queue_cq *cq, struct mlxo_device *dev)
{
	uint8_t opcode;
	uint32_t word;
	int err;

	if (look(cq, &opcode))
		return 1;
	if (cq->armed && cq->armed_at == cq->ci)
		return 0;
	word = (uint32_t)(cq->arm_sn & SN_MASK) << SN_AT | ARM_ANY | (cq->ci & INDEX_MASK);
	queue_ring_publish(&cq->ring, DBREC_ARM, word);
	err = dev->ops->cq_arm(dev->prov, &dev->uar, cq->obj.obj.prov,
			       (uint64_t)word << 32 | cq->obj.obj.id);
	if (err)
		return obj_error(err, "device %s cannot tell of completions of queue %u: %s",
				 mlxo_device_name(dev), cq->obj.obj.id, strerror(-err));
	cq->armed = true;
	cq->armed_at = cq->ci;
	cq->arm_sn++;
	return look(cq, &opcode) ? 1 : 0;
}
