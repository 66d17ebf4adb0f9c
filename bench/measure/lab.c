// SPDX-License-Identifier: BSD-2-Clause
/* Commands, and the pile of what they made: see lab.h. */
#include "lab.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mlx5_offload/model.h>

#include "objects/dek.h"

enum { NAP_MS = 10 };

int lab_open(struct lab *lab, const char *device)
{
	struct mlxo_stat *stats;
	size_t n;
	int err = mlxo_device_open(device, &lab->dev);

	if (err)
		return err;
	lab->is_model = mlxo_model_stats(lab->dev, &stats, &n) == 0;
	if (lab->is_model)
		free(stats);
	/* keys of a former owner may still be cached under the numbers that this process will get */
	err = obj_keys_sync_once(lab->dev);
	if (err) {
		mlxo_device_close(lab->dev);
		lab->dev = NULL;
	}
	return err;
}

void lab_close(struct lab *lab)
{
	lab_clear(lab);
	mlxo_device_close(lab->dev);
	free(lab->pile);
}

/* -- replies --------------------------------------------------------------------------------------------------- */

const char *lab_words(struct reply r, char text[64])
{
	switch (r.result) {
	case 0: snprintf(text, 64, "accepted"); break;
	case -EREMOTEIO: snprintf(text, 64, "refused (%s)", prm_status_name(r.status)); break;
	case -ETIMEDOUT: snprintf(text, 64, "not answered"); break;
	case -EIO: snprintf(text, 64, "the device is dead"); break;
	default:
		snprintf(text, 64, "refused by the kernel (%s)", strerrorname_np(-r.result));
		break;
	}
	return text;
}

void lab_say(struct answer *a, struct reply r, const char *what)
{
	char text[64];

	answer_say(a, "%s: %s", what, lab_words(r, text));
	if (r.syndrome)
		answer_number(a, r.syndrome, "syndrome", "%s", what);
}

bool lab_must(struct answer *a, struct reply r, const char *what)
{
	char text[64];

	if (!lab_accepted(r))
		answer_fail(a, "%s: %s, syndrome 0x%x", what, lab_words(r, text), r.syndrome);
	return lab_accepted(r);
}

bool lab_made(struct answer *a, int err, const char *what)
{
	if (err)
		answer_fail(a, "%s: %s", what, mlxo_error_last()->text);
	return !err;
}

static struct reply reply_of(const struct prov_cmd *cmd)
{
	struct reply r = {.result = cmd->result};

	if (r.result == -EREMOTEIO) {
		r.status = prm_out_status(cmd->out);
		r.syndrome = prm_out_syndrome(cmd->out);
	}
	return r;
}

/* -- commands -------------------------------------------------------------------------------------------------- */

static struct reply run(struct lab *lab, struct prov_cmd *cmd)
{
	cmd->result = prov_cmd_wait(lab->dev->prov, cmd);
	if (cmd->result == -ETIMEDOUT && cmd->kind == PROV_CMD_CREATE)
		lab->left++;
	return reply_of(cmd);
}

struct reply lab_command(struct lab *lab, enum prov_cmd_kind kind, struct prov_obj *obj, void *in,
			 size_t inlen, void *out, size_t outlen)
{
	struct prov_cmd cmd = {
		.kind = kind, .in = in, .inlen = inlen, .out = out, .outlen = outlen, .obj = obj};

	return run(lab, &cmd);
}

static bool grow(struct lab *lab)
{
	size_t room = lab->room ? 2 * lab->room : 64;
	struct prov_obj **pile;

	if (lab->n < lab->room)
		return true;
	pile = realloc(lab->pile, room * sizeof(*pile));
	if (!pile)
		return false;
	lab->pile = pile;
	lab->room = room;
	return true;
}

struct reply lab_create(struct lab *lab, void *in, size_t inlen, void *out, size_t outlen,
			struct prov_obj **obj)
{
	struct prov_cmd cmd = {
		.kind = PROV_CMD_CREATE, .in = in, .inlen = inlen, .out = out, .outlen = outlen};
	struct reply r = {.result = -ENOMEM};

	if (grow(lab))
		r = run(lab, &cmd);
	if (lab_accepted(r))
		lab->pile[lab->n++] = cmd.obj;
	if (obj)
		*obj = lab_accepted(r) ? cmd.obj : NULL;
	return r;
}

struct prov_obj *lab_adopt(struct lab *lab, struct obj *o)
{
	struct prov_obj *prov = o->prov;

	if (!obj_is_live(o) || !grow(lab))
		return NULL; /* goes with the device */
	obj_quarantine_release(lab->dev);
	lab->pile[lab->n++] = prov;
	o->state = OBJ_NONE;
	return prov;
}

struct reply lab_destroy_newest(struct lab *lab)
{
	uint8_t out[16] = {0};
	struct prov_cmd cmd = {.kind = PROV_CMD_DESTROY, .out = out, .outlen = sizeof(out)};
	struct reply r;

	cmd.obj = lab->pile[--lab->n];
	r = run(lab, &cmd);
	if (!lab_accepted(r))
		lab->left++;
	return r;
}

void lab_clear(struct lab *lab)
{
	while (lab->n)
		lab_destroy_newest(lab);
}

bool lab_has(struct lab *lab, struct answer *a, enum obj_cap cap)
{
	if (obj_cap(lab->dev, cap))
		return true;
	answer_skip(a, "the device says %s 0", lab->dev->caps[cap].name);
	return false;
}

uint64_t lab_now(struct lab *lab)
{
	return lab->dev->ops->now(lab->dev->prov);
}

/* -- many at a time ----------------------------------------------------------------------------------------------- */

struct flight {
	struct prov_cmd cmd;
	uint8_t in[LAB_MAILBOX], out[PRM_BYTES(general_obj_out_cmd_hdr)];
	bool busy, over;
};

static void landed(struct prov_cmd *cmd)
{
	((struct flight *)cmd->ctx)->over = true;
}

static void take_off(struct lab *lab, struct flight *f, unsigned int i, lab_fill_fn fill, void *ctx)
{
	int err;

	memset(f, 0, sizeof(*f));
	f->cmd = (struct prov_cmd){
		.in = f->in, .inlen = sizeof(f->in), .out = f->out, .outlen = sizeof(f->out)};
	fill(ctx, i, &f->cmd);
	f->cmd.done = landed;
	f->cmd.ctx = f;
	f->busy = true;
	err = lab->dev->ops->submit(lab->dev->prov, &f->cmd);
	if (err) {
		f->cmd.result = err;
		f->over = true;
	}
}

/* Returns how many came back, and adds the accepted ones. */
static unsigned int collect(struct flight *f, unsigned int width, unsigned int *good,
			    struct reply *last)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < width; i++) {
		if (!f[i].busy || !f[i].over)
			continue;
		f[i].busy = false;
		n++;
		if (f[i].cmd.result)
			*last = reply_of(&f[i].cmd);
		else
			++*good;
	}
	return n;
}

unsigned int lab_burst(struct lab *lab, unsigned int n, unsigned int width, lab_fill_fn fill,
		       void *ctx, struct reply *last)
{
	struct flight *f = calloc(width, sizeof(*f));
	unsigned int started = 0, ended = 0, good = 0, now;

	*last = (struct reply){.result = f ? 0 : -ENOMEM};
	while (f && ended < n) {
		for (unsigned int i = 0; i < width && started < n; i++)
			if (!f[i].busy)
				take_off(lab, &f[i], started++, fill, ctx);
		lab->dev->ops->progress(lab->dev->prov);
		now = collect(f, width, &good, last);
		if (!now)
			lab->dev->ops->wait(lab->dev->prov, NAP_MS);
		ended += now;
	}
	free(f);
	return good;
}

static int by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

void lab_spread(struct answer *a, const char *name, uint64_t *ns, size_t n)
{
	size_t middle = n / 2, p99 = n * 99 / 100;

	qsort(ns, n, sizeof(*ns), by_size);
	answer_number(a, (double)ns[middle] / 1e3, "us", "%s_median", name);
	answer_number(a, (double)ns[p99] / 1e3, "us", "%s_p99", name);
}
