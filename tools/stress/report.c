// SPDX-License-Identifier: BSD-2-Clause
/*
 * Everything is computed from counters with integers, so equal counters print equally. Shares and ratios have a fixed
 * number of decimals.
 */
#include "tools/stress/report.h"

#include <stdlib.h>
#include <string.h>

#include "tools/stress/sim.h"

/* n * scale / of, rounded; 0 when there is nothing to divide by. */
static uint64_t ratio(uint64_t n, uint64_t scale, uint64_t of)
{
	return of ? (uint64_t)(((unsigned __int128)n * scale + of / 2) / of) : 0;
}

static uint64_t per_second(uint64_t n, uint64_t ns)
{
	return ratio(n, 1000000000, ns);
}

/* Blanks that put a value of so many characters at the right end of a column. */
static const char *lead(unsigned int width, unsigned int len)
{
	static const char blanks[] = "                        ";
	unsigned int n = width > len ? width - len : 1;

	return blanks + sizeof(blanks) - 1 - (n < sizeof(blanks) - 1 ? n : sizeof(blanks) - 1);
}

static unsigned int digits_of(uint64_t v)
{
	unsigned int n = 1;

	for (; v > 9; v /= 10)
		n++;
	return n;
}

static void cell(struct out *o, const char *key, unsigned int width, uint64_t v)
{
	out_num(o, key, lead(width, digits_of(v)), v);
}

/* v has so many decimals: 100 and 2 are 1.00. */
static void cell_decimal(struct out *o, const char *key, unsigned int width, uint64_t v,
			 unsigned int decimals)
{
	uint64_t whole = v;

	for (unsigned int i = 0; i < decimals; i++)
		whole /= 10;
	out_decimal(o, key, lead(width, digits_of(whole) + 1 + decimals), v, decimals);
}

/* Nanoseconds in JSON, microseconds in the table. */
static void cell_time(struct out *o, const char *key, uint64_t ns)
{
	out_num(o, key, NULL, ns);
	out_text(o, "%s%llu.%llu", lead(11, digits_of(ns / 1000) + 2),
		 (unsigned long long)ns / 1000, (unsigned long long)ns % 1000 / 100);
}

static const char *const load_words[] = {"closed loop", "open loop"};

bool stress_report_is_nic(enum stress_clock clock)
{
	return clock == STRESS_NIC && !getenv("MLXO_MODEL");
}

void stress_report_head(struct out *out, const struct stress_options *o, enum stress_clock clock)
{
	out_text(out, "Rates of %s: time=%s, seed %llu, %llu connections of %s bytes,\n",
		 stress_report_is_nic(clock) ? "this device and this machine"
					     : "the software model, not of a NIC",
		 stress_clock_names[clock], (unsigned long long)o->seed,
		 (unsigned long long)o->connections, o->bytes);
	if (o->rate)
		out_text(out, "%s of %llu connections/s", load_words[1],
			 (unsigned long long)o->rate);
	else
		out_text(out, "%s of %llu connections", load_words[0],
			 (unsigned long long)o->alive);
	out_text(out,
		 ", threads %u, pace %llu Mbit/s, loss %s, RTT %u us, warm-up %llu connections\n\n",
		 o->threads, (unsigned long long)o->pace / 1000000, o->loss_text,
		 STRESS_RTT_NS / 1000, (unsigned long long)o->warmup);
	out_text(out, "%-9s%10s%10s%11s%11s%11s%11s%9s%7s%7s%7s%10s%12s%8s%s%8s\n", "mode",
		 "conn/s", "cmd/conn", "p50 us", "p99 us", "p99.9 us", "max us", "waited", "hw",
		 "long", "busy", "verified", "resent", "RSS MB", o->rate ? "  achieved" : "",
		 "  x none  bound by");
}

static void put_load(struct out *out, const struct stress_options *o)
{
	out_num(out, "seed", NULL, o->seed);
	out_num(out, "connections", NULL, o->connections);
	out_num(out, "warmup", NULL, o->warmup);
	if (o->rate)
		out_num(out, "rate", NULL, o->rate);
	else
		out_num(out, "alive", NULL, o->alive);
	out_num(out, "threads", NULL, o->threads);
	out_str(out, "bytes", NULL, o->bytes);
	out_num(out, "pace_bits_per_second", NULL, o->pace);
	out_str(out, "loss", NULL, o->loss_text);
	out_num(out, "rtt_ns", NULL, STRESS_RTT_NS);
	out_bool(out, "verify_all", NULL, o->verify);
}

static void put_commands(struct out *out, const struct stress_result *r)
{
	const struct stress_counters *from = &r->rec.from, *to = &r->rec.to;

	out_num(out, "fw_commands", NULL, to->commands - from->commands);
	out_object(out, "fw_commands_by_opcode");
	for (unsigned int i = 0; i < to->nops; i++) {
		uint64_t n = stress_counters_op(from, to, i);

		if (n)
			out_num(out, to->op[i].name, NULL, n);
	}
	out_close(out);
	out_decimal(out, "fw_busy_share", NULL,
		    ratio(to->firmware_ns - from->firmware_ns, 1000, to->now - from->now), 3);
	out_num(out, "syncs", NULL, to->syncs - from->syncs);
	out_num(out, "pool_hits", NULL, to->gets - from->gets);
	out_num(out, "pool_empty", NULL, to->empty - from->empty);
}

static void put_latency(struct out *out, const struct stress_histogram *h)
{
	out_object(out, "open_latency_ns");
	out_num(out, "count", NULL, h->n);
	cell_time(out, "p50", stress_histogram_at(h, 50000));
	cell_time(out, "p99", stress_histogram_at(h, 99000));
	cell_time(out, "p99_9", stress_histogram_at(h, 99900));
	cell_time(out, "max", h->max);
	out_close(out);
}

static void put_bytes(struct out *out, const struct stress_recorder *rec)
{
	const struct stress_sums *s = &rec->in;

	out_num(out, "payload_bytes", NULL, s->bytes);
	out_num(out, "hw_bytes", NULL, s->hw_bytes);
	cell_decimal(out, "hw_byte_share", 7, ratio(s->hw_bytes, 1000, s->bytes), 3);
	cell_decimal(out, "hw_byte_share_long", 7, ratio(s->long_hw_bytes, 1000, s->long_bytes), 3);
	/* Of the whole run, so that both sides of the wire can be compared. */
	out_num(out, "run_hw_record_bytes", NULL, rec->all.hw_wire);
	out_num(out, "run_device_encrypted_bytes", NULL, rec->end.encrypted - rec->start.encrypted);
}

static void put_host(struct out *out, const struct stress_result *r)
{
	const struct stress_recorder *rec = &r->rec;
	uint64_t ns = rec->to.now - rec->from.now;
	bool simulated = r->clock == STRESS_VIRTUAL;

	out_num(out, "host_threads", NULL, r->host_threads);
	cell_decimal(out, "host_busy_share", 7,
		     ratio(rec->to.busy_ps - rec->from.busy_ps, 1, ns * r->host_threads), 3);
	out_num(out, "host_ns_per_open", NULL,
		simulated ? r->open_ns : ratio(rec->in.open_cpu_ns, 1, rec->latency.n));
	out_num(out, "host_ns_per_close", NULL,
		simulated ? r->close_ns : ratio(rec->in.close_cpu_ns, 1, rec->in.closed));
}

static void put_checked(struct out *out, const struct stress_recorder *rec)
{
	const struct stress_sums *s = &rec->all;

	out_num(out, "verified_connections", NULL, s->checked);
	cell(out, "verified_records", 10, s->records);
	out_num(out, "verified_bytes", NULL, s->checked_bytes);
	out_num(out, "bad_connections", NULL, s->bad);
	cell(out, "retransmitted_bytes", 12, s->resent);
}

static void put_phase(struct out *out, const char *key, const struct stress_counters *from,
		      const struct stress_counters *to)
{
	out_object(out, key);
	out_num(out, "ns", NULL, to->now - from->now);
	out_num(out, "commands", NULL, to->commands - from->commands);
	out_close(out);
}

static void put_offered(struct out *out, const struct stress_recorder *rec)
{
	uint64_t ns = rec->to.now - rec->from.now;

	out_num(out, "offered_per_second", NULL, per_second(rec->in.opened, ns));
	cell_decimal(out, "achieved_of_offered", 10, ratio(rec->in.closed, 1000, rec->in.opened),
		     3);
}

uint64_t stress_report_rate(const struct stress_result *r)
{
	return per_second(r->rec.in.closed, r->rec.to.now - r->rec.from.now);
}

/* What had no time left in the window; else the load was all there was. */
static const char *bound_by(const struct stress_result *r)
{
	const struct stress_counters *from = &r->rec.from, *to = &r->rec.to;
	uint64_t ns = to->now - from->now;

	enum { BUSY = 970 };

	if (ratio(to->wire_ns - from->wire_ns, 1000, ns) >= BUSY)
		return "port";
	if (ratio(to->firmware_ns - from->firmware_ns, 1000, ns) >= BUSY)
		return "firmware";
	if (ratio(to->busy_ps - from->busy_ps, 1, ns * r->host_threads) >= BUSY)
		return "host";
	return "load";
}

/* The port in time=virtual; how often the rate of mode none; what is the limit. */
static void put_limits(struct out *out, const struct stress_result *r)
{
	const struct stress_counters *from = &r->rec.from, *to = &r->rec.to;

	out_decimal(out, "port_busy_share", NULL,
		    ratio(to->wire_ns - from->wire_ns, 1000, to->now - from->now), 3);
	if (r->none_rate)
		cell_decimal(out, "times_none", 8, ratio(stress_report_rate(r), 100, r->none_rate),
			     2);
	else
		out_text(out, "%8s", "-");
	out_str(out, "bound_by", "  ", bound_by(r));
}

void stress_report_row(struct out *out, const struct stress_options *o,
		       const struct stress_result *r)
{
	const struct stress_recorder *rec = &r->rec;
	const char *mode = stress_mode_names[r->mode];

	out_object(out, NULL);
	out_str(out, "mode", "", mode);
	out_str(out, "time", NULL, stress_clock_names[r->clock]);
	out_str(out, "rates_of", NULL,
		stress_report_is_nic(r->clock) ? "this device and this machine"
					       : "the software model, not a NIC");
	put_load(out, o);
	out_bool(out, "interrupted", NULL, r->interrupted);
	out_num(out, "measured_connections", NULL, rec->in.closed);
	out_text(out, "%s", lead(9, (unsigned int)strlen(mode)));
	cell(out, "connections_per_second", 10, stress_report_rate(r));
	cell_decimal(out, "fw_commands_per_connection", 10,
		     ratio(rec->to.commands - rec->from.commands, 1000, rec->in.closed), 3);
	put_commands(out, r);
	put_latency(out, &rec->latency);
	cell(out, "opens_that_waited", 9, rec->in.waited);
	out_num(out, "opens_without_hardware", NULL, rec->in.fallback);
	put_bytes(out, rec);
	put_host(out, r);
	put_checked(out, rec);
	out_num(out, "rss_bytes", NULL, r->rss);
	out_text(out, "%s%llu", lead(8, digits_of(r->rss >> 20)), (unsigned long long)r->rss >> 20);
	if (o->rate)
		put_offered(out, rec);
	put_limits(out, r);
	put_phase(out, "fill", &rec->start, &rec->from);
	put_phase(out, "window", &rec->from, &rec->to);
	put_phase(out, "drain", &rec->to, &rec->end);
	out_num(out, "teardown_commands", NULL, r->teardown);
	out_text(out, r->interrupted ? "  interrupted\n" : "\n");
	out_close(out);
}

static void text_phase(struct out *out, const struct stress_counters *from,
		       const struct stress_counters *to)
{
	uint64_t us = (to->now - from->now) / 1000;

	out_text(out, "%8llu.%06llu s%10llu", (unsigned long long)us / 1000000,
		 (unsigned long long)us % 1000000,
		 (unsigned long long)(to->commands - from->commands));
}

void stress_report_phases(struct out *out, const struct stress_result *r, bool head)
{
	if (head)
		out_text(out, "\n%-9s%17s%10s%17s%10s%17s%10s\n", "mode", "fill", "commands",
			 "measured", "commands", "drain", "commands");
	out_text(out, "%-9s", stress_mode_names[r->mode]);
	text_phase(out, &r->rec.start, &r->rec.from);
	text_phase(out, &r->rec.from, &r->rec.to);
	text_phase(out, &r->rec.to, &r->rec.end);
	out_text(out, "\n");
}
