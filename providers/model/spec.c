// SPDX-License-Identifier: BSD-2-Clause
/*
 * The model's device name: "model" or "model:OPTION,OPTION…"
 *
 *   profile=NAME     what it can do: connectx-6dx (default), connectx-7, no-crypto, crypto-only, sa33, sa1024
 *   port=PORT        what its wire is: null (default), pair:NAME, loop, pcap:FILE, packet:IF (port.c)
 *   time=zero|real|virtual   do commands take their service time, and by which clock?
 *   speed=BITS       of the wire per second, time=virtual: 100G (default), 1M to 10T
 *   sync=TIME        service time of SYNC_CRYPTO; any opcode name in lower or upper case works the same way
 *   fault=FAULT      let a command fail (fault.c); may be given several times
 *   netdev=NAME      answer to this netdev name only
 *   mtu=BYTES        largest IP packet of the wire
 *   host=WORDS       what the host's work costs, for simulators: open:2us;byte:0.4ns;threads:4 (default); also with ','
 */
#include "device.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MIN_MTU = 68, MAX_MTU = 9978, MAX_THREADS = 1024 };

#define MIN_SPEED 1e6
#define MAX_SPEED 1e13
#define MAX_COST_PS 1e12

static int refuse(char *why, size_t whylen, const char *option, const char *value,
		  const char *allowed)
{
	snprintf(why, whylen, "model option %s='%s' is not known: allowed is %s", option, value,
		 allowed);
	return -EINVAL;
}

static int set_string(char **to, const char *value)
{
	free(*to);
	*to = strdup(value);
	return *to ? 0 : -ENOMEM;
}

static int set_profile(struct model_spec *s, const char *value, char *why, size_t whylen)
{
	char names[256] = "";
	size_t n, at = 0;
	const struct model_profile *p = model_profiles(&n);

	s->profile = model_profile_find(value);
	if (s->profile)
		return 0;
	for (size_t i = 0; i < n && at < sizeof(names); i++)
		at += (size_t)snprintf(names + at, sizeof(names) - at, "%s%s", i ? ", " : "",
				       p[i].name);
	return refuse(why, whylen, "profile", value, names);
}

static int set_mtu(struct model_spec *s, const char *value, char *why, size_t whylen)
{
	char *end;
	unsigned long v = strtoul(value, &end, 10);

	if (end == value || *end || v < MIN_MTU || v > MAX_MTU)
		return refuse(why, whylen, "mtu", value, "68..9978");
	s->mtu = (unsigned int)v;
	return 0;
}

/* A number of at least min and at most max, after its unit. -EINVAL. */
static int parse_scaled(const char *text, const char *const *unit, const double *scale, size_t n,
			double min, double max, uint64_t *v)
{
	char *end;
	double x = strtod(text, &end);

	for (size_t i = 0; end != text && i < n; i++)
		if (strcmp(end, unit[i]) == 0 && x * scale[i] >= min && x * scale[i] <= max) {
			*v = (uint64_t)(x * scale[i] + 0.5);
			return 0;
		}
	return -EINVAL;
}

static int set_speed(struct model_spec *s, const char *value, char *why, size_t whylen)
{
	static const char *const unit[] = {"", "K", "M", "G", "T"};
	static const double scale[] = {1, 1e3, 1e6, 1e9, 1e12};

	if (parse_scaled(value, unit, scale, 5, MIN_SPEED, MAX_SPEED, &s->speed))
		return refuse(why, whylen, "speed", value,
			      "bits per second such as 100G, from 1M to 10T");
	return 0;
}

static int parse_ps(const char *text, uint64_t *ps)
{
	static const char *const unit[] = {"ps", "ns", "us", "ms", "s"};
	static const double scale[] = {1, 1e3, 1e6, 1e9, 1e12};

	return parse_scaled(text, unit, scale, 5, 0, MAX_COST_PS, ps);
}

static int set_threads(struct model_spec *s, const char *text)
{
	char *end;
	unsigned long v = strtoul(text, &end, 10);

	if (end == text || *end || v < 1 || v > MAX_THREADS)
		return -EINVAL;
	s->cost.threads = (unsigned int)v;
	return 0;
}

static bool is_host_word(const char *word)
{
	return strncmp(word, "open:", 5) == 0 || strncmp(word, "byte:", 5) == 0 ||
	       strncmp(word, "threads:", 8) == 0;
}

static int set_host_word(struct model_spec *s, const char *word, char *why, size_t whylen)
{
	int err = -EINVAL;

	if (strncmp(word, "open:", 5) == 0)
		err = parse_ps(word + 5, &s->cost.open_ps);
	else if (strncmp(word, "byte:", 5) == 0)
		err = parse_ps(word + 5, &s->cost.byte_ps);
	else if (strncmp(word, "threads:", 8) == 0)
		err = set_threads(s, word + 8);
	return err ? refuse(why, whylen, "host", word,
			    "open:TIME, byte:TIME (0.4ns, 2us, up to 1s) and threads:N (1 to "
			    "1024), "
			    "separated by ';'")
		   : 0;
}

static int set_host(struct model_spec *s, char *value, char *why, size_t whylen)
{
	char *save = NULL, *word = strtok_r(value, ";", &save);
	int err = word ? 0 : set_host_word(s, "", why, whylen);

	for (; word && !err; word = strtok_r(NULL, ";", &save))
		err = set_host_word(s, word, why, whylen);
	return err;
}

static int set_clock(struct model_spec *s, const char *value, char *why, size_t whylen)
{
	static const char *const names[] = {[MODEL_TIME_ZERO] = "zero",
					    [MODEL_TIME_REAL] = "real",
					    [MODEL_TIME_VIRTUAL] = "virtual"};

	for (int i = MODEL_TIME_ZERO; i <= MODEL_TIME_VIRTUAL; i++)
		if (strcmp(value, names[i]) == 0) {
			s->time = (enum model_time)i;
			return 0;
		}
	return refuse(why, whylen, "time", value, "zero, real or virtual");
}

static int set_fault(struct model_spec *s, const char *value, char *why, size_t whylen)
{
	if (s->nfaults == MODEL_MAX_FAULTS)
		return refuse(why, whylen, "fault", value, "16 faults at most");
	if (model_fault_parse(value, &s->fault[s->nfaults]))
		return refuse(why, whylen, "fault", value,
			      "N, OPCODE[@N] or *, then :status=S, :syndrome=Y, :timeout, :lost, "
			      ":corrupt, :delay=TIME or :fatal");
	s->nfaults++;
	return 0;
}

/* Service time of an opcode: the option's name is the opcode's. 1: no such opcode. */
static int set_time(struct model_spec *s, const char *name, const char *value, char *why,
		    size_t whylen)
{
	char upper[64];
	size_t n = strlen(name);
	uint16_t opcode;

	if (n >= sizeof(upper))
		return 1;
	for (size_t i = 0; i <= n; i++)
		upper[i] = (char)toupper((unsigned char)name[i]);
	if (strcmp(upper, "SYNC") == 0)
		opcode = PRM_CMD_OP_SYNC_CRYPTO;
	else if (model_opcode_parse(upper, n, &opcode))
		return 1;
	if (s->ntimes == sizeof(s->times) / sizeof(s->times[0]) ||
	    model_time_parse(value, &s->times[s->ntimes].ns))
		return refuse(why, whylen, name, value, "a time such as 10us, 1.5ms or 2s");
	s->times[s->ntimes++].opcode = opcode;
	return 0;
}

static int set_option(struct model_spec *s, const char *name, char *value, char *why, size_t whylen)
{
	int err;

	if (strcmp(name, "profile") == 0)
		return set_profile(s, value, why, whylen);
	if (strcmp(name, "port") == 0)
		return set_string(&s->port, value);
	if (strcmp(name, "netdev") == 0)
		return set_string(&s->netdev, value);
	if (strcmp(name, "mtu") == 0)
		return set_mtu(s, value, why, whylen);
	if (strcmp(name, "fault") == 0)
		return set_fault(s, value, why, whylen);
	if (strcmp(name, "time") == 0)
		return set_clock(s, value, why, whylen);
	if (strcmp(name, "speed") == 0)
		return set_speed(s, value, why, whylen);
	if (strcmp(name, "host") == 0)
		return set_host(s, value, why, whylen);
	err = set_time(s, name, value, why, whylen);
	if (err != 1)
		return err;
	snprintf(why, whylen,
		 "model option '%s' is not known: allowed are profile, port, time, speed, sync, "
		 "fault, netdev, mtu, host and opcode names",
		 name);
	return -EINVAL;
}

int model_spec_parse(struct model_spec *s, const char *spec, char *why, size_t whylen)
{
	char *copy, *save = NULL, *option;
	bool host = false; /* the option before was host= or a word of it */
	int err = 0;

	*s = (struct model_spec){
		.profile = model_profile_find("connectx-6dx"),
		.speed = MODEL_SPEED,
		.cost = {.open_ps = 2000000, .byte_ps = 400, .threads = 4},
	};
	if (strcmp(spec, "model") == 0)
		return 0;
	copy = strdup(spec + strlen("model:"));
	if (!copy)
		err = -ENOMEM;
	for (option = copy ? strtok_r(copy, ",", &save) : NULL; option && !err;
	     option = strtok_r(NULL, ",", &save)) {
		char *value = strchr(option, '=');

		if (!value && host && is_host_word(option)) {
			err = set_host(s, option, why, whylen);
			continue;
		}
		if (!value) {
			snprintf(why, whylen,
				 "model option '%s' has no value: allowed is NAME=VALUE", option);
			err = -EINVAL;
			break;
		}
		*value++ = '\0';
		host = strcmp(option, "host") == 0;
		err = set_option(s, option, value, why, whylen);
	}
	if (err == -ENOMEM)
		snprintf(why, whylen, "device '%s': out of memory", spec);
	free(copy);
	return err;
}

void model_spec_fini(struct model_spec *s)
{
	free(s->port);
	free(s->netdev);
}
