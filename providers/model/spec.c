// SPDX-License-Identifier: BSD-2-Clause
/*
 * The model's device name: "model" or "model:OPTION,OPTION…"
 *
 *   profile=NAME     what it can do: connectx-6dx (default), connectx-7, no-crypto, crypto-only, sa33, sa1024
 *   port=PORT        what its wire is: null (default), pair:NAME, loop, pcap:FILE, packet:IF (port.c)
 *   time=zero|real   do commands take their service time?
 *   sync=TIME        service time of SYNC_CRYPTO; any opcode name in lower or upper case works the same way
 *   fault=FAULT      let a command fail (fault.c); may be given several times
 *   netdev=NAME      answer to this netdev name only
 *   mtu=BYTES        largest IP packet of the wire
 */
#include "device.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MIN_MTU = 68, MAX_MTU = 9978 };

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

static int set_option(struct model_spec *s, const char *name, const char *value, char *why,
		      size_t whylen)
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
	if (strcmp(name, "time") == 0) {
		if (strcmp(value, "zero") != 0 && strcmp(value, "real") != 0)
			return refuse(why, whylen, "time", value, "zero or real");
		s->time = strcmp(value, "real") == 0 ? MODEL_TIME_REAL : MODEL_TIME_ZERO;
		return 0;
	}
	err = set_time(s, name, value, why, whylen);
	if (err != 1)
		return err;
	snprintf(why, whylen,
		 "model option '%s' is not known: allowed are profile, port, time, sync, fault, "
		 "netdev, mtu and opcode names",
		 name);
	return -EINVAL;
}

int model_spec_parse(struct model_spec *s, const char *spec, char *why, size_t whylen)
{
	char *copy, *save = NULL, *option;
	int err = 0;

	*s = (struct model_spec){.profile = model_profile_find("connectx-6dx")};
	if (strcmp(spec, "model") == 0)
		return 0;
	copy = strdup(spec + strlen("model:"));
	if (!copy)
		err = -ENOMEM;
	for (option = copy ? strtok_r(copy, ",", &save) : NULL; option && !err;
	     option = strtok_r(NULL, ",", &save)) {
		char *value = strchr(option, '=');

		if (!value) {
			snprintf(why, whylen,
				 "model option '%s' has no value: allowed is NAME=VALUE", option);
			err = -EINVAL;
			break;
		}
		*value++ = '\0';
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
