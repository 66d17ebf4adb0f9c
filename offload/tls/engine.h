/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inside of TLS transmit offload: what engine, queues, connections, keys and records hold.
 *
 *	engine ──┬─ pool of contexts, pool of keys, executor		any thread
 *		 └─ queue ──┬─ send queue, buffers, caches of both pools	one thread at a time, as all below
 *			    └─ connection ──┬─ key (its own, until its last record is acknowledged)
 *					    ├─ context (TIS), while it has hardware records
 *					    └─ records, oldest first, until they are acknowledged
 *
 * Stamps. Nothing is given back before the send queue is done with the last WQE that names it: records, keys and
 * connections carry the position behind that WQE (queues/sq.h) and wait in a list of the queue until it is passed.
 *
 * What comes from other threads (a key was loaded, a context is there) is a node on the queue's `arrived` stack, which
 * mlxo_tls_queue_poll() takes and runs: so a connection needs no lock.
 *
 * Reset of the device: the engine's `epoch` counts them. Leases of an older epoch are void.
 */
#ifndef OFFLOAD_TLS_ENGINE_H
#define OFFLOAD_TLS_ENGINE_H

#include <openssl/evp.h>

#include <mlx5_offload/tls.h>

#include "objects/device.h"
#include "objects/region.h"
#include "pool/dek.h"
#include "pool/tis.h"
#include "queues/sq.h"

enum { TLS_HEADER = 5, TLS_NONCE = 8, TLS_TAG = 16, TLS_IV = 12 };
enum { TLS_CIPHERS = 2 }; /* 128 and 256 bits */

/* Counters: C(id, name, meaning). Names of the kernel where they mean the same (Documentation/networking/tls.rst, mlx5 counters). */
#define TLS_COUNTERS(C) \
	C(TX_SW, "TlsTxSw", "connections opened") \
	C(TX_DEVICE, "TlsTxDevice", "moves of a connection to hardware") \
	C(TO_SOFTWARE, "moved_to_software", "moves of a connection back to software") \
	C(REKEY_OK, "TlsTxRekeyOk", "new keys taken") \
	C(REKEY_ERROR, "TlsTxRekeyError", "new keys refused") \
	C(CTX, "tx_tls_ctx", "times a context was set (static parameters)") \
	C(OOO, "tx_tls_ooo", \
	  "times a context was set back or forward: not the next byte was sent") \
	C(DUMP_PACKETS, "tx_tls_dump_packets", \
	  "pieces of records read again to set a context back") \
	C(DUMP_BYTES, "tx_tls_dump_bytes", "their bytes") \
	C(ENC_PACKETS, "tx_tls_encrypted_packets", "packets posted for the device to encrypt") \
	C(ENC_BYTES, "tx_tls_encrypted_bytes", "their payload bytes") \
	C(SKIP_NO_SYNC, "tx_tls_skip_no_sync_data", "packets without payload") \
	C(DROP_NO_SYNC, "tx_tls_drop_no_sync_data", "ranges not sent again: acknowledged already") \
	C(HW_RECORDS, "hardware_records", "records written for the device to encrypt") \
	C(HW_BYTES, "hardware_bytes", "their plaintext bytes") \
	C(SW_RECORDS, "software_records", "records encrypted in software") \
	C(SW_BYTES, "software_bytes", "their plaintext bytes") \
	C(SEALED, "records_sealed_late", \
	  "hardware records that were encrypted in software after all") \
	C(COPIED_BYTES, "copied_bytes", "plaintext copied because its memory is not registered") \
	C(RETRANSMITTED, "retransmitted_bytes", "payload bytes sent again") \
	C(LINEARIZED, "linearized_packets", "packets of too many pieces, copied together") \
	C(RING_FULL, "ring_full", "sends refused for want of room in the ring") \
	C(BUFFERS_FULL, "buffers_full", "writes refused for want of buffers") \
	C(KEY_LOADS, "key_loads", "keys loaded for connections") \
	C(KEY_FAILED, "key_loads_failed", "keys that could not be loaded") \
	C(POOL_EMPTY, "pool_empty", "times no context was at hand") \
	C(NO_SLOT, "no_key_slot", "times no clean key slot was at hand") \
	C(LIMITED, "record_limit", \
	  "writes refused: the key has protected all the records that it may")

#define TLS_COUNTER_ENUM(id, name, about) TLS_N_##id,
enum tls_counter { TLS_COUNTERS(TLS_COUNTER_ENUM) TLS_NCOUNTERS };

struct mlxo_tls_engine {
	struct mlxo_device *dev;
	struct pool_exec *exec;
	struct pool_tis_pool *tis; /* NULL: no hardware */
	struct pool_dek_pool *dek;
	struct mlxo_tls_engine_opts opts; /* defaults filled in */
	bool can[2][TLS_CIPHERS]; /* by version (1.2, 1.3) and key size: the device does it */
	EVP_CIPHER *cipher[TLS_CIPHERS];
	unsigned int magazine;		   /* items a queue's cache may hold */
	struct tls_ranges *_Atomic ranges; /* memory.c */
	_Atomic unsigned int loading;	   /* keys on their way */
	_Atomic unsigned int hardware;	   /* connections that hold a context */
	_Atomic unsigned int epoch;
	_Atomic bool dead; /* a command said so */

	pthread_mutex_t lock;
	struct mlxo_tls_queue *queues; /* lock */
	uint64_t past[TLS_NCOUNTERS];  /* lock; of queues that are gone */
	struct tls_ranges *old_ranges; /* lock */
};

/* -- what arrives from other threads (queue.c) ------------------------------------------------------------------ */

struct tls_node {
	void (*run)(struct tls_node *n);
	struct tls_node *next;
};

/* From any thread. */
void tls_arrive(struct mlxo_tls_queue *q, struct tls_node *n);

/* -- keys (key.c) ----------------------------------------------------------------------------------------------- */

enum tls_key_state {
	TLS_KEY_HOST,	 /* only here */
	TLS_KEY_LOADING, /* its command is under way */
	TLS_KEY_LOADED,
	TLS_KEY_ENDING, /* the queue still has WQEs that use it */
};

/* One key of one connection: for software always, on the device while somebody needs it there. */
struct tls_key {
	struct pool_dek_lease lease;
	union {
		struct tls_node node;	 /* LOADING: the load has ended */
		struct tls_key *pending; /* ENDING: the next in the queue's list */
	};
	struct mlxo_tls_queue *q;
	struct mlxo_tls *tls;	    /* whose next record it protects; NULL: none */
	struct mlxo_secret *secret; /* key, salt, iv */
	uint64_t serial;	    /* tells keys apart: the address may be used again */
	uint64_t records;	    /* protected so far */
	uint64_t stamp;		    /* behind the last WQE that uses it */
	uint32_t unacked;	    /* hardware records that may be sent again */
	unsigned int epoch;
	int err;       /* of the load */
	uint8_t len;   /* 16 or 32 */
	uint8_t state; /* enum tls_key_state */
};

/* Takes a reference to the secret. NULL: no memory. */
struct tls_key *tls_key_create(struct mlxo_tls_queue *q, struct mlxo_secret *secret, size_t len);
const uint8_t *tls_key_iv(const struct tls_key *k);
/* Start loading. 0, -EAGAIN (no slot; only when !wait) or another error. */
int tls_key_load(struct tls_key *k, bool wait);
/* Something changed: give back what nobody needs. k may be gone afterwards. */
void tls_key_settle(struct tls_key *k);
/* The device was reset. */
void tls_key_void(struct tls_key *k);
static inline bool tls_key_is_on_device(const struct tls_key *k)
{
	return k->state == TLS_KEY_LOADED;
}

/* -- records (record.c) ------------------------------------------------------------------------------------------ */

/*
 * One record. `seg` is the whole of it in memory, in order: in software the ciphertext, else header, plaintext, room for
 * type and tag.
 */
struct tls_record {
	struct tls_record *next;
	struct tls_key *key;
	void *cookie;
	uint64_t rec_no;
	uint64_t stamp; /* behind the last WQE that reads it */
	uint8_t *block;
	struct tls_buffers *from; /* of these */
	uint32_t seq;		  /* of its first byte */
	uint32_t len;		  /* on the wire */
	uint32_t plain;		  /* bytes of plaintext */
	bool hw;		  /* the device encrypts it */
	bool held;		  /* cookie has to be released */
	uint8_t type;
	uint8_t nsegs;
	struct queue_seg seg[];
};

/* A record is written as: */
struct tls_write {
	uint8_t type;
	const struct iovec *iov;
	int iovcnt;
	uint32_t plain;
	void *cookie;
};

/* NULL with errno: EAGAIN (buffers) or ENOMEM. Number, position and key are the connection's next. */
struct tls_record *tls_record_create(struct mlxo_tls *tls, const struct tls_write *w, bool hw);
/* Encrypt a hardware record in software after all: the same bytes on the wire. 0, -EAGAIN (still being sent), -ENOMEM, -EIO. */
int tls_record_seal(struct mlxo_tls *tls, struct tls_record *r);
/* Acknowledged, or its connection is gone: free it as soon as the queue is done with it. */
void tls_record_release(struct mlxo_tls_queue *q, struct tls_record *r);
void tls_record_free(struct mlxo_tls_queue *q, struct tls_record *r);
/* Memory keys have changed. */
void tls_record_renew(struct mlxo_tls_queue *q, struct tls_record *r);

/* -- memory ------------------------------------------------------------------------------------------------------- */

/* buffer.c: blocks for headers, tags, ciphertext; one registered region per queue, cut into slabs of equal blocks. */
enum { TLS_NCLASSES = 5 };
struct tls_slab;
struct tls_buffers {
	struct tls_buffers *more; /* made after a reset: see tls_buffer_get_anyhow() */
	struct obj_region *mem;
	struct tls_slab *slabs;
	uint32_t nslabs, fresh;		     /* fresh: never used ones start here */
	struct tls_slab *empty;		     /* given back */
	struct tls_slab *some[TLS_NCLASSES]; /* with free blocks */
	_Atomic uint32_t in_use;	     /* blocks; written by one thread, read by all */
};
int tls_buffers_init(struct tls_buffers *b, struct mlxo_device *dev, size_t bytes);
void tls_buffers_fini(struct tls_buffers *b, struct mlxo_device *dev);
/* A block of at least n bytes (n <= TLS_BLOCK_MAX), 64-byte aligned, not zeroed. NULL: used up. */
uint8_t *tls_buffer_get(struct tls_buffers *b, uint32_t n);
void tls_buffer_put(struct tls_buffers *b, uint8_t *block);
/*
 * For what must be sent again before anything is given back: when b is used up, memory is registered for it, which stays with
 * b. *from: what the block belongs to. NULL: no memory.
 */
uint8_t *tls_buffer_get_anyhow(struct tls_buffers *b, struct mlxo_device *dev, uint32_t n,
			       struct tls_buffers **from);
/* After a reset: register again. */
void tls_buffers_drop(struct tls_buffers *b, struct mlxo_device *dev);
int tls_buffers_renew(struct tls_buffers *b, struct mlxo_device *dev);
enum { TLS_BLOCK_MAX = MLXO_TLS_RECORD_MAX + 64 };

/* memory.c: memory of the user's. false: not registered. Any thread, no lock. */
bool tls_memory_find(struct mlxo_tls_engine *e, const void *addr, size_t len, uint32_t *lkey);
void tls_memory_drop(struct mlxo_tls_engine *e);
int tls_memory_renew(struct mlxo_tls_engine *e);
void tls_memory_fini(struct mlxo_tls_engine *e);

/* -- queues (queue.c) ----------------------------------------------------------------------------------------------- */

/* A send in the making (plan.h). */
struct tls_plan;

struct mlxo_tls_queue {
	struct mlxo_tls_engine *engine;
	struct mlxo_tls_queue *next; /* of the engine */
	struct mlxo_tls_queue_opts opts;
	struct queue_sq sq;
	struct tls_buffers buffers;
	struct pool_cache *tis, *dek; /* NULL: no hardware */
	struct tls_plan *plan;
	struct {
		EVP_CIPHER_CTX *ctx;
		uint64_t serial; /* of the key that is set */
	} cipher[TLS_CIPHERS];
	uint64_t last_serial;
	struct tls_node *_Atomic arrived;
	_Atomic unsigned int expected; /* nodes that will arrive */
	struct mlxo_tls *conns;
	/* waiting for their stamps */
	struct tls_record *records, **records_tail;
	struct tls_key *keys, **keys_tail;
	struct mlxo_tls *closing, **closing_tail;
	uint64_t moved_at; /* when a completion was last seen, ns */
	bool broken;	   /* recover made no new queue yet */
	_Atomic uint64_t n[TLS_NCOUNTERS];
	_Atomic unsigned int by_reason[MLXO_TLS_NREASONS]; /* connections */
	_Atomic unsigned int by_state[4];
};

static inline void tls_add(struct mlxo_tls_queue *q, enum tls_counter c, uint64_t n)
{
	/* one writer: a plain addition, seen whole by readers */
	atomic_store_explicit(&q->n[c], atomic_load_explicit(&q->n[c], memory_order_relaxed) + n,
			      memory_order_relaxed);
}

/* -- connections (context.c, send.c) ---------------------------------------------------------------------------------- */

struct mlxo_tls {
	struct mlxo_tls_queue *q;
	void *user;
	struct tls_key *key;		       /* of the next record */
	struct pool_tis *tis;		       /* context; NULL: none */
	struct tls_record *head, *tail, *hint; /* hint: where the last send was */
	struct mlxo_tls *next, **prev;	       /* of the queue */
	struct mlxo_tls *pending;
	union { /* `prev` of the waiter lies behind the node: it says that the line was left */
		struct pool_waiter waiter; /* for a context */
		struct tls_node node;	   /* it arrived */
	};
	struct pool_tis *arriving; /* by then; NULL with an error */
	uint64_t rec_no;	   /* of the next record */
	uint64_t nonce;		   /* TLS 1.2: explicit nonce of the next record */
	uint64_t admit, since;	   /* bytes needed, bytes written since it was last decided */
	uint64_t hw_bytes, sw_bytes, retransmitted;
	uint32_t hw_records, sw_records, resyncs;
	uint32_t una, nxt, sent; /* TCP sequence numbers: not acknowledged, not written, not sent */
	uint32_t hw_unacked;	 /* hardware records */
	uint32_t window_new, window_again; /* bytes sent lately */
	uint32_t hw_seq;		   /* the byte that the context expects next, if armed */
	/* what the device's context was set to; only true while hw_epoch is the queue's */
	uint64_t programmed;	 /* record number of the static parameters */
	uint64_t programmed_key; /* serial of their key; 0: none */
	uint64_t stamp;		 /* behind the last WQE that names the context */
	unsigned int hw_epoch;
	int16_t arriving_err;
	bool armed;	/* hw_seq holds */
	bool expecting; /* a context is on its way */
	bool opening;	/* open() has not returned */
	bool closed;
	bool in_pending;
	bool pinned;	     /* software until asked otherwise */
	uint8_t version : 4; /* 0: TLS 1.2, 1: TLS 1.3 */
	uint8_t losses : 4;  /* times that it went to software since too much was lost */
	uint8_t admission, state, reason;
};

static inline int32_t tls_seq_diff(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b);
}

/* context.c */
/* The context that was waited for is there, or not (arriving_err). */
void tls_context_arrived(struct tls_node *n);
void tls_set_state(struct mlxo_tls *tls, enum mlxo_tls_state state, enum mlxo_tls_reason reason);
/* The key that was being loaded for tls is there (k->err 0) or not. */
void tls_key_arrived(struct mlxo_tls *tls, struct tls_key *k);
/* Give the context back when no record needs it. */
void tls_context_settle(struct mlxo_tls *tls);
/* Its stamp has passed: give back, or free a closed one. */
void tls_context_done(struct mlxo_tls *tls);
void tls_to_software(struct mlxo_tls *tls, enum mlxo_tls_reason reason);
/* The device was reset. */
void tls_context_void(struct mlxo_tls *tls);

/* admission.c: look at the policy before a record of n bytes is written. */
void tls_admission_init(struct mlxo_tls *tls, const struct mlxo_tls_params *params);
void tls_admission_look(struct mlxo_tls *tls, uint32_t n);
/* Hardware was not to be had, or too much was lost there: not again before so many bytes more. */
void tls_admission_later(struct mlxo_tls *tls);
void tls_admission_lossy(struct mlxo_tls *tls);
/*
 * Take a context and start loading the key. 0: under way, or there: a key that old records keep on the device does not arrive
 * again (context.c looks). wait: stand in line for the context, then for the key.
 */
int tls_admission_start(struct mlxo_tls *tls, bool wait);

/* queue.c: lists of what waits for its stamp. */
void tls_pend_record(struct mlxo_tls_queue *q, struct tls_record *r);
void tls_pend_key(struct mlxo_tls_queue *q, struct tls_key *k);
void tls_pend_context(struct mlxo_tls_queue *q, struct mlxo_tls *tls);
/* The device was reset: nothing of the queue is in flight or on the device any more. Then make it anew. */
void tls_queue_void(struct mlxo_tls_queue *q);
int tls_queue_renew(struct mlxo_tls_queue *q);
void tls_emit(struct mlxo_tls *tls, enum mlxo_tls_event event);

/* params.c: struct sizes as elsewhere. 0 or -EINVAL with a sentence. */
int tls_read_opts(const char *what, const void *from, size_t from_size, void *to, size_t known);
int tls_check_params(struct mlxo_tls_engine *e, const struct mlxo_tls_params *params);

#endif
