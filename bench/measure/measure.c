// SPDX-License-Identifier: BSD-2-Clause
/*
 * measure: questions that only a device can answer, asked one after the other.
 *
 *	measure [-d DEVICE] [--json] [--send] [QUESTION ...]	all, or these
 *	measure --list						what there is
 *
 * Everything that is made is destroyed again; what could not be is counted, and then the exit status is 1. On the model the
 * census says the same from the other side. Frames leave a NIC with --send only.
 *
 * Exit status: 0 all answered or skipped, 1 something failed, 2 wrong words, 77 no such device.
 */
#include <errno.h>
#include <getopt.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mlx5_offload/mlx5_offload.h>

#include "lab.h"

enum { OK, FAILED, USAGE, SKIPPED = 77 };

static const struct question *const groups[] = {questions_caps, questions_keys, questions_tls,
						questions_contexts, questions_flow};
enum { NGROUPS = sizeof(groups) / sizeof(*groups) };

struct options {
	const char *device;
	bool json, send, list;
	char **name; /* the questions that are asked; n 0: all */
	int n;
};

static const struct question *find(const char *name)
{
	for (int g = 0; g < NGROUPS; g++)
		for (const struct question *q = groups[g]; q->name; q++)
			if (strcmp(q->name, name) == 0)
				return q;
	return NULL;
}

static bool is_wanted(const struct options *o, const struct question *q)
{
	for (int i = 0; i < o->n; i++)
		if (strcmp(o->name[i], q->name) == 0)
			return true;
	return o->n == 0;
}

static int usage(const char *what, const char *value)
{
	fprintf(stderr,
		"measure: %s%s\n"
		"usage: measure [-d DEVICE] [--json] [--send] [--list] [QUESTION ...]\n",
		what, value);
	return USAGE;
}

static int parse(struct options *o, int argc, char **argv)
{
	static const struct option words[] = {{"device", required_argument, NULL, 'd'},
					      {"json", no_argument, NULL, 'j'},
					      {"send", no_argument, NULL, 's'},
					      {"list", no_argument, NULL, 'l'},
					      {0}};
	int c;

	*o = (struct options){.device = "model"};
	while ((c = getopt_long(argc, argv, "d:j", words, NULL)) != -1) {
		switch (c) {
		case 'd': o->device = optarg; break;
		case 'j': o->json = true; break;
		case 's': o->send = true; break;
		case 'l': o->list = true; break;
		default: return usage("that option is not known", "");
		}
	}
	o->name = argv + optind;
	o->n = argc - optind;
	for (int i = 0; i < o->n; i++)
		if (!find(o->name[i]))
			return usage("unknown question, --list shows those there are: ",
				     o->name[i]);
	return OK;
}

static int list(void)
{
	for (int g = 0; g < NGROUPS; g++)
		for (const struct question *q = groups[g]; q->name; q++)
			printf("%-18s %s\n", q->name, q->ask);
	return OK;
}

/* -- showing -------------------------------------------------------------------------------------------------- */

static void show_text(const struct question *q, const struct answer *a)
{
	printf("%s: %s\n    %s%s%s\n", q->name, q->ask,
	       a->kind == ANSWERED ? "" : answer_kind_name(a->kind),
	       a->kind == ANSWERED ? "" : ": ", a->text);
	for (unsigned int i = 0; i < a->n; i++)
		if (strcmp(a->number[i].unit, "syndrome") == 0)
			printf("    syndrome of %s: 0x%x\n", a->number[i].name,
			       (unsigned int)a->number[i].value);
		else
			printf("    %-28s %12.2f %s\n", a->number[i].name, a->number[i].value,
			       a->number[i].unit);
	fflush(stdout);
}

static json_t *to_json(const struct question *q, const struct answer *a)
{
	json_t *numbers = json_object(), *o;

	for (unsigned int i = 0; i < a->n; i++)
		json_object_set_new(numbers, a->number[i].name,
				    json_pack("{s:f,s:s}", "value", a->number[i].value, "unit",
					      a->number[i].unit));
	o = json_pack("{s:s,s:s,s:s,s:s}", "name", q->name, "question", q->ask, "kind",
		      answer_kind_name(a->kind), "answer", a->text);
	json_object_set_new(o, "numbers", numbers);
	return o;
}

/* -- asking ---------------------------------------------------------------------------------------------------- */

/* Objects of programs on the model; 0 on a NIC, which has no such count. */
static uint64_t census(struct lab *lab)
{
	struct mlxo_stat *stats;
	uint64_t sum = 0;
	size_t n;

	if (!lab->is_model || mlxo_model_census(lab->dev, &stats, &n))
		return 0;
	for (size_t i = 0; i < n; i++)
		sum += stats[i].value;
	free(stats);
	return sum;
}

struct total {
	unsigned int kind[3], left;
	json_t *all; /* NULL: text */
};

static void ask(struct lab *lab, const struct question *q, struct total *t)
{
	struct answer a = {0};
	uint64_t before = census(lab), after;
	unsigned int left = lab->left;

	q->run(lab, &a);
	lab_clear(lab);
	after = census(lab);
	if (lab->left != left || after > before)
		answer_fail(&a, "%u objects could not be destroyed, the model has %llu more",
			    lab->left - left, (unsigned long long)(after - before));
	t->kind[a.kind]++;
	if (t->all)
		json_array_append_new(t->all, to_json(q, &a));
	else
		show_text(q, &a);
}

static void ask_all(struct lab *lab, const struct options *o, struct total *t)
{
	for (int g = 0; g < NGROUPS; g++)
		for (const struct question *q = groups[g]; q->name; q++)
			if (is_wanted(o, q))
				ask(lab, q, t);
}

static void show_total(struct lab *lab, struct total *t)
{
	json_t *o;

	if (!t->all) {
		printf("measure: %u answered, %u skipped, %u failed, %u objects left%s\n",
		       t->kind[ANSWERED], t->kind[ANSWER_SKIPPED], t->kind[ANSWER_FAILED],
		       lab->left, lab->is_model ? "; of the model, not of a NIC" : "");
		return;
	}
	o = json_pack("{s:s,s:b,s:i,s:i,s:i,s:i}", "device", mlxo_device_name(lab->dev), "model",
		      lab->is_model, "answered", t->kind[ANSWERED], "skipped",
		      t->kind[ANSWER_SKIPPED], "failed", t->kind[ANSWER_FAILED], "left", lab->left);
	json_object_set(o, "questions", t->all);
	json_dumpf(o, stdout, JSON_INDENT(2));
	putchar('\n');
	json_decref(o);
}

int main(int argc, char **argv)
{
	struct total t = {0};
	struct lab lab = {0};
	struct options o;
	int rc = parse(&o, argc, argv);

	if (rc || o.list)
		return rc ? rc : list();
	if (lab_open(&lab, o.device)) {
		fprintf(stderr, "measure: %s\n", mlxo_error_last()->text);
		return mlxo_error_last()->err == ENODEV ? SKIPPED : FAILED;
	}
	lab.may_send = o.send || lab.is_model;
	t.all = o.json ? json_array() : NULL;
	ask_all(&lab, &o, &t);
	show_total(&lab, &t);
	json_decref(t.all);
	rc = t.kind[ANSWER_FAILED] || lab.left ? FAILED : OK;
	lab_close(&lab);
	return rc;
}
