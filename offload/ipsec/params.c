// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules for the parameters of SAs and policies.
 *
 *	struct of any age ──▶ ours ──▶ rules (-EINVAL) ──▶ not in this release (-EOPNOTSUPP) ──▶ capabilities ──▶ warnings
 *
 * One small function per subject, called in the order of a list: the first refusal is the one that is told. No text
 * here holds a byte of a key.
 */
#include "offload/ipsec/params.h"

#include "objects/error.h"

#include <errno.h>
#include <linux/udp.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#define AEAD "rfc4106(gcm(aes))"

enum {
	ESP = 50,
	ICV_BITS = 128,
	SALT_BYTES = 4,
	KEY128 = 16 + SALT_BYTES,
	KEY192 = 24 + SALT_BYTES,
	KEY256 = 32 + SALT_BYTES,
	SPI_RESERVED = 255, /* 1..255: IANA, RFC 4303 2.1 */
};

/* -- structs of other releases --------------------------------------------------------------------------- */

int ipsec_take_struct(const char *name, const void *in, size_t in_size, void *out, size_t size)
{
	const uint8_t *bytes = in;

	if (in_size < sizeof(size_t))
		return obj_error(-EINVAL, "size %zu of %s: sizeof(%s) belongs there", in_size, name,
				 name);
	for (size_t i = size; i < in_size; i++)
		if (bytes[i])
			return obj_error(-E2BIG,
					 "%s of %zu bytes has something set that this release does "
					 "not know, its own has %zu bytes",
					 name, in_size, size);
	memset(out, 0, size);
	memcpy(out, in, in_size < size ? in_size : size);
	memcpy(out, &size, sizeof(size));
	return 0;
}

/* -- addresses and selectors ------------------------------------------------------------------------------- */

static size_t addr_len(uint16_t family)
{
	return family == AF_INET ? 4 : family == AF_INET6 ? 16 : 0;
}

static const char *family_name(uint16_t family)
{
	return family == AF_INET ? "IPv4" : family == AF_INET6 ? "IPv6" : "none";
}

/* Addresses are compared whole, so nothing may be left behind the last byte. */
static void trim_addr(struct mlxo_addr *a)
{
	size_t len = addr_len(a->family);

	memset(a->bytes + len, 0, sizeof(a->bytes) - len);
}

static bool is_zero(const struct mlxo_addr *a)
{
	static const uint8_t zero[sizeof(a->bytes)];

	return memcmp(a->bytes, zero, sizeof(zero)) == 0;
}

static int check_family(const char *what, const struct mlxo_addr *a)
{
	if (a->family && !addr_len(a->family))
		return obj_error(-EINVAL, "%s of address family %u: AF_INET or AF_INET6 is allowed",
				 what, a->family);
	return 0;
}

static int check_prefix(const char *what, const struct mlxo_addr *a, uint8_t len)
{
	unsigned int most = (unsigned int)addr_len(a->family) * 8;

	if (a->family && len > most)
		return obj_error(-EINVAL, "sel %s: prefix length %u, 0..%u are allowed for %s",
				 what, len, most, family_name(a->family));
	return 0;
}

/* Protocol and ports of a selector. */
static int check_upper(const struct mlxo_selector *sel)
{
	if (sel->proto && sel->proto != IPPROTO_TCP && sel->proto != IPPROTO_UDP)
		return obj_error(-EINVAL,
				 "sel proto %u: the device tells apart only tcp (6) and udp (17), "
				 "0 stands for any",
				 sel->proto);
	if (!sel->proto && (sel->sport || sel->dport))
		return obj_error(
			-EINVAL, "sel %s %u without proto: ports need proto tcp (6) or udp (17)",
			sel->sport ? "sport" : "dport", sel->sport ? sel->sport : sel->dport);
	return 0;
}

/* A selector by itself, for SAs and policies alike. */
static int check_selector(const struct mlxo_selector *sel)
{
	int err = check_family("sel src", &sel->src);

	if (!err)
		err = check_family("sel dst", &sel->dst);
	if (!err)
		err = check_prefix("src", &sel->src, sel->src_prefixlen);
	if (!err)
		err = check_prefix("dst", &sel->dst, sel->dst_prefixlen);
	if (err)
		return err;
	if (sel->src.family && sel->dst.family && sel->src.family != sel->dst.family)
		return obj_error(-EINVAL, "sel src is %s and sel dst is %s: both must be the same",
				 family_name(sel->src.family), family_name(sel->dst.family));
	return check_upper(sel);
}

static bool holds(const struct mlxo_addr *net, uint8_t len, const struct mlxo_addr *a)
{
	uint8_t mask = (uint8_t)(0xff00 >> len % 8);

	return !net->family ||
	       (net->family == a->family && !memcmp(net->bytes, a->bytes, len / 8) &&
		(len % 8 == 0 || !((net->bytes[len / 8] ^ a->bytes[len / 8]) & mask)));
}

/* -- SA: rules ------------------------------------------------------------------------------------------------ */

typedef int (*sa_rule)(const struct mlxo_ipsec_sa_params *p);

static int sa_algorithms(const struct mlxo_ipsec_sa_params *p)
{
	if (p->has_auth)
		return obj_error(-EINVAL, "auth: a separate authentication algorithm is not "
					  "offloaded, allowed is aead '" AEAD "'");
	if (p->has_enc)
		return obj_error(-EINVAL, "enc: a separate encryption algorithm is not offloaded, "
					  "allowed is aead '" AEAD "'");
	if (p->has_comp)
		return obj_error(-EINVAL, "comp: compressed packets are not offloaded, the SA must "
					  "do without compression");
	return 0;
}

static int sa_proto(const struct mlxo_ipsec_sa_params *p)
{
	if (p->proto != ESP)
		return obj_error(-EINVAL, "proto %u%s: only esp (50) is offloaded", p->proto,
				 p->proto == IPPROTO_AH ? " (ah)" : "");
	if (!p->spi)
		return obj_error(-EINVAL,
				 "spi 0 never appears on the wire: 1..0xffffffff are allowed");
	return 0;
}

static int sa_addresses(const struct mlxo_ipsec_sa_params *p)
{
	int err = check_family("src", &p->src);

	if (!err)
		err = check_family("dst", &p->dst);
	if (err)
		return err;
	if (!p->dst.family || is_zero(&p->dst))
		return obj_error(-EINVAL, "dst is missing: an SA needs one IPv4 or IPv6 address");
	if (p->src.family && p->src.family != p->dst.family)
		return obj_error(-EINVAL, "src is %s and dst is %s: both must be the same",
				 family_name(p->src.family), family_name(p->dst.family));
	if (p->dir == MLXO_IPSEC_OUT && (!p->src.family || is_zero(&p->src)))
		return obj_error(-EINVAL, "src is missing: an outbound SA needs the address that "
					  "its packets come from");
	return 0;
}

static int sa_direction(const struct mlxo_ipsec_sa_params *p)
{
	if (p->dir == MLXO_IPSEC_FWD)
		return obj_error(-EINVAL, "dir fwd: only in and out are allowed for an SA");
	if (p->dir != MLXO_IPSEC_IN && p->dir != MLXO_IPSEC_OUT)
		return obj_error(-EINVAL, "dir %u: in (%u) or out (%u) is allowed", p->dir,
				 MLXO_IPSEC_IN, MLXO_IPSEC_OUT);
	if (p->offload != MLXO_IPSEC_CRYPTO && p->offload != MLXO_IPSEC_PACKET)
		return obj_error(-EINVAL, "offload %u: packet (%u) is allowed", p->offload,
				 MLXO_IPSEC_PACKET);
	return 0;
}

static int sa_mode(const struct mlxo_ipsec_sa_params *p)
{
	if (p->mode == MLXO_IPSEC_BEET)
		return obj_error(-EINVAL, "mode beet is not offloaded: use mode transport");
	if (p->mode != MLXO_IPSEC_TRANSPORT && p->mode != MLXO_IPSEC_TUNNEL)
		return obj_error(-EINVAL, "mode %u: transport (%u) is allowed", p->mode,
				 MLXO_IPSEC_TRANSPORT);
	return 0;
}

static int sa_encap(const struct mlxo_ipsec_sa_params *p)
{
	if (!p->encap_type)
		return 0;
	if (p->encap_type != UDP_ENCAP_ESPINUDP)
		return obj_error(-EINVAL, "encap type %u%s is not offloaded: only espinudp (%u) is",
				 p->encap_type,
				 p->encap_type == UDP_ENCAP_ESPINUDP_NON_IKE ? " (espinudp-nonike)"
									     : "",
				 UDP_ENCAP_ESPINUDP);
	if (p->offload == MLXO_IPSEC_CRYPTO)
		return obj_error(-EINVAL, "encap espinudp goes with offload packet only");
	if (p->mode != MLXO_IPSEC_TRANSPORT)
		return obj_error(-EINVAL, "encap espinudp goes with mode transport only");
	if (!p->encap_sport || !p->encap_dport)
		return obj_error(-EINVAL, "encap espinudp %u %u: ports 1..65535 are allowed",
				 p->encap_sport, p->encap_dport);
	return 0;
}

static int sa_aead(const struct mlxo_ipsec_sa_params *p)
{
	size_t len;

	if (!p->aead)
		return obj_error(-EINVAL, "aead is missing: allowed is '" AEAD "'");
	if (strcmp(p->aead, AEAD) != 0)
		return obj_error(-EINVAL, "aead '%.64s' is not offloaded: allowed is '" AEAD "'",
				 p->aead);
	if (p->icv_bits != ICV_BITS)
		return obj_error(-EINVAL, "aead: ICV of %u bits, only %d are allowed", p->icv_bits,
				 ICV_BITS);
	if (!p->key)
		return obj_error(-EINVAL, "key is missing: %d or %d bytes, salt included", KEY128,
				 KEY256);
	len = mlxo_secret_len(p->key);
	if (len != KEY128 && len != KEY256)
		return obj_error(-EINVAL,
				 "key of %zu bytes%s: allowed are %d (AES-128) and %d (AES-256), "
				 "%d bytes of salt included",
				 len, len == KEY192 ? " (AES-192)" : "", KEY128, KEY256,
				 SALT_BYTES);
	return 0;
}

static int sa_selector(const struct mlxo_ipsec_sa_params *p)
{
	const struct mlxo_selector *sel = &p->sel;
	uint16_t family = sel->src.family ? sel->src.family : sel->dst.family;
	int err;

	if (p->tfcpad)
		return obj_error(-EINVAL, "tfcpad %u: the device cannot hide lengths, 0 is allowed",
				 p->tfcpad);
	err = check_selector(sel);
	if (err)
		return err;
	if (p->mode == MLXO_IPSEC_TRANSPORT && family && family != p->dst.family)
		return obj_error(-EINVAL,
				 "sel is %s and the SA %s: in mode transport both must be the same",
				 family_name(family), family_name(p->dst.family));
	return 0;
}

static int sa_packet(const struct mlxo_ipsec_sa_params *p)
{
	uint32_t w = p->replay_window;

	if (p->offload != MLXO_IPSEC_PACKET)
		return 0;
	if (!p->reqid)
		return obj_error(-EINVAL,
				 "packet offload without reqid is impossible, because policies "
				 "find their SA by it: 1..0xffffffff are allowed");
	if (p->esn && p->dir == MLXO_IPSEC_IN && w != 32 && w != 64 && w != 128 && w != 256)
		return obj_error(-EINVAL,
				 "replay-window %u with flag esn: the device can do 32, 64, 128 "
				 "and 256",
				 w);
	return 0;
}

static bool is_limit(uint64_t n)
{
	return n && n != MLXO_IPSEC_UNLIMITED;
}

static int sa_limits(const struct mlxo_ipsec_sa_params *p)
{
	if (p->offload != MLXO_IPSEC_PACKET)
		return 0;
	if (is_limit(p->hard_bytes) && is_limit(p->soft_bytes) && p->soft_bytes >= p->hard_bytes)
		return obj_error(-EINVAL,
				 "byte-soft %llu, byte-hard %llu: the hard limit must be greater "
				 "than the soft one",
				 (unsigned long long)p->soft_bytes,
				 (unsigned long long)p->hard_bytes);
	if (is_limit(p->hard_packets) && is_limit(p->soft_packets) &&
	    p->soft_packets >= p->hard_packets)
		return obj_error(-EINVAL,
				 "packet-soft %llu, packet-hard %llu: the hard limit must be "
				 "greater than the soft one",
				 (unsigned long long)p->soft_packets,
				 (unsigned long long)p->hard_packets);
	return 0;
}

/* One direction's counter: the last number cannot be used, because there is none after it. */
static int check_start(const char *name, const struct mlxo_ipsec_sa_params *p, uint32_t seq,
		       uint32_t hi)
{
	if (!p->esn && hi)
		return obj_error(-EINVAL, "%s-hi %u without flag esn: 0 is allowed", name, hi);
	if (!p->esn && seq == UINT32_MAX)
		return obj_error(-EINVAL,
				 "%s 0x%x: no number follows it, 0..0xfffffffe are allowed", name,
				 seq);
	if (p->esn && seq == UINT32_MAX && hi == UINT32_MAX)
		return obj_error(-EINVAL,
				 "%s and %s-hi 0x%x: no number follows it, one must be smaller",
				 name, name, seq);
	return 0;
}

static int sa_start(const struct mlxo_ipsec_sa_params *p)
{
	if (p->dir == MLXO_IPSEC_IN && (p->oseq || p->oseq_hi))
		return obj_error(-EINVAL,
				 "replay-oseq %u and replay-oseq-hi %u of an inbound SA: it sends "
				 "nothing, 0 is allowed",
				 p->oseq, p->oseq_hi);
	if (p->dir == MLXO_IPSEC_OUT && (p->seq || p->seq_hi))
		return obj_error(
			-EINVAL,
			"replay-seq %u and replay-seq-hi %u of an outbound SA: it receives "
			"nothing, 0 is allowed",
			p->seq, p->seq_hi);
	if (p->dir == MLXO_IPSEC_IN)
		return check_start("replay-seq", p, p->seq, p->seq_hi);
	return check_start("replay-oseq", p, p->oseq, p->oseq_hi);
}

/* -- SA: what the card could do and this release does not --------------------------------------------------- */

static int sa_release(const struct mlxo_ipsec_sa_params *p)
{
	if (p->offload == MLXO_IPSEC_CRYPTO)
		return obj_error(-EOPNOTSUPP,
				 "offload crypto is not in this release: use offload packet");
	if (p->mode == MLXO_IPSEC_TUNNEL)
		return obj_error(-EOPNOTSUPP, "mode tunnel is not in this release: use mode "
					      "transport, inside of an IP tunnel if need be");
	if (p->esn)
		return obj_error(-EOPNOTSUPP, "flag esn is not in this release: leave it out and "
					      "rekey before 2^32 packets");
	if (p->encap_type)
		return obj_error(-EOPNOTSUPP, "encap espinudp is not in this release: leave it "
					      "out, ESP follows the IP header then");
	if (is_limit(p->soft_packets) || is_limit(p->hard_packets) || is_limit(p->soft_bytes) ||
	    is_limit(p->hard_bytes))
		return obj_error(-EOPNOTSUPP,
				 "limits are not in this release: leave them out, watch the SA's "
				 "counters and rekey by them");
	return 0;
}

static void sa_warn(const struct mlxo_ipsec_sa_params *p)
{
	const struct mlxo_selector *sel = &p->sel;

	if (p->spi <= SPI_RESERVED)
		obj_log(MLXO_LOG_WARN, "spi 0x%x is in the range 1..255 that IANA has reserved",
			p->spi);
	if (p->dir == MLXO_IPSEC_IN && (p->replay_window || p->seq))
		obj_log(MLXO_LOG_WARN,
			"spi 0x%x: replay protection is off in this release, replay-window %u is "
			"only kept",
			p->spi, p->replay_window);
	if (!holds(&sel->dst, sel->dst_prefixlen, &p->dst) ||
	    (p->src.family && !holds(&sel->src, sel->src_prefixlen, &p->src)))
		obj_log(MLXO_LOG_WARN,
			"spi 0x%x: sel does not hold the SA's own addresses, so in mode transport "
			"no packet fits",
			p->spi);
}

int ipsec_sa_params_check(struct mlxo_device *dev, const struct mlxo_ipsec_sa_params *in,
			  struct mlxo_ipsec_sa_params *out)
{
	static const sa_rule rules[] = {sa_algorithms, sa_direction, sa_proto, sa_mode,
					sa_addresses,  sa_encap,     sa_aead,  sa_selector,
					sa_packet,     sa_limits,    sa_start, sa_release};
	int err = ipsec_take_struct("struct mlxo_ipsec_sa_params", in, in->size, out, sizeof(*out));

	if (err)
		return err;
	out->proto = out->proto ? out->proto : ESP;
	out->mode = out->mode ? out->mode : MLXO_IPSEC_TRANSPORT;
	trim_addr(&out->src);
	trim_addr(&out->dst);
	trim_addr(&out->sel.src);
	trim_addr(&out->sel.dst);
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		err = rules[i](out);
		if (err)
			return err;
	}
	if (dev)
		err = mlxo_device_check_ipsec_packet(dev, mlxo_secret_len(out->key) == KEY256);
	if (!err)
		sa_warn(out);
	return err;
}

/* -- policies ------------------------------------------------------------------------------------------------ */

static int policy_words(const struct mlxo_ipsec_policy_params *p)
{
	if (p->dir == MLXO_IPSEC_FWD)
		return obj_error(-EINVAL, "dir fwd: a forward policy is not offloaded, only in and "
					  "out are");
	if (p->dir != MLXO_IPSEC_IN && p->dir != MLXO_IPSEC_OUT)
		return obj_error(-EINVAL, "dir %u: in (%u) or out (%u) is allowed", p->dir,
				 MLXO_IPSEC_IN, MLXO_IPSEC_OUT);
	if (p->offload != MLXO_IPSEC_PACKET)
		return obj_error(-EINVAL, "offload %u%s of a policy: only packet (%u) is allowed",
				 p->offload, p->offload == MLXO_IPSEC_CRYPTO ? " (crypto)" : "",
				 MLXO_IPSEC_PACKET);
	if (p->action != MLXO_IPSEC_ALLOW && p->action != MLXO_IPSEC_BLOCK)
		return obj_error(-EINVAL, "action %u: allow (%u) or block (%u) is possible",
				 p->action, MLXO_IPSEC_ALLOW, MLXO_IPSEC_BLOCK);
	if (p->priority == UINT32_MAX)
		return obj_error(-EINVAL, "priority %u: 0..%u are allowed", p->priority,
				 UINT32_MAX - 1);
	if (p->ntmpl > 1)
		return obj_error(-EINVAL, "%u tmpl in one policy: 0 or 1 is allowed", p->ntmpl);
	return 0;
}

static int tmpl_addresses(const struct mlxo_ipsec_policy_params *p)
{
	uint16_t sel = p->sel.src.family ? p->sel.src.family : p->sel.dst.family;
	uint16_t src = p->tmpl.src.family, dst = p->tmpl.dst.family;
	int err = check_family("tmpl src", &p->tmpl.src);

	if (!err)
		err = check_family("tmpl dst", &p->tmpl.dst);
	if (err)
		return err;
	if ((src && dst && src != dst) || (sel && src && src != sel) || (sel && dst && dst != sel))
		return obj_error(-EINVAL,
				 "tmpl src is %s, tmpl dst is %s, sel is %s: in mode transport all "
				 "that are given must be the same",
				 family_name(src), family_name(dst), family_name(sel));
	return 0;
}

static int policy_tmpl(const struct mlxo_ipsec_policy_params *p)
{
	const struct mlxo_ipsec_tmpl *t = &p->tmpl;

	if (!p->ntmpl)
		return 0;
	if (t->proto != ESP)
		return obj_error(-EINVAL, "tmpl proto %u: only esp (50) is offloaded", t->proto);
	if (t->mode != MLXO_IPSEC_TRANSPORT && t->mode != MLXO_IPSEC_TUNNEL)
		return obj_error(-EINVAL, "tmpl mode %u%s: transport (%u) is allowed", t->mode,
				 t->mode == MLXO_IPSEC_BEET ? " (beet)" : "", MLXO_IPSEC_TRANSPORT);
	if (t->spi)
		return obj_error(-EINVAL,
				 "tmpl spi 0x%x: SAs are found by reqid, mode and proto, so spi 0 "
				 "(any) is allowed",
				 t->spi);
	if (t->level_use)
		return obj_error(-EINVAL, "tmpl level use: protection cannot be optional with "
					  "packet offload, level required is allowed");
	if (!t->reqid && !p->sel.proto && is_zero(&p->sel.src) && is_zero(&p->sel.dst))
		return obj_error(-EINVAL, "tmpl reqid 0 with a selector of everything: give "
					  "addresses, proto tcp or udp, and the reqid of the SA");
	if (!t->reqid)
		return obj_error(-EINVAL, "tmpl without reqid finds no SA: 1..0xffffffff are "
					  "allowed, the same as the SA's");
	if (t->mode == MLXO_IPSEC_TUNNEL)
		return obj_error(-EOPNOTSUPP, "tmpl mode tunnel is not in this release: use mode "
					      "transport");
	return tmpl_addresses(p);
}

int ipsec_policy_params_check(const struct mlxo_ipsec_policy_params *in,
			      struct mlxo_ipsec_policy_params *out)
{
	int err = ipsec_take_struct("struct mlxo_ipsec_policy_params", in, in->size, out,
				    sizeof(*out));

	if (err)
		return err;
	out->tmpl.proto = out->tmpl.proto ? out->tmpl.proto : ESP;
	out->tmpl.mode = out->tmpl.mode ? out->tmpl.mode : MLXO_IPSEC_TRANSPORT;
	trim_addr(&out->sel.src);
	trim_addr(&out->sel.dst);
	trim_addr(&out->tmpl.src);
	trim_addr(&out->tmpl.dst);
	err = policy_words(out);
	if (!err)
		err = check_selector(&out->sel);
	if (err)
		return err;
	return policy_tmpl(out);
}

/* -- what ESP adds (RFC 4303 2, RFC 4106 3) --------------------------------------------------------------- */

enum { HEADER = 8, IV = 8, TRAILER = 2, ICV = ICV_BITS / 8, ALIGN = 4 };

unsigned int ipsec_overhead(int family)
{
	(void)family; /* the same in transport mode: no header is added */
	return HEADER + IV + (ALIGN - 1) + TRAILER + ICV;
}

unsigned int ipsec_usable_mtu(unsigned int wire_mtu, int family)
{
	unsigned int ip = family == AF_INET6 ? 40 : 20, fixed = ip + HEADER + IV + ICV;

	if (wire_mtu < fixed + ALIGN)
		return 0;
	return ip + (wire_mtu - fixed) / ALIGN * ALIGN - TRAILER;
}
