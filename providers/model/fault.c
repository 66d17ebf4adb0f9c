// SPDX-License-Identifier: BSD-2-Clause
/*
 * Faults on purpose: which command fails, and how.
 *
 * Text form, parts separated by ':' (',' separates the options of a device name):
 *
 *   WHICH[:WORD[=VALUE]]...
 *   WHICH   N (the Nth command from now), an opcode name (its next command), NAME@N (its Nth), * (every command)
 *   WORD    status=0x3, syndrome=0x65c1fb (refuse; default INT_ERR), timeout, lost, corrupt, delay=5ms, fatal
 *
 * e.g. fault=3:status=0x3:syndrome=0x65c1fb   fault=SET_FLOW_TABLE_ENTRY@2:lost
 *
 * Locks: the firmware's.
 */
#include "control.h"
#include "fw.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int model_time_parse(const char *text, uint64_t *ns)
{
	static const struct {
		const char *unit;
		uint64_t ns;
	} units[] = {{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}};
	char *end;
	double v = strtod(text, &end);

	if (end == text || !(v >= 0) || v > 1e9)
		return -EINVAL;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strcmp(end, units[i].unit) == 0) {
			*ns = (uint64_t)(v * (double)units[i].ns + 0.5);
			return 0;
		}
	return -EINVAL;
}

static int parse_number(const char *text, uint64_t max, uint64_t *v)
{
	char *end;

	errno = 0;
	*v = strtoull(text, &end, 0);
	return end == text || *end || errno || *text == '-' || *v > max ? -EINVAL : 0;
}

int model_opcode_parse(const char *name, size_t len, uint16_t *opcode)
{
	size_t n;
	const struct prm_opcode_info *ops = prm_opcodes(&n);

	for (size_t i = 0; i < n; i++)
		if (strlen(ops[i].name) == len && strncmp(ops[i].name, name, len) == 0) {
			*opcode = ops[i].opcode;
			return 0;
		}
	return -EINVAL;
}

static int parse_which(const char *text, struct model_fault *f)
{
	const char *at = strchr(text, '@');
	uint64_t n;

	f->nth = 1;
	if (strcmp(text, "*") == 0) {
		f->nth = 0;
		return 0;
	}
	if (parse_number(text, UINT64_MAX, &n) == 0 && n > 0) {
		f->nth = n;
		return 0;
	}
	if (at && (parse_number(at + 1, UINT64_MAX, &f->nth) || f->nth == 0))
		return -EINVAL;
	return model_opcode_parse(text, at ? (size_t)(at - text) : strlen(text), &f->opcode);
}

static int parse_word(const char *word, struct model_fault *f)
{
	uint64_t v;

	if (strcmp(word, "timeout") == 0) {
		f->kind = MODEL_FAULT_TIMEOUT;
	} else if (strcmp(word, "lost") == 0) {
		f->kind = MODEL_FAULT_LOST;
	} else if (strcmp(word, "corrupt") == 0) {
		f->kind = MODEL_FAULT_CORRUPT;
	} else if (strcmp(word, "fatal") == 0) {
		f->kind = MODEL_FAULT_FATAL;
	} else if (strncmp(word, "delay=", 6) == 0) {
		f->kind = MODEL_FAULT_DELAY;
		return model_time_parse(word + 6, &f->ns);
	} else if (strncmp(word, "status=", 7) == 0) {
		if (parse_number(word + 7, 0xff, &v) || v == 0)
			return -EINVAL;
		f->status = (uint8_t)v;
	} else if (strncmp(word, "syndrome=", 9) == 0) {
		if (parse_number(word + 9, UINT32_MAX, &v))
			return -EINVAL;
		f->syndrome = (uint32_t)v;
	} else {
		return -EINVAL;
	}
	return 0;
}

int model_fault_parse(const char *text, struct model_fault *f)
{
	char *copy = strdup(text), *save = NULL, *part;
	struct model_refusal injected = model_refusal(MODEL_S_INJECTED);
	int err;

	*f = (struct model_fault){.kind = MODEL_FAULT_STATUS,
				  .status = injected.status,
				  .syndrome = injected.syndrome};
	if (!copy)
		return -ENOMEM;
	part = strtok_r(copy, ":", &save);
	err = part ? parse_which(part, f) : -EINVAL;
	while (!err && (part = strtok_r(NULL, ":", &save)))
		err = parse_word(part, f);
	free(copy);
	return err;
}

int model_dev_fault_set(struct model_dev *dev, const struct model_fault *f)
{
	int err = -ENOSPC;

	pthread_mutex_lock(&dev->fw);
	for (int i = 0; i < MODEL_MAX_FAULTS && err; i++)
		if (dev->fault[i].kind == MODEL_FAULT_NONE) {
			dev->fault[i] = *f;
			dev->fault[i].seen = 0;
			err = 0;
		}
	pthread_mutex_unlock(&dev->fw);
	return err;
}

void model_dev_fault_clear(struct model_dev *dev)
{
	pthread_mutex_lock(&dev->fw);
	memset(dev->fault, 0, sizeof(dev->fault));
	pthread_mutex_unlock(&dev->fw);
}

bool model_fault_match(struct model_dev *dev, uint16_t opcode, struct model_fault *hit)
{
	bool found = false;

	for (int i = 0; i < MODEL_MAX_FAULTS; i++) {
		struct model_fault *f = &dev->fault[i];

		if (f->kind == MODEL_FAULT_NONE || (f->opcode && f->opcode != opcode))
			continue;
		f->seen++;
		if (f->nth && f->seen != f->nth)
			continue;
		if (!found)
			*hit = *f;
		found = true;
		if (f->nth)
			f->kind = MODEL_FAULT_NONE;
	}
	return found;
}
