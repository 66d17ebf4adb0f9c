// SPDX-License-Identifier: BSD-2-Clause
/* Completion queues: making one, finding the next entry. */
#include "queues/cqe.h"
#include "objects/error.h"

#include <string.h>

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

const uint8_t *queue_cq_next(struct queue_cq *cq, uint8_t *opcode)
{
	const uint8_t *cqe = queue_ring_entry(&cq->ring, cq->ci);
	uint8_t lap = cq->ci >> cq->ring.log_size & 1;
	/* acquire: the rest of the CQE and the packet are read after the owner bit */
	uint8_t own = __atomic_load_n(cqe + OWN_AT, __ATOMIC_ACQUIRE);

	if ((own & 1) != lap || own >> 4 == PRM_CQE_OP_INVALID)
		return NULL;
	*opcode = own >> 4;
	cq->ci++;
	return cqe;
}

void queue_cq_update(struct queue_cq *cq)
{
	queue_ring_publish(&cq->ring, 0, cq->ci & INDEX_MASK);
}
