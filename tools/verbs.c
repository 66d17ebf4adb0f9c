// SPDX-License-Identifier: BSD-2-Clause
/* The table of verbs. A new verb is a row here, a file verb_NAME.c, and a section in the man page. */
#include "tools/verbs.h"

#include <string.h>

/* clang-format off */
const struct verb verbs[] = {
	{"caps", "", "Show what the device can offload", verb_caps},
	{"completion", "bash", "Print a completion script for a shell", verb_completion},
	{"create-policy",
	 "SELECTOR dir in|out [priority N] [index N] [action allow|block] [offload packet dev NAME] [tmpl TMPL] [--once]",
	 "Create a policy: which packets are protected, by what", verb_create_policy},
	{"create-sa",
	 "src ADDR dst ADDR proto esp spi N mode transport reqid N aead 'rfc4106(gcm(aes))' KEY 128 [sel SELECTOR] "
	 "offload packet dev NAME dir in|out [--once]",
	 "Create a security association", verb_create_sa},
	{"delete-policy", "SELECTOR|index N dir in|out", "Delete a policy", verb_delete_policy},
	{"delete-sa", "[src ADDR] dst ADDR [proto esp] spi N [dir in|out]", "Delete a security association",
	 verb_delete_sa},
	{"doctor", "", "Check what this machine and the device can do, and say what to do about it", verb_doctor},
	{"export-sa", "--wireshark FILE [FILTER]", "Write keys for Wireshark into a new private file", verb_export_sa},
	{"flush-policy", "", "Delete all policies", verb_flush_policy},
	{"flush-sa", "", "Delete all security associations", verb_flush_sa},
	{"forward", "NETDEV", "Join a netdev of the host to the device", verb_forward},
	{"help", "[VERB]", "Show the verbs, or one of them", verb_help},
	{"pool", "", "Show the pools of TLS contexts and keys, and what their limits mean", verb_pool},
	{"model", "run [--netdev IF] [--show only|both] [--trace WHAT] [DEVICE...] -- PROGRAM [ARGS...]", "Run a program of libibverbs with the software ConnectX as its NIC",
	 verb_model},
	{"prm", "dump | constants | decode FILE|-", "Show the device interface, or a recorded command in words",
	 verb_prm},
	{"send", "FILE [count N] [interval TIME]", "Send the frames of a capture through the device", verb_send},
	{"show-policy", "", "Show policies and their counters", verb_show_policy},
	{"show-sa", "[FILTER]", "Show security associations and their counters", verb_show_sa},
	{"stats", "", "Show counters of library, device and forwarding, and objects in quarantine", verb_stats},
	{"stress",
	 "tls [--mode none|tis|tis+dek|adaptive|never|all] [--connections N] [--warmup N] [--alive N | --rate R] "
	 "[--threads T] [--bytes DIST] [--pace BITRATE] [--loss P] [--seed S] [--verify] [--wire DEVICE] [--csv FILE] [--plot FILE]",
	 "Open, use and close many TLS connections and show rates and latencies", verb_stress},
	{"version", "", "Show versions and features", verb_version},
	{NULL, NULL, NULL, NULL},
};

const struct verb_part verb_parts[] = {
	{"SELECTOR", "[src ADDR[/LEN]] [dst ADDR[/LEN]] [proto tcp|udp [sport PORT] [dport PORT]]", true},
	{"TMPL", "[src ADDR] [dst ADDR] proto esp [mode transport] reqid N [level required]", true},
	{"KEY",
	 "file PATH | fd N | stdin; in a batch that only its owner can read also 0xHEX. The salt is its last 4 bytes",
	 true},
	{"FILTER", "[src ADDR] [dst ADDR] [proto esp] [spi N] [mode MODE] [reqid N] [dir in|out]", true},
	{"DIST", "bytes of a connection: a number, or a mix by percent such as mix:80%4096,20%1048576", false},
	{"BITRATE", "bits per second at which one connection sends: 10G, 2.5G, 800M", false},
	{"--alive",
	 "so many connections at any time (1000), a new one for each that closes; --rate: arrivals per second (Poisson) "
	 "whatever happens", false},
	{"--loss",
	 "part of the packets that the peer ignores, 0 to 0.9; the peer answers 50 us after the last packet of a burst",
	 false},
	{"TIME", "a number and us, ms or s: 250ms", false},
	{NULL, NULL, false},
};
/* clang-format on */

int verb_find(const char *name, bool exact, const struct verb **verb, struct problem *p)
{
	int i = words_lookup(name, verbs, sizeof(*verbs), exact);

	if (i == -2)
		return problem_usage(p, "%s is short for more than one verb, see help", name);
	if (i < 0)
		return problem_usage(p, "unknown verb %s, see help%s", words_show(name),
				     exact ? " (no abbreviations in a batch)" : "");
	*verb = &verbs[i];
	return 0;
}
