// SPDX-License-Identifier: BSD-2-Clause
/* Parse a distribution of sizes and draw from it. */
#include "tools/stress/sizes.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool number(const char **text, uint64_t max, uint64_t *v)
{
	char *end;

	if (!isdigit((unsigned char)**text))
		return false;
	errno = 0;
	*v = strtoull(*text, &end, 10);
	*text = end;
	return !errno && *v >= 1 && *v <= max;
}

static const char *const whole_why = "1 to 1073741824 bytes, or mix:PERCENT%BYTES,PERCENT%BYTES…";

static bool parse_mix(const char *text, struct stress_sizes *s, const char **why)
{
	unsigned int sum = 0;
	uint64_t percent, bytes;

	*why = "mix:PERCENT%BYTES,PERCENT%BYTES… of at most 16 parts, 1 to 1073741824 bytes each";
	for (s->n = 0;; text++) {
		if (s->n == STRESS_SIZES_MAX || !number(&text, 100, &percent) || *text++ != '%' ||
		    !number(&text, STRESS_BYTES_MAX, &bytes))
			return false;
		s->part[s->n].percent = (unsigned int)percent;
		s->part[s->n++].bytes = bytes;
		sum += (unsigned int)percent;
		if (*text != ',')
			break;
	}
	if (*text)
		return false;
	*why = "a mix whose parts sum to 100 %";
	return sum == 100;
}

bool stress_sizes_parse(const char *text, struct stress_sizes *s, const char **why)
{
	uint64_t bytes;

	if (!strncmp(text, "mix:", 4))
		return parse_mix(text + 4, s, why);
	*why = whole_why;
	if (!number(&text, STRESS_BYTES_MAX, &bytes) || *text)
		return false;
	s->n = 1;
	s->part[0].percent = 100;
	s->part[0].bytes = bytes;
	return true;
}

uint64_t stress_sizes_draw(const struct stress_sizes *s, struct stress_random *r)
{
	uint64_t point = stress_random_below(r, 100);
	unsigned int i = 0;

	for (; i + 1 < s->n && point >= s->part[i].percent; i++)
		point -= s->part[i].percent;
	return s->part[i].bytes;
}

uint64_t stress_sizes_max(const struct stress_sizes *s)
{
	uint64_t max = 0;

	for (unsigned int i = 0; i < s->n; i++)
		max = s->part[i].bytes > max ? s->part[i].bytes : max;
	return max;
}
