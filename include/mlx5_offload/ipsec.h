/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * IPsec packet offload: security associations and policies, with the words of `ip xfrm`.
 *
 *   TX   channel SQ ─▶ policy table ─▶ SA table ─▶ wire
 *                      (slot number)   (encrypt)
 *   RX   wire ─▶ SA table ─▶ status table ─▶ policy table ─▶ channel RQ
 *               (decrypt)    (ICV, selector)  (was it to be protected?)
 *
 * State and policy install whole or not at all. Thread-safe; one lock per service. An SA or policy is valid until it is
 * deleted, flushed or the service is closed: a thread that deletes one must know that no other still uses it.
 */
#ifndef MLX5_OFFLOAD_IPSEC_H
#define MLX5_OFFLOAD_IPSEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mlx5_offload/channel.h>
#include <mlx5_offload/device.h>
#include <mlx5_offload/secret.h>

MLXO_BEGIN_DECLS

struct mlxo_ipsec;
struct mlxo_ipsec_sa;
struct mlxo_ipsec_policy;

struct mlxo_ipsec_opts {
	size_t size;
	struct mlxo_channel *
		channel; /* whose frames are protected and where received ones go; NULL: none yet */
	/*
	 * Take every received frame (the channel owns the port) instead of ESP only. Clear packets of a protected
	 * selector are then dropped and counted; other clear packets reach the channel.
	 */
	bool rx_all;
	uint32_t max_sa;     /* per direction, 1..16384; 0 = 4096 */
	uint32_t max_policy; /* per direction, 1..4096; 0 = 512 */
	/*
	 * Own ESP: what no SA of the service is for is dropped and counted. Otherwise it goes on to the kernel and its SAs,
	 * by a steering anchor; with a warning, it is dropped where card or driver have none. With rx_all the channel
	 * owns the port, and ESP too.
	 */
	bool esp_all;
};

MLXO_API int mlxo_ipsec_open(struct mlxo_device *dev, const struct mlxo_ipsec_opts *opts,
			     struct mlxo_ipsec **ipsec);
/* Removes policies, then SAs, then tables. NULL is allowed. The channel may be destroyed afterwards. */
MLXO_API void mlxo_ipsec_close(struct mlxo_ipsec *ipsec);

/* Network byte order; IPv4 in the first 4 bytes, the rest 0. family AF_INET or AF_INET6; 0 = not given (any). */
struct mlxo_addr {
	uint16_t family;
	uint8_t bytes[16];
};

/* Which packets. Host bits beyond the prefix are kept for showing and ignored for matching. */
struct mlxo_selector {
	struct mlxo_addr src, dst;
	uint8_t src_prefixlen, dst_prefixlen; /* bits; only read when the address is given */
	uint8_t proto;			      /* IP protocol, 0 = any */
	uint16_t sport, dport;		      /* host byte order, 0 = any */
};

enum mlxo_ipsec_dir { MLXO_IPSEC_IN = 1, MLXO_IPSEC_OUT = 2, MLXO_IPSEC_FWD = 3 };
enum mlxo_ipsec_mode { MLXO_IPSEC_TRANSPORT = 1, MLXO_IPSEC_TUNNEL = 2, MLXO_IPSEC_BEET = 3 };
enum mlxo_ipsec_offload { MLXO_IPSEC_CRYPTO = 1, MLXO_IPSEC_PACKET = 2 };

#define MLXO_IPSEC_UNLIMITED UINT64_MAX

/* What `ip xfrm state add` takes. Fields that a part of this release cannot do yet are refused with a sentence. */
struct mlxo_ipsec_sa_params {
	size_t size;
	struct mlxo_addr src, dst;
	uint8_t proto;	/* 50 (ESP); 0 = ESP */
	uint32_t spi;	/* 1..0xffffffff; 1..255 is reserved by IANA: accepted with a warning */
	uint32_t reqid; /* not 0 with packet offload */
	enum mlxo_ipsec_mode mode; /* 0 = transport */
	enum mlxo_ipsec_dir dir;
	enum mlxo_ipsec_offload offload;
	const char *aead; /* "rfc4106(gcm(aes))" */
	struct mlxo_secret
		*key; /* key and 4 bytes of salt: 20 or 36 bytes; the SA keeps a reference */
	unsigned int icv_bits;	/* 128 */
	uint32_t replay_window; /* packets; in only, off until a later release, with a warning */
	bool esn;		/* flag esn */
	struct mlxo_selector
		sel; /* family 0 = the SA's own addresses; inbound it is checked after the ICV */
	/* limits, MLXO_IPSEC_UNLIMITED or 0 = none given */
	uint64_t soft_packets, hard_packets, soft_bytes, hard_bytes;
	uint32_t oseq, oseq_hi, seq, seq_hi; /* counters to start from */
	uint16_t encap_type; /* UDP_ENCAP_*: 0 none, 1 espinudp-nonike, 2 espinudp */
	uint16_t encap_sport, encap_dport;
	uint32_t tfcpad;
	bool has_auth, has_enc, has_comp; /* separate algorithms were given: never offloadable */
	const char *dev;		  /* label of the port, shown only; NULL = none */
};

MLXO_API int mlxo_ipsec_sa_add(struct mlxo_ipsec *ipsec, const struct mlxo_ipsec_sa_params *params,
			       struct mlxo_ipsec_sa **sa);
/* Validate only: the same refusals and warnings as sa_add() before it touches the device. */
MLXO_API int mlxo_ipsec_sa_check(struct mlxo_ipsec *ipsec,
				 const struct mlxo_ipsec_sa_params *params);
/* Removes whole; when a command gets no answer the rest is removed all the same and the object is quarantined (-ETIMEDOUT). */
MLXO_API int mlxo_ipsec_sa_del(struct mlxo_ipsec_sa *sa);
/* NULL + ENOENT. dir 0 = either. */
MLXO_API struct mlxo_ipsec_sa *mlxo_ipsec_sa_find(struct mlxo_ipsec *ipsec,
						  const struct mlxo_addr *dst, uint32_t spi,
						  enum mlxo_ipsec_dir dir);
/*
 * In order of creation; prev NULL = first; NULL at the end. Others may be added or deleted during the walk, but not prev
 * itself between two calls.
 */
MLXO_API struct mlxo_ipsec_sa *mlxo_ipsec_sa_next(struct mlxo_ipsec *ipsec,
						  struct mlxo_ipsec_sa *prev);
/* Deletes all; continues past failures and returns the first. *n: how many were deleted. */
MLXO_API int mlxo_ipsec_sa_flush(struct mlxo_ipsec *ipsec, size_t *n);

struct mlxo_ipsec_sa_info {
	struct mlxo_ipsec_sa_params params; /* key is NULL here */
	unsigned int key_bits;		    /* 128, 256 */
	uint64_t packets,
		bytes; /* protected (out) or taken for this SA (in), counted by the device */
	uint64_t drop_auth, drop_trailer, drop_selector; /* in: packets dropped and why */
	unsigned int
		overhead; /* bytes added to a full packet: ESP header, IV, worst padding, trailer, ICV */
	unsigned int usable_mtu; /* largest IP packet before protection that fits the port's MTU */
	bool replay_on;
	uint32_t dek_id, ipsec_id, slot; /* device objects, for people who compare with dumps */
};
MLXO_API int mlxo_ipsec_sa_query(struct mlxo_ipsec_sa *sa, struct mlxo_ipsec_sa_info *info);
/* The SA's key, for an explicit export only. Valid while the SA lives. */
MLXO_API const struct mlxo_secret *mlxo_ipsec_sa_key(const struct mlxo_ipsec_sa *sa);

enum mlxo_ipsec_action { MLXO_IPSEC_ALLOW = 0, MLXO_IPSEC_BLOCK = 1 };

struct mlxo_ipsec_tmpl {
	struct mlxo_addr src, dst; /* family 0 = the packet's own (transport) */
	uint8_t proto;		   /* 50; 0 = ESP */
	uint32_t spi;		   /* 0 = any, the only one possible: SAs are found by reqid */
	uint32_t reqid;		   /* not 0 */
	enum mlxo_ipsec_mode mode; /* 0 = transport */
	bool level_use; /* "level use": optional protection; refused with packet offload */
};

/* What `ip xfrm policy add` takes. */
struct mlxo_ipsec_policy_params {
	size_t size;
	enum mlxo_ipsec_dir dir;
	struct mlxo_selector sel;
	uint32_t priority; /* lower wins; equal: the older wins */
	uint32_t index;	   /* 0 = chosen */
	enum mlxo_ipsec_action action;
	unsigned int
		ntmpl; /* 0: pass in clear (allow) or drop (block); 1: protect; more: refused */
	struct mlxo_ipsec_tmpl tmpl;
	enum mlxo_ipsec_offload offload; /* MLXO_IPSEC_PACKET */
	const char *dev;
};

MLXO_API int mlxo_ipsec_policy_add(struct mlxo_ipsec *ipsec,
				   const struct mlxo_ipsec_policy_params *params,
				   struct mlxo_ipsec_policy **policy);
MLXO_API int mlxo_ipsec_policy_del(struct mlxo_ipsec_policy *policy);
/* Same selector and direction, as `ip xfrm policy delete` finds it; or by index when index != 0. NULL + ENOENT. */
MLXO_API struct mlxo_ipsec_policy *mlxo_ipsec_policy_find(struct mlxo_ipsec *ipsec,
							  enum mlxo_ipsec_dir dir,
							  const struct mlxo_selector *sel,
							  uint32_t index);
/* In order of precedence within a direction, out first. The walk is like that of SAs. */
MLXO_API struct mlxo_ipsec_policy *mlxo_ipsec_policy_next(struct mlxo_ipsec *ipsec,
							  struct mlxo_ipsec_policy *prev);
MLXO_API int mlxo_ipsec_policy_flush(struct mlxo_ipsec *ipsec, size_t *n);

struct mlxo_ipsec_policy_info {
	struct mlxo_ipsec_policy_params params;
	uint64_t packets,
		bytes; /* that took this policy (passed on, or blocked, fragments included) */
	uint64_t drop_fragment; /* out: fragments of the protected selector */
	uint64_t
		drop_unprotected; /* in: clear packets and fragments, or of another SA, that the template forbids */
};
MLXO_API int mlxo_ipsec_policy_query(struct mlxo_ipsec_policy *policy,
				     struct mlxo_ipsec_policy_info *info);

/* Device-wide counters of the service: group "ipsec": rx_drop_no_sa, rx_drop_fragment, tx_drop_no_state … */
MLXO_API int mlxo_ipsec_stats(struct mlxo_ipsec *ipsec, struct mlxo_stat **stats, size_t *n);

MLXO_END_DECLS

#endif
