/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * TLS transmit offload for programs with a TCP stack of their own: plaintext goes in, the NIC encrypts on the way out.
 *
 *	write()	 plaintext ─▶ records of the stream (TCP sequence numbers)	      ┌▶ pool of contexts (TIS)
 *	send()	 headers + a range of the stream ─▶ send queue ─▶ NIC ─▶ wire   engine ┼▶ pool of keys (DEK)
 *	ack()	 what the peer has: memory is given back			      └▶ background commands
 *
 * Firmware is not on a connection's path. A connection starts in software (libcrypto) and moves to hardware at a record
 * boundary when its key is loaded and the admission policy says that it is worth it; it can move back at any boundary. The
 * bytes on the wire are the same. What was written is kept until it is acknowledged, so any range can be sent again.
 *
 * AES-GCM with 128 or 256 bits, TLS 1.2 and 1.3. TLS 1.3 carries the content type inside; write() adds it.
 *
 * Threads: the engine is thread-safe. A queue and its connections belong to one thread at a time.
 */
#ifndef MLX5_OFFLOAD_TLS_H
#define MLX5_OFFLOAD_TLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include <mlx5_offload/device.h>
#include <mlx5_offload/secret.h>

MLXO_BEGIN_DECLS

struct mlxo_tls_engine; /* of a device: pools, policy, counters */
struct mlxo_tls_queue;	/* a send queue and its connections */
struct mlxo_tls;	/* one direction of one connection */

#define MLXO_TLS_1_2 0x0303
#define MLXO_TLS_1_3 0x0304

/* Numbers of linux/tls.h. */
#define MLXO_TLS_AES_GCM_128 51
#define MLXO_TLS_AES_GCM_256 52

#define MLXO_TLS_RECORD_MAX 16384 /* bytes of plaintext in a record (RFC 8446 5.1) */
#define MLXO_TLS_IOV_MAX 8	  /* pieces of a record's plaintext that are sent without a copy */

/* When a connection is worth a key on the device. */
enum mlxo_tls_admission {
	MLXO_TLS_ADMIT_DEFAULT, /* of an engine: adaptive; of a connection: the engine's */
	/*
	 * After enough bytes, and more of them the busier the firmware is (adaptive_bytes); at once when a longer length
	 * was declared. Never waits.
	 */
	MLXO_TLS_ADMIT_ADAPTIVE,
	MLXO_TLS_ADMIT_ALWAYS, /* from the first byte: waits for its key as the kernel does */
	MLXO_TLS_ADMIT_BYTES,  /* after a fixed number of bytes */
	MLXO_TLS_ADMIT_NEVER,  /* software only */
};

/* What becomes of contexts and keys of connections that closed. */
enum mlxo_tls_recycle {
	MLXO_TLS_RECYCLE_ALL,  /* both are used again: at most one command per connection */
	MLXO_TLS_RECYCLE_TIS,  /* keys are created and destroyed: two commands */
	MLXO_TLS_RECYCLE_NONE, /* four commands; for comparison */
};

enum mlxo_tls_event {
	MLXO_TLS_EVENT_READY = 1, /* admission always: write() may be called */
	MLXO_TLS_EVENT_FAILED, /* admission always: no context or key; mlxo_tls_info() says why. Goes on in software */
	MLXO_TLS_EVENT_HARDWARE,   /* the next record is encrypted by the NIC */
	MLXO_TLS_EVENT_SOFTWARE,   /* the next record is encrypted by libcrypto */
	MLXO_TLS_EVENT_REKEY_SOON, /* nine tenths of the records that one key may protect are used */
};

struct mlxo_tls_engine_opts {
	size_t size; /* sizeof(struct mlxo_tls_engine_opts) */
	enum mlxo_tls_admission admission;
	uint64_t admit_bytes;	 /* of ADMIT_BYTES; 0 = 65536 */
	uint32_t adaptive_bytes; /* of ADMIT_ADAPTIVE with idle firmware; 0 = 8192 */
	enum mlxo_tls_recycle recycle;
	/* Contexts: refill below low, destroy above high. 0 = 1024, 4096, what the device has; batch 1..16, 0 = 16. */
	uint32_t tis_low, tis_high, tis_max, tis_batch;
	/* Key slots: more are cleaned or made below low clean ones; 0 = a quarter of a bulk, what the device has. */
	uint32_t key_low, key_max;
	uint32_t
		key_log_bulk; /* slots made by one command, log2, 1..20; 0 = 12 or what the device allows */
	uint32_t
		key_sync_percent; /* SYNC_CRYPTO when so many of the slots are used up, 1..100; 0 = 25 */
	uint32_t
		idle_ms; /* give back what was not needed for so long; 0 = 60000, UINT32_MAX = never */
	uint32_t max_hardware; /* connections in hardware at a time; 0 = no limit but the pools' */
	/*
	 * A connection goes to software when more than so many percent of its last bytes were sent again: each
	 * retransmission makes the NIC read the record once more. It is tried again after 1 MB more, then 2, 4 … MB.
	 * 0 = 10, 100 = never.
	 */
	uint32_t retransmit_percent;
	/* Records under one key before write() refuses with -EKEYEXPIRED; 0 = 23,726,566 (2^24.5, RFC 8446 5.5). */
	uint64_t record_limit;
	/*
	 * Who runs the background commands: a thread of the engine's, or (caller_runs) whoever calls
	 * mlxo_device_progress(). A device in virtual time needs caller_runs.
	 */
	bool caller_runs;
};

/*
 * opts: NULL for the defaults. The device must outlive the engine; several engines of a device are possible. -EINVAL: an option,
 * with what is allowed; -EOPNOTSUPP: the device has no TLS offload and admission is always; with other policies it opens and
 * stays in software; -ENOMEM; -EIO, -ETIMEDOUT: the device.
 */
MLXO_API int mlxo_tls_engine_open(struct mlxo_device *dev, const struct mlxo_tls_engine_opts *opts,
				  struct mlxo_tls_engine **engine);
/* Queues that are left are destroyed with it. Waits until the pools have given everything back. NULL is allowed. */
MLXO_API void mlxo_tls_engine_close(struct mlxo_tls_engine *engine);

/*
 * Memory that payload lies in: records written from it are sent without a copy. Anything else is copied. The memory must
 * stay until it is unregistered, and nothing written from it may be outstanding then, which is not checked: else the send queue
 * stops with an error. For few, large areas that stay: each change takes memory until the engine is closed. Any thread.
 * -EEXIST: part of it is registered; -ENOENT: nothing registered begins at addr; -EINVAL; -ENOMEM, which on a NIC may be
 * ulimit -l.
 */
MLXO_API int mlxo_tls_memory_register(struct mlxo_tls_engine *engine, void *addr, size_t len);
MLXO_API int mlxo_tls_memory_unregister(struct mlxo_tls_engine *engine, void *addr);

/* 0, or -EOPNOTSUPP with what the device lacks for TLS of that version and cipher. */
MLXO_API int mlxo_device_check_tls(struct mlxo_device *dev, uint16_t version, uint16_t cipher);

/*
 * After the device was reset (send() and poll() say -EIO): make queues and pools anew on the same device. All connections
 * go on in software, what was not acknowledged can be sent again. No other thread may be in the engine. May be called
 * again after a failure; -EIO: the device has not come back yet. A NIC is found again by its PCI address, whatever its verbs
 * name is now; the descriptors of before stay open until the device is closed. What else uses the device (another engine,
 * IPsec) was lost with it, and is not recovered by this.
 */
MLXO_API int mlxo_tls_engine_recover(struct mlxo_tls_engine *engine);

/* Counters, pools and their limits, states of connections; the kernel's names where they mean the same. free() the array. */
MLXO_API int mlxo_tls_stats(struct mlxo_tls_engine *engine, struct mlxo_stat **stats, size_t *n);

/* -- queues -------------------------------------------------------------------------------------------------- */

struct mlxo_tls_queue_opts {
	size_t size;
	uint32_t
		sq_blocks; /* ring in blocks of 64 bytes, power of two, 256..32768; 0 = 4096. A packet takes 3 to 5 */
	/* Headers, tags, software records and copied payload until they are acknowledged: bytes, 64 KB..1 GB; 0 = 16 MB */
	size_t buffer_bytes;
	/*
	 * The payload of the record that was written with `cookie` may be changed or freed. Once per record that write() said is
	 * held, from any call for the queue or one of its connections but write(). It must not call anything for this queue or its
	 * connections.
	 */
	void (*released)(void *ctx, void *cookie);
	/*
	 * From poll(), wait(), write(), send(), move(), recover(), queue_recover(), and open() that waits (of other connections
	 * than the new one). It may do anything with tls, close it included (but not while wait() waits for it), and must not
	 * close another connection or destroy the queue.
	 */
	void (*event)(void *ctx, struct mlxo_tls *tls, enum mlxo_tls_event event);
	void *ctx; /* of both */
};

MLXO_API int mlxo_tls_queue_create(struct mlxo_tls_engine *engine,
				   const struct mlxo_tls_queue_opts *opts,
				   struct mlxo_tls_queue **queue);
/* Closes connections that are left; their records are released. NULL is allowed. */
MLXO_API void mlxo_tls_queue_destroy(struct mlxo_tls_queue *queue);
/* Ring the doorbell for what was posted since the last one. send() alone never rings. */
MLXO_API void mlxo_tls_queue_flush(struct mlxo_tls_queue *queue);
/* Handle completions, keys that were loaded, closes that are due. 0, or -EIO: the queue is in the error state (recover). */
MLXO_API int mlxo_tls_queue_poll(struct mlxo_tls_queue *queue);
/*
 * Before sleeping on mlxo_device_fd(), as mlxo_channel_arm(): 0, sleep; 1, something is there, poll; -EIO, or another -errno.
 * Only completions wake: sleep with a timeout of 10 ms or so while keys are being loaded, or while a packet is in flight on a
 * device that may have died (it is poll() that notices).
 */
MLXO_API int mlxo_tls_queue_arm(struct mlxo_tls_queue *queue);
/*
 * Take the send queue out of the error state. Packets in flight are lost (TCP sends them again); every context that was armed
 * on this queue is armed anew before its next packet. 0 also when nothing was wrong.
 */
MLXO_API int mlxo_tls_queue_recover(struct mlxo_tls_queue *queue);

/* -- connections ---------------------------------------------------------------------------------------------- */

enum {
	MLXO_TLS_NOWAIT =
		1
		<< 0 /* admission always: open() returns at once, write() says -EAGAIN until EVENT_READY */
};

struct mlxo_tls_params {
	size_t size;
	uint16_t version; /* MLXO_TLS_1_2, MLXO_TLS_1_3 */
	uint16_t cipher;  /* MLXO_TLS_AES_GCM_* */
	/*
	 * Key (16 or 32 bytes), salt (4), iv (8), in this order. TLS 1.2: iv is the explicit nonce of the next record, counted up
	 * from there. TLS 1.3: salt and iv are the write IV. The connection keeps a reference.
	 */
	struct mlxo_secret *key;
	uint64_t rec_seq; /* sequence number of the next record */
	uint32_t tcp_seq; /* TCP sequence number of its first byte */
	enum mlxo_tls_admission admission;
	uint64_t admit_bytes; /* of ADMIT_BYTES; 0 = the engine's */
	uint64_t
		expected_bytes; /* plaintext to come when it is known (content length); 0 = unknown */
	unsigned int flags;
	void *user; /* see mlxo_tls_user() */
};

/*
 * Fill version, cipher, key and rec_seq from what a TLS library hands to the kernel (struct tls12_crypto_info_* of linux/tls.h, len
 * bytes or more): a new secret, which the caller destroys. -EOPNOTSUPP: another version or cipher, by name; -EINVAL.
 */
MLXO_API int mlxo_tls_params_from_ktls(struct mlxo_tls_params *params, const void *info,
				       size_t len);

/*
 * *tls must be NULL: a connection that has a context already is refused with -EEXIST and its context not touched.
 * -EOPNOTSUPP: version or cipher is not AES-GCM of TLS 1.2 or 1.3, or admission is always and the device cannot do it;
 * -ENOMEM, -EAGAIN (admission always without NOWAIT: no context or key could be had; all of them being in use is no reason to
 * wait), with a sentence.
 */
MLXO_API int mlxo_tls_open(struct mlxo_tls_queue *queue, const struct mlxo_tls_params *params,
			   struct mlxo_tls **tls);
/*
 * Early release is allowed: what was not acknowledged can not be sent again and is released as soon as the NIC is done with it.
 * NULL is allowed.
 */
MLXO_API void mlxo_tls_close(struct mlxo_tls *tls);
MLXO_API void *mlxo_tls_user(const struct mlxo_tls *tls);

/* Where a record lies in the stream. */
struct mlxo_tls_written {
	uint32_t seq; /* TCP sequence number of its first byte */
	uint32_t len; /* bytes of TCP payload: header, nonce, ciphertext, tag */
	bool held;    /* the payload must not change until released(cookie) */
};

/*
 * Append one record of up to MLXO_TLS_RECORD_MAX bytes (0 is possible) of content type 20..23. 0; -EAGAIN: the key is not there
 * yet (admission always), or the queue's buffers are used up (acknowledge, poll); -EKEYEXPIRED: the key has protected as
 * many records as it may, rekey; -EMSGSIZE, -EINVAL, -ENOMEM. written may be NULL.
 */
MLXO_API int mlxo_tls_write(struct mlxo_tls *tls, uint8_t type, const struct iovec *iov, int iovcnt,
			    void *cookie, struct mlxo_tls_written *written);

/*
 * A range of the stream as packets.
 *
 * hdr is a template: Ethernet (one VLAN tag is possible), IPv4 or IPv6 without extension headers, TCP with options, at most 128
 * bytes. IP length, IPv4 id (counted up from hdr's), TCP sequence number and checksums are filled in; PSH and FIN go with the
 * last packet only. Ranges that cross from software to hardware records are split where they do.
 */
struct mlxo_tls_segment {
	const void *hdr;
	uint16_t hdr_len;
	uint16_t mss; /* bytes of TCP payload per packet; 0: all in one packet */
	uint32_t seq,
		len; /* len 0: a packet without payload (ACK, FIN); behind a FIN seq is one more than what was written */
};

/*
 * Post a range, for the first time or again. What is acknowledged already is left out; when nothing else is left, 0.
 * -EAGAIN: the ring has no room for all of it, nothing was posted (flush, poll); -ERANGE: outside of what was written;
 * -EINVAL: the template; -EMSGSIZE: packets longer than the device's MTU, or a range that needs more than the whole ring: send
 * less at a time; -EIO: the queue is in the error state (recover); -ENOMEM, nothing was posted.
 */
MLXO_API int mlxo_tls_send(struct mlxo_tls *tls, const struct mlxo_tls_segment *seg);
/*
 * The peer has everything before una, which is one more than what was written when it has the FIN too. -ERANGE: more than that; an
 * old number changes nothing.
 */
MLXO_API int mlxo_tls_ack(struct mlxo_tls *tls, uint32_t una);

/*
 * KeyUpdate of TLS 1.3: the next record is number 0 under this key (key, salt, iv as above); records under the old one can be
 * sent again until they are acknowledged. Write the KeyUpdate message first. The connection keeps a reference.
 * -EOPNOTSUPP: TLS 1.2 has no KeyUpdate; -EAGAIN: it still waits for its first key (admission always); -EINVAL: length;
 * -ENOMEM. After a failure the old key is used.
 */
MLXO_API int mlxo_tls_rekey(struct mlxo_tls *tls, struct mlxo_secret *key);

/*
 * Ask for hardware (whatever the policy says; 0 also while the key is being loaded: EVENT_HARDWARE) or go to software with the
 * next record and stay there. -EAGAIN: no context or key at hand; -EOPNOTSUPP: the device cannot.
 */
MLXO_API int mlxo_tls_move(struct mlxo_tls *tls, bool hardware);
/* Wait until a key that is being loaded is there (or not to be had), at most timeout_ms (-1: as long as it takes). 0, -ETIMEDOUT. */
MLXO_API int mlxo_tls_wait(struct mlxo_tls *tls, int timeout_ms);

enum mlxo_tls_state {
	MLXO_TLS_SOFTWARE,
	MLXO_TLS_LOADING, /* in software; its key is on the way */
	MLXO_TLS_PENDING, /* admission always: waits for its key, nothing can be written */
	MLXO_TLS_HARDWARE,
};

/* Why it is where it is. */
#define MLXO_TLS_REASONS(R) \
	R(THRESHOLD, "below threshold") \
	R(NEVER, "admission never") \
	R(POOL_EMPTY, "pool empty") \
	R(NO_KEY, "no key slot") \
	R(REFUSED, "the device refused the key") \
	R(LIMIT, "limit of hardware connections") \
	R(RETRANSMITS, "too many retransmissions") \
	R(REKEY, "new key") \
	R(RESET, "the device was reset") \
	R(ASKED, "on request") \
	R(UNSUPPORTED, "not offloadable") \
	R(ADMITTED, "admitted")

#define MLXO_TLS_REASON_ENUM(name, text) MLXO_TLS_REASON_##name,
enum mlxo_tls_reason { MLXO_TLS_REASONS(MLXO_TLS_REASON_ENUM) MLXO_TLS_NREASONS };

struct mlxo_tls_info {
	enum mlxo_tls_state state;
	enum mlxo_tls_reason reason;
	const char *text;	       /* "software: below threshold"; static */
	uint64_t hw_records, hw_bytes; /* written as such: payload bytes without header and tag */
	uint64_t sw_records, sw_bytes;
	uint64_t retransmitted; /* payload bytes sent again */
	uint64_t resyncs;	/* times the context was set back to an older record */
	uint32_t una, nxt;	/* TCP sequence numbers: not acknowledged, not written */
	uint64_t rec_seq;	/* of the next record */
};
MLXO_API const char *mlxo_tls_reason_text(enum mlxo_tls_reason reason);
MLXO_API void mlxo_tls_info(const struct mlxo_tls *tls, struct mlxo_tls_info *info);

MLXO_END_DECLS

#endif
