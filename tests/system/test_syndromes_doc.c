// SPDX-License-Identifier: BSD-2-Clause
/*
 * docs/syndromes.md says what providers/model/syndromes.h says. With MLXO_WRITE=1 the page is written anew instead.
 */
#include "prm/prm.h"
#include "providers/model/syndromes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LINE(name, syndrome, status, meaning) {syndrome, PRM_CMD_STAT_##status, meaning},
#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))

struct line {
	uint32_t syndrome;
	uint8_t status;
	const char *meaning;
};

static const struct line command[] = {MODEL_SYNDROMES_COMMAND(LINE)};
static const struct line no[] = {MODEL_SYNDROMES_NO(LINE)};
static const struct line used[] = {MODEL_SYNDROMES_USED(LINE)};
static const struct line limit[] = {MODEL_SYNDROMES_LIMIT(LINE)};
static const struct line queue[] = {MODEL_SYNDROMES_QUEUE(LINE)};
static const struct line general[] = {MODEL_SYNDROMES_GENERAL(LINE)};
static const struct line flow[] = {MODEL_SYNDROMES_FLOW(LINE)};
static const struct line fte[] = {MODEL_SYNDROMES_FTE(LINE)};

static const struct {
	const char *title;
	const struct line *lines;
	size_t n;
} sections[] = {
	{"The command itself", command, COUNT_OF(command)},
	{"A handle names nothing", no, COUNT_OF(no)},
	{"Destroyed while it is used", used, COUNT_OF(used)},
	{"No more of a kind", limit, COUNT_OF(limit)},
	{"Memory keys and queues", queue, COUNT_OF(queue)},
	{"Keys, IPsec objects, SYNC_CRYPTO", general, COUNT_OF(general)},
	{"Flow tables, groups, contexts", flow, COUNT_OF(flow)},
	{"Flow table entries", fte, COUNT_OF(fte)},
};

static const char intro[] = "# Syndromes of the model\n"
			    "\n"
			    "Why the model refused a command: the syndrome of its answer, one per "
			    "reason. Syndromes are opaque\n"
			    "numbers of the firmware; those marked (real) are known from public "
			    "reports of real cards, all\n"
			    "others lie in a range that belongs to the model (0x0d00xxxx). A "
			    "firmware may renumber: decide on\n"
			    "the status, show the syndrome.\n"
			    "\n"
			    "Made from `providers/model/syndromes.h`; `MLXO_WRITE=1` with the test "
			    "`system/syndromes_doc`\n"
			    "writes it anew.\n";

#define VENDOR_LINE(name, number, meaning) {number, 0, meaning},
static const struct line vendor[] = {MODEL_VENDOR_SYNDROMES(VENDOR_LINE)};

static void print_vendor(FILE *f)
{
	fputs("\n## Work requests\n\nWhy a work request failed: the vendor error syndrome of its "
	      "error "
	      "completion.\n\n| Vendor syndrome | Meaning |\n|---|---|\n",
	      f);
	for (size_t i = 0; i < COUNT_OF(vendor); i++)
		fprintf(f, "| `0x%02x` | %s |\n", vendor[i].syndrome, vendor[i].meaning);
}

static void print(FILE *f)
{
	fputs(intro, f);
	for (size_t s = 0; s < COUNT_OF(sections); s++) {
		fprintf(f, "\n## %s\n\n| Syndrome | Status | Meaning |\n|---|---|---|\n",
			sections[s].title);
		for (size_t i = 0; i < sections[s].n; i++) {
			const struct line *l = &sections[s].lines[i];

			fprintf(f, "| `0x%08x` | %s | %s |\n", l->syndrome,
				prm_status_name(l->status), l->meaning);
		}
	}
	print_vendor(f);
}

static void page_is_up_to_date(void **state)
{
	const char *src = getenv("MLXO_SRC");
	char path[4096], *want = NULL, *have;
	size_t nwant, nhave;
	FILE *f;

	assert_non_null(src);
	snprintf(path, sizeof(path), "%s/docs/syndromes.md", src);
	if (getenv("MLXO_WRITE")) {
		f = fopen(path, "w");
		assert_non_null(f);
		print(f);
		fclose(f);
	}
	f = open_memstream(&want, &nwant);
	assert_non_null(f);
	print(f);
	fclose(f);
	f = fopen(path, "r");
	assert_non_null(f);
	have = calloc(1, nwant + 2);
	assert_non_null(have);
	nhave = fread(have, 1, nwant + 1, f);
	fclose(f);
	assert_int_equal(nhave, nwant);
	assert_string_equal(have, want);
	free(have);
	free(want);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(page_is_up_to_date)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
