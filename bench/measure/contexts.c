// SPDX-License-Identifier: BSD-2-Clause
/*
 * Question about many TLS contexts: when there are more of them than the device keeps near, setting one slows down.
 *
 * All are set once, then once more in the same order, which is the worst for a cache of the most recent ones; the second
 * time counts.
 */
#include "rig.h"

#include <stdlib.h>

enum { LOG_BLOCKS = 10, BLOCKS_EACH = 5, BATCH = (1 << LOG_BLOCKS) / BLOCKS_EACH / 2 };

static bool make(struct rig *rig, struct answer *a, uint32_t *tisn, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		if (!(tisn[i] = rig_context(rig, a)))
			return false;
	return true;
}

/* One completion per batch. */
static bool arm_all(struct rig *rig, struct answer *a, const uint32_t *tisn, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		enum rig_end end = RIG_DONE;

		rig_arm(rig, tisn[i]);
		if ((i + 1) % BATCH == 0 || i + 1 == n)
			end = rig_finish(rig);
		if (end != RIG_DONE) {
			rig_say(rig, a, "setting a context", end, false);
			return false;
		}
	}
	return true;
}

static bool time_all(struct rig *rig, struct answer *a, const uint32_t *tisn, unsigned int n)
{
	uint64_t start;

	if (!arm_all(rig, a, tisn, n))
		return false;
	start = lab_now(rig->lab);
	if (!arm_all(rig, a, tisn, n))
		return false;
	answer_number(a, (double)(lab_now(rig->lab) - start) / n, "ns each", "contexts_%u", n);
	answer_say(a, "%u contexts: set twice", n);
	return true;
}

static void grow(struct rig *rig, struct answer *a, uint32_t *tisn, const unsigned int *steps,
		 int nsteps)
{
	uint64_t most = UINT64_C(1) << obj_cap(rig->lab->dev, OBJ_CAP_log_max_tis);
	unsigned int have = 0;

	for (int i = 0; i < nsteps; i++) {
		if (steps[i] >= most) {
			answer_say(a, "%u contexts: more than there are", steps[i]);
			return;
		}
		if (!make(rig, a, tisn + have, steps[i] - have) ||
		    !time_all(rig, a, tisn, steps[i]))
			return;
		have = steps[i];
	}
}

static void many(struct lab *lab, struct answer *a)
{
	static const unsigned int steps[] = {16, 1000, 4000, 16000};
	uint32_t *tisn = calloc(steps[3], sizeof(*tisn));
	struct rig rig;

	if (!tisn) {
		answer_fail(a, "no memory");
	} else if (rig_open(&rig, lab, a, LOG_BLOCKS)) {
		grow(&rig, a, tisn, steps, 4);
		rig_close(&rig, a);
	}
	free(tisn);
}

const struct question questions_contexts[] = {
	{"tls-many", "Does setting a context slow down with 1,000, 4,000 and 16,000 of them?",
	 many},
	{0},
};
