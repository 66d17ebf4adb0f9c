/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inside the software ConnectX. Knows prm/ and nothing else of this project, so that it cannot share a mistake of
 * the code it is there to check.
 *
 *   provider face (model.c) ──┐                         ┌── port.c: pair, loop, pcap, packet, tap, null
 *   other faces (later) ──────┤                         │
 *                        firmware.c ── fw_*.c     sq.c, queue.c ── steering.c ── esp.c
 *                             │   objects, refs,        │    rings, CQEs   │ tables   │ libcrypto
 *                             │                         ├── send.c, lso.c, tls_wqe.c ── tls.c
 *                        object.c  uid, census       memory.c           packet.c: parser, match.c, modify.c
 *
 * A command mailbox enters model_fw_exec(); a doorbell enters model_sq_ring(); a frame enters model_rx_frame().
 * The core reaches its surroundings only through struct model_host.
 *
 * Locks, in the order they may be taken (rank):
 *   1  fw     (mutex)    the firmware processor: one command at a time
 *   2  objs   (rwlock)   object registry, tables, rules: firmware writes, data path reads
 *   3  sq->lock / rq->lock (mutex)   one queue's ring state
 *   4  tis->tls->lock (mutex)        a TLS context; two queues may send on one TIS. Inside it only dek->lock
 *   5  late_lock (mutex)             completions that wait for their time (time=virtual)
 *   6  cq->lock (mutex)              producer index of a CQ
 *   7  port->lock (mutex)            a port's frame ring
 *   8  wire (mutex)                  when the wire is free again (time=virtual)
 * No lock of two devices is ever held: a frame for a peer goes into the peer port's ring under that ring's lock
 * alone, and the peer's own progress() takes it out. Counters are C11 atomics.
 */
#ifndef PROVIDERS_MODEL_MODEL_H
#define PROVIDERS_MODEL_MODEL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "prm/prm.h"

struct model_dev;

/* -- objects (object.c) --------------------------------------------------------------------------------- */

/* clang-format off */
/* M(type, word for people) - every kind of thing the census counts. */
#define MODEL_TYPES(M) \
	M(UAR, "uar") M(PD, "pd") M(TD, "td") M(UMEM, "umem") M(MKEY, "mkey") M(CQ, "cq") M(TIS, "tis") \
	M(SQ, "sq") M(RQ, "rq") M(TIR, "tir") M(DEK, "dek") M(IPSEC, "ipsec") M(COUNTER, "counter") \
	M(REFORMAT, "reformat") M(MODHDR, "modify_header") M(FT, "flow_table") M(FG, "flow_group") \
	M(FTE, "flow_entry") M(RQT, "rqt") M(QCOUNTER, "q_counter")
/* clang-format on */

#define MODEL_TYPE_ENUM(t, word) MODEL_##t,
enum model_type { MODEL_TYPES(MODEL_TYPE_ENUM) MODEL_NTYPES };

#define MODEL_MAX_REFS 8

/*
 * Common head of every object. An object names the objects it uses; each of those counts it in `users` and refuses
 * to be destroyed (BAD_RES_STATE) until it is 0. A flow entry has more users than MODEL_MAX_REFS: it keeps its own
 * list. Guarded by dev->objs.
 */
struct model_obj {
	enum model_type type;
	uint16_t uid;	/* owner; a command of another uid is refused */
	uint32_t id;	/* number in its type's id space; for a DEK bulk the base */
	uint32_t count; /* ids taken: 2^n for bulks of keys and counters, else 1 */
	uint32_t users;
	bool gone; /* destroyed; its memory stays until the last user is gone, too */
	struct model_obj *uses[MODEL_MAX_REFS];
	unsigned int nuses;
	struct model_obj *next; /* hash chain */
};

struct model_pd {
	struct model_obj o;
};
struct model_td {
	struct model_obj o;
};
struct model_uar {
	struct model_obj o;
};

struct model_umem {
	struct model_obj o;
	uint8_t *addr;
	size_t len;
};

struct model_mkey {
	struct model_obj o;
	uint32_t lkey; /* id << 8 | variable byte */
	uint32_t pd;
	uint64_t start, len;
	bool lr, lw;   /* local read is always allowed; lw allows local write */
	uint8_t *addr; /* host address of `start` */
	bool physical; /* PA mode: address is the host address */
};

struct model_cq {
	struct model_obj o;
	pthread_mutex_t lock;
	uint8_t *ring;
	uint32_t log_size;
	uint32_t pi;
	uint8_t *dbrec;	      /* big-endian: consumer index at [0], what it was armed with at [1] */
	_Atomic bool overrun; /* status CQ_OVERFLOW: nothing more is written */
	bool armed, solicited_only;
	uint32_t notified; /* producer index at the last event */
	uint32_t uar_page;
	uint8_t *cqc; /* context as created and modified, for QUERY */
};

enum { MODEL_Q_RST = 0, MODEL_Q_RDY = 1, MODEL_Q_ERR = 3 };

struct model_sq {
	struct model_obj o;
	pthread_mutex_t lock;
	uint8_t *ring;
	uint32_t log_size; /* in WQEBBs of 64 bytes */
	uint8_t *dbrec;	   /* send counter at [1] */
	uint16_t ci;	   /* next WQEBB to execute, free running */
	_Atomic int state;
	uint32_t cqn, pd, tisn, td, uar_page, user_index;
	uint8_t min_inline; /* bytes of header that a SEND must carry inline */
	uint64_t departs;   /* time=virtual: when the last frame so far is on the wire */
	bool flush_in_error;
	struct model_cq *cq;
	uint8_t *sqc; /* context as created, for QUERY */
	/* TISes with updates that this queue was given and that have not taken effect; stale entries are harmless */
	uint32_t *pending;
	uint32_t npending, pending_room;
	/* tls_wqe.c: what was seen when looking ahead: no fence up to `end`; `last`: the last update, if any */
	struct model_ahead {
		bool valid, closed, any;
		uint16_t end, last;
	} ahead;
};

/* A set of queue counters. Of the many that there are only those that can count are kept. */
struct model_qcounter {
	struct model_obj o; /* numbers of 8 bits */
	_Atomic uint64_t out_of_buffer;
};

struct model_rq {
	struct model_obj o;
	pthread_mutex_t lock;
	uint8_t *ring;
	uint32_t log_size, log_stride;
	uint8_t *dbrec; /* receive counter at [0] */
	uint16_t ci;
	_Atomic int state;
	uint32_t cqn, pd, user_index;
	bool flush_in_error;
	bool strip; /* take the VLAN tag out of the frame: vsd is 0 */
	struct model_cq *cq;
	struct model_qcounter *counter; /* NULL: none */
	uint8_t *rqc;
	_Atomic uint64_t out_of_buffer; /* frames dropped for want of a receive WQE */
};

/* What static parameters say. */
struct model_tls_params {
	bool v13;
	uint8_t iv[12];	 /* 1.2: 4 bytes of salt, then 0 */
	uint64_t record; /* number of the record that starts when progress is set */
	uint32_t dekn;
};

enum model_tls_state {
	MODEL_TLS_UNARMED, /* no progress was set since the static parameters */
	MODEL_TLS_ARMED,
	MODEL_TLS_LOST, /* the stream was not what its headers said: garbage until armed again */
};
enum model_tls_phase { MODEL_TLS_HEADER, MODEL_TLS_NONCE, MODEL_TLS_BODY, MODEL_TLS_TAG };

/* The TLS context of a TIS: tls.c. */
struct model_tls {
	pthread_mutex_t lock;
	struct model_tls_params params;
	enum model_tls_state state;
	bool has_params, moved; /* moved: at least a byte went through since it was armed */
	/* updates that have not taken effect, of the queue `owner` (NULL: none) */
	struct {
		const struct model_sq *owner;
		bool has_params, arm;
		struct model_tls_params params;
	} pending;
	/* where the stream is: `at` bytes of the phase are done */
	enum model_tls_phase phase;
	uint32_t at, body; /* body: bytes to encrypt in this record */
	uint8_t header[5], nonce[8], tag[16];
	uint64_t record, noise;
	void *cipher; /* EVP_CIPHER_CTX, keyed with cipher_gen of slot cipher_dekn of the DEK born cipher_birth */
	uint64_t cipher_birth;
	uint32_t cipher_dekn, cipher_gen;
};

struct model_tis {
	struct model_obj o;
	uint32_t td, pd;
	bool tls_en;
	uint8_t prio;
	struct model_tls *tls; /* with tls_en */
};

/* Receive queues to choose from by hash. Each entry counts as a user of its queue. */
struct model_rqt {
	struct model_obj o;
	uint32_t n, max;
	struct model_rq **rq;
};

/* What goes into the hash of a packet, and how: rss.c. */
struct model_rss {
	uint8_t fn; /* PRM_RX_HASH_FN_* */
	bool symmetric;
	uint8_t l3, l4;	 /* PRM_RX_HASH_L3_*, PRM_RX_HASH_L4_* */
	uint32_t fields; /* PRM_RX_HASH_FIELD_* */
	uint8_t key[40];
};

struct model_tir {
	struct model_obj o;
	struct model_rq *rq;   /* direct, else NULL */
	struct model_rqt *rqt; /* indirect, else NULL */
	struct model_rss rss;
	uint32_t td;
	uint8_t self_lb_block;
};

struct model_key { /* one slot of a DEK (bulk) */
	uint8_t bytes[32];
	uint8_t len; /* 16, 32; 0: never written */
	/* The key cache of the card: filled at first use, dropped by SYNC_CRYPTO for what was cached at its start. */
	_Atomic bool cached;
	uint64_t cached_at; /* ns */
	uint8_t cache[32];
	uint8_t cache_len;
	_Atomic uint32_t
		cache_gen; /* counts refills, from 1: a crypto context made from an older one is stale */
};

struct model_dek {
	struct model_obj o;
	uint8_t purpose;
	uint32_t pd;
	uint64_t birth;		/* no two DEKs of a device have the same */
	pthread_mutex_t lock;	/* the slots' caches */
	struct model_key *keys; /* o.count of them */
};

struct model_ipsec {
	struct model_obj o;
	struct model_dek *dek;
	uint32_t dekn; /* dek->o.id + slot */
	uint32_t pd;
	bool full_offload, esn_en, esn_overlap;
	uint8_t salt[4];
	uint8_t implicit_iv[8];
	uint8_t icv_bytes;
	uint8_t aso_return_reg; /* 0 = reg_c_0/1 ... 3 = reg_c_6/7 */
	uint32_t esn_msb;
	uint8_t aso_mode, window_sz;
	_Atomic uint64_t next_sn; /* TX: mode_parameter, counts up with INC_SN */
	uint8_t body
		[128]; /* object as created or modified, for QUERY; salt and IV read back as zero */
	void *crypto;  /* esp.c: cached cipher contexts, freed with the object */
};

struct model_counter {
	struct model_obj o;
	struct {
		_Atomic uint64_t packets, octets;
	} * c;
};

struct model_reformat {
	struct model_obj o;
	uint8_t type;
	uint8_t param_0;
	uint8_t data[256];
	uint32_t len;
};

struct model_modhdr_action { /* decoded set/add/copy action */
	uint8_t type;	     /* PRM_ACTION_TYPE_* */
	uint16_t field, dst_field;
	uint8_t offset, dst_offset, length; /* length 1..32 */
	uint32_t data;
};

struct model_modhdr {
	struct model_obj o;
	uint8_t table_type;
	uint32_t n;
	struct model_modhdr_action *actions;
};

/* -- steering state (fw_flow.c writes, steering.c executes) ----------------------------------------------- */

/*
 * A match, compiled from fte_match_param by match.c: the struct model_pkt keeps the same fields in the same
 * 512-byte layout ("match image"), so a match is a masked compare of the words that the mask has set.
 */
#define MODEL_MATCH_WORDS 128
struct model_mask {
	uint8_t enable;			 /* match_criteria_enable */
	uint16_t n;			 /* words in use */
	uint8_t word[MODEL_MATCH_WORDS]; /* index of 32-bit words with a mask, ascending */
	uint32_t mask[MODEL_MATCH_WORDS];
};

struct model_fte {
	struct model_obj
		o; /* id = flow index; found through its table, not through the registry hash */
	struct model_ft *ft;
	struct model_fg *fg;
	uint32_t index;
	uint32_t flow_tag;
	uint16_t action; /* PRM_FLOW_CONTEXT_ACTION_* bits */
	uint8_t crypto_type;
	struct model_ipsec *ipsec;
	struct model_reformat *reformat;
	struct model_modhdr *modhdr;
	uint32_t ndest, ncounter;
	struct {
		uint8_t type;
		union {
			struct model_ft *ft;
			struct model_tir *tir;
		};
	} * dest;
	struct {
		struct model_counter *counter;
		uint32_t index;
	} * counter;
	uint32_t *value;  /* values of fg->mask's words, in order */
	uint8_t *context; /* flow_context + destination list as set, for QUERY */
	size_t context_len;
	struct model_fte *hash_next; /* chain in fg's hash */
};

struct model_fg {
	struct model_obj o;
	struct model_ft *ft;
	uint32_t start, end; /* inclusive */
	struct model_mask mask;
	uint8_t match_criteria[512];
	/* rules of this group, hashed by their value words; the lowest index of equal values is hit first */
	struct model_fte **bucket;
	uint32_t nbuckets, nftes;
};

struct model_ft {
	struct model_obj o;
	uint8_t type; /* PRM_FLOW_TABLE_TYPE_NIC_RX / _TX */
	uint8_t level, log_size, miss_action;
	bool reformat_en, decap_en;
	bool anchor; /* leads back into the root, to its rules from this index on */
	uint32_t anchor_from;
	struct model_ft *miss_ft;
	struct model_fg **fgs; /* sorted by start index: lower index wins */
	uint32_t nfgs;
	struct model_fte **ftes; /* by flow index; grown on demand up to 2^log_size */
	uint32_t nftes_cap, nftes;
};

/* -- device ------------------------------------------------------------------------------------------------ */

/* Capabilities and limits: profile.c. Defaults are connectx-6dx. log2 unless the name says otherwise. */
struct model_profile {
	const char *name;
	const char *about;	    /* one line for `caps` */
	uint32_t max[MODEL_NTYPES]; /* objects of a type at one time; 0 = no limit of its own */
	bool ipsec, ipsec_full, gcm256, crypto_bulk;
	bool tls_tx, tls13; /* TLS 1.2 with AES-128 comes with tls_tx, AES-256 with gcm256 */
	uint8_t log_max_ft_size, max_ft_level, max_modify_header_actions, log_dek_max_alloc;
	uint16_t max_encap_bytes;
	uint16_t max_wqe_sz_sq; /* bytes */
	uint16_t mtu;		/* largest IP packet the port takes, bytes */
};

#define MODEL_SPEED UINT64_C(100000000000) /* of the wire unless told otherwise, bits/s */

enum model_time { MODEL_TIME_ZERO, MODEL_TIME_REAL, MODEL_TIME_VIRTUAL };

/* What can be done to a command on purpose: fault.c. */
enum model_fault_kind {
	MODEL_FAULT_NONE,
	MODEL_FAULT_STATUS,  /* refused with status and syndrome, nothing done */
	MODEL_FAULT_TIMEOUT, /* not done, no answer */
	MODEL_FAULT_LOST,    /* done, no answer */
	MODEL_FAULT_CORRUPT, /* done, answer with an unknown status byte */
	MODEL_FAULT_DELAY,   /* done after `ns` */
	MODEL_FAULT_FATAL,   /* the device dies: this and every later command fails until reset */
};

struct model_fault {
	enum model_fault_kind kind;
	uint64_t nth;	 /* counting from when it was set, 1 = the next; 0 = every one */
	uint16_t opcode; /* 0 = any */
	uint8_t status;
	uint32_t syndrome;
	uint64_t ns;
	uint64_t seen; /* matching commands so far */
};

#define MODEL_MAX_FAULTS 16

/* Reasons for which the model dropped or failed something, for `stats`: word, meaning. */
#define MODEL_DROPS(D) \
	D(RX_NO_ROOT, "rx_no_root", "frame arrived and no rule leads anywhere") \
	D(RX_RULE, "rx_rule", "dropped by a rule") \
	D(RX_MISS, "rx_miss", "no rule of a table matched and its miss action is drop") \
	D(RX_NO_BUFFER, "rx_no_buffer", "no receive WQE was posted") \
	D(RX_QUEUE_STATE, "rx_queue_state", "the receive queue was not ready") \
	D(RX_LENGTH, "rx_length", \
	  "frame shorter than an Ethernet header or longer than any frame may be") \
	D(RX_MTU, "rx_mtu", "frame arrived that is longer than the MTU") \
	D(RX_DEAD, "rx_dead", "the device has had a fatal error") \
	D(RX_HOPS, "rx_hops", "more than 32 tables in a row") \
	D(RX_REFORMAT, "rx_reformat", "the packet does not have the header to remove") \
	D(TX_RULE, "tx_rule", "dropped by a rule") \
	D(TX_MISS, "tx_miss", "no rule of a table matched and its miss action is drop") \
	D(TX_HOPS, "tx_hops", "more than 32 tables in a row") \
	D(TX_REFORMAT, "tx_reformat", "the packet cannot take the header to add") \
	D(TX_CRYPTO, "tx_crypto", "no usable key, or the sequence number is used up") \
	D(MTU, "mtu", "frame too long for the wire") \
	D(PORT_LOSS, "port_loss", "lost on request (port drop=)") \
	D(PORT_FULL, "port_full", "the peer's ring was full") \
	D(PORT_DOWN, "port_down", "nobody at the other end of the wire")

enum model_cast { MODEL_UNICAST, MODEL_MULTICAST, MODEL_BROADCAST, MODEL_NCASTS };

#define MODEL_DROP_ENUM(d, word, text) MODEL_DROP_##d,
enum model_drop { MODEL_DROPS(MODEL_DROP_ENUM) MODEL_NDROPS };

/* What the TLS engine did, for `stats`: word, meaning. */
#define MODEL_TLS_STATS(D) \
	D(STATIC, "static_params", "updates of static parameters") \
	D(PROGRESS, "progress_params", "updates of progress parameters") \
	D(DUMPS, "dumps", "DUMP work requests executed") \
	D(DUMP_BYTES, "dump_bytes", "bytes that DUMPs moved through a context") \
	D(PACKETS, "encrypted_packets", "packets whose payload went through an armed context") \
	D(BYTES, "encrypted_bytes", "bytes of their payload") \
	D(RECORDS, "records", "records finished, by packets or DUMPs") \
	D(LOST, "lost", "contexts that lost the stream and made garbage of it") \
	D(UNARMED, "unarmed", "packets and DUMPs that met a context which was not armed") \
	D(OVERTAKEN, "overtaken", \
	  "packets and DUMPs out of order with an update for want of a fence")

#define MODEL_TLS_STAT_ENUM(d, word, text) MODEL_TLS_N_##d,
enum model_tls_stat { MODEL_TLS_STATS(MODEL_TLS_STAT_ENUM) MODEL_NTLS_STATS };

struct model_port; /* port.c */

/* Sees a frame that leaves; its last bit is on the wire at `when`. Called with the device's locks held. */
typedef void (*model_wire_fn)(void *ctx, uint64_t when, const uint8_t *frame, size_t len);

/* Whose number an event has, as in an event queue entry. */
enum model_event_of { MODEL_EVENT_OTHER, MODEL_EVENT_RQ, MODEL_EVENT_SQ };

/* What the core needs from its surroundings. Called without a lock of rank 3..8 held. */
struct model_host {
	void *ctx;
	/* May be NULL. Completions and errors of CQs (OTHER), errors of queues. */
	void (*event)(void *ctx, uint8_t type, enum model_event_of of, uint32_t number);
};

struct model_dev {
	struct model_profile profile;
	enum model_time time;
	uint16_t next_uid;

	pthread_mutex_t fw;
	uint64_t fw_busy_ns;	     /* service time of all commands so far */
	uint64_t fw_free_at;	     /* ns: when the processor is free again */
	uint64_t service_ns[0x1000]; /* by opcode & 0xfff; from the profile, settable */
	uint64_t commands, refused;
	uint64_t by_opcode[0x1000];
	struct model_fault fault[MODEL_MAX_FAULTS];
	_Atomic bool dead;

	pthread_rwlock_t objs;
	struct model_obj **hash;
	uint32_t nhash;
	uint32_t live[MODEL_NTYPES], live_kernel[MODEL_NTYPES]; /* of all users; of uid 0 */
	uint32_t nobjs;						/* in the hash */
	uint32_t next_id[MODEL_NTYPES];
	_Atomic uint32_t generation; /* counts resets: handles of an older one are void */
	struct model_ft *root[2];    /* by PROV_RX / PROV_TX: set by SET_FLOW_TABLE_ROOT */

	uint8_t issi;	/* version of the interface that the driver chose */
	uint8_t mac[6]; /* of the function's one port */

	_Atomic uint64_t now; /* time=virtual: the clock, ns */
	uint64_t speed;	      /* of the wire, bits/s */
	pthread_mutex_t wire; /* guards the next two */
	/* time=virtual: the wire is free again at free_ns + free_part / speed ns */
	uint64_t wire_free_ns, wire_free_part;
	_Atomic uint64_t wire_busy_ns; /* of all frames so far */
	/* late.c: completions that wait for their time */
	pthread_mutex_t late_lock;
	struct model_late *late, *late_last, *late_spare;
	_Atomic uint64_t late_at; /* of the first; 0: none */

	model_wire_fn watch; /* NULL: nobody watches the wire */
	void *watch_ctx;

	struct model_host host;
	struct model_port *port;
	_Atomic uint64_t drop[MODEL_NDROPS];
	_Atomic uint64_t tx_packets, tx_bytes, rx_packets, rx_bytes; /* on the wire */
	/* the same by direction and kind of destination */
	struct model_traffic {
		_Atomic uint64_t packets, bytes;
	} traffic[2][MODEL_NCASTS];
	_Atomic uint64_t encrypted_bytes, decrypted_bytes;
	_Atomic uint64_t key_refills, syncs;
	_Atomic uint64_t tls[MODEL_NTLS_STATS];
	uint64_t dek_births;
};

/* firmware.c: an empty device with the profile, no port. 0 or -ENOMEM. fini frees all objects, not the port. */
int model_dev_init(struct model_dev *dev, const struct model_profile *profile);
void model_dev_fini(struct model_dev *dev);
/* Power-on state: every object of every user is gone, the device lives. Counters and faults stay. */
void model_dev_reset(struct model_dev *dev);

/* profile.c: by name, NULL when unknown; all of them, *n receives how many. */
const struct model_profile *model_profile_find(const char *name);
const struct model_profile *model_profiles(size_t *n);
/* Default service time of a command, ns. */
uint64_t model_service_ns(uint16_t opcode);

/* object.c. All need dev->objs held for writing, look-ups for reading. */
struct model_obj *model_obj_find(struct model_dev *dev, enum model_type type,
				 uint32_t id); /* bulks: any id in range */
/* Allocates `size` bytes zeroed, takes `count` ids aligned to count. NULL with *limit set when the profile's limit is hit. */
void *model_obj_new(struct model_dev *dev, enum model_type type, uint16_t uid, size_t size,
		    uint32_t count, bool *limit);
void model_obj_use(struct model_obj *user,
		   struct model_obj *used); /* counted until model_obj_free(user) */
void model_obj_free(struct model_dev *dev,
		    struct model_obj *o);     /* users must be 0; frees what the type holds */
void model_obj_unuse(struct model_obj *used); /* one user less */
const char *model_type_name(enum model_type type);

/*
 * firmware.c: execute one command mailbox for `uid`. Fills out (outlen bytes) with status and syndrome. Returns 0
 * when an answer was given (good or bad), -ETIMEDOUT when none will come (fault), -EIO when the device is dead.
 */
int model_fw_exec(struct model_dev *dev, uint16_t uid, const void *in, size_t inlen, void *out,
		  size_t outlen);
/*
 * The same in two steps, for a face that does not want to wait in the call: begin() lets the command into the serial
 * firmware processor and says when it will be done; run() executes it then. exec() waits in between.
 */
struct model_ticket {
	uint64_t start, done; /* ns of model_now(); done 0: at once */
	enum model_fault_kind fault;
	uint8_t status;
	uint32_t syndrome;
};
void model_fw_begin(struct model_dev *dev, const void *in, size_t inlen, struct model_ticket *t);
int model_fw_run(struct model_dev *dev, const struct model_ticket *t, uint16_t uid, const void *in,
		 size_t inlen, void *out, size_t outlen);
/* Destroy every object of uid, in an order that never meets a user. */
void model_fw_close_uid(struct model_dev *dev, uint16_t uid);

/*
 * vtime.c: the device's clock, ns. now: CLOCK_MONOTONIC, or with time=virtual the clock that only set() moves, never
 * back. wait: be there at `at`: sleeps, or moves the virtual clock.
 */
uint64_t model_now(const struct model_dev *dev);
void model_now_set(struct model_dev *dev, uint64_t at);
void model_now_wait(struct model_dev *dev, uint64_t at);
/* vtime.c: a frame of len bytes takes the wire. When its last bit is on it; at once unless time=virtual. */
uint64_t model_wire_depart(struct model_dev *dev, size_t len);
void model_wire_clear(struct model_dev *dev); /* nothing is on the wire any more */
/* vtime.c: when the last frame that this thread sent between the two is on the wire; 0: none, or not time=virtual. */
void model_wire_begin(void);
uint64_t model_wire_end(void);

/*
 * late.c: write the CQEs whose time has come; how many. forget: a queue's are not to come, with dev->objs for writing.
 * free: memory of those that are gone.
 */
int model_late_deliver(struct model_dev *dev);
void model_late_forget(struct model_dev *dev, const struct model_sq *sq);
void model_late_free(struct model_dev *dev);

/* traffic.c: count a frame of the wire; tx: which way it goes. */
void model_count_frame(struct model_dev *dev, bool tx, const uint8_t *frame, size_t len);

/* One refusal: status, syndrome and why, from the documented list in syndromes.h. */
struct model_refusal {
	uint8_t status;
	uint32_t syndrome;
	const char *why;
};
/* What is documented of it; NULL: nothing, as with injected ones. */
const char *model_refusal_why(uint8_t status, uint32_t syndrome);

/* memory.c: host address of [addr, addr+len) under an lkey for a queue of `pd`; NULL: protection error. */
uint8_t *model_mem(struct model_dev *dev, uint32_t pd, uint32_t lkey, uint64_t addr, size_t len,
		   bool write);

/*
 * fw_general.c: the key that slot `slot` of the DEK has in the card's cache, which is filled here at first use. 0, or
 * -ENOKEY when the slot was never written. *gen: see cache_gen.
 */
int model_key_get(struct model_dev *dev, struct model_dek *dek, uint32_t slot, uint8_t key[32],
		  uint8_t *len, uint32_t *gen);

/* -- data path ------------------------------------------------------------------------------------------------ */

#define MODEL_MAX_FRAME 10240
#define MODEL_LOG_MAX_LSO 18 /* payload bytes of one TSO */
#define MODEL_HEADROOM 256

/* A packet in flight through the tables. `data` has MODEL_HEADROOM bytes before it for headers to come. */
struct model_pkt {
	uint8_t buf[MODEL_HEADROOM + MODEL_MAX_FRAME + 128];
	uint8_t *data;
	size_t len;
	bool tx;
	bool decrypted; /* the ESP payload is in clear and its ICV was good */
	uint32_t sqn;	/* TX: source SQ */
	uint32_t reg_a, reg_b, reg_c[8];
	uint8_t ipsec_syndrome;
	uint8_t ipsec_next_header;
	uint32_t flow_tag;
	/* parser results; offsets from data, 0 = absent */
	uint16_t l3, l4, payload;
	uint16_t
		l3_end; /* end of the IP packet by its own length field; the rest of the frame is padding */
	uint16_t esp_at; /* where RFC 4303 3.1.1 puts a transport mode ESP header */
	uint16_t nh_at;	 /* the protocol (next header) byte that names what is at esp_at */
	uint8_t ip_version, l4_proto;
	bool frag;
	uint32_t image
		[MODEL_MATCH_WORDS]; /* match image, host order words of fte_match_param; rebuilt by parse */
};

/* packet.c: an empty packet: data behind the headroom, registers and syndromes 0. buf is left as it is. */
void model_pkt_init(struct model_pkt *p, bool tx);
/* (Re)build offsets and the match image from data, registers and syndromes. Never fails: what cannot be parsed is absent. */
void model_pkt_parse(struct model_pkt *p);
/* The part of model_pkt_parse() that depends on registers and syndromes, not on data. */
void model_pkt_parse_meta(struct model_pkt *p);
/* Fill L3 (IPv4) and/or L4 checksums as the Ethernet segment's cs_flags ask. Parsed before. */
void model_pkt_csum(struct model_pkt *p, uint8_t cs_flags);
/* What a receive CQE says: hds_ip_ext bits, l4_l3_hdr_type, ones' complement sum from the IP header on. Parsed before. */
struct model_pkt_sum {
	uint8_t hds_ip_ext, l4_l3_hdr_type;
	uint16_t check_sum;
};
void model_pkt_verify(const struct model_pkt *p, struct model_pkt_sum *sum);
/* Header checksum of the IPv4 header at h, its checksum field taken as 0. */
uint16_t model_ipv4_csum(const uint8_t *h);

/*
 * tunnel.c. Is this the data of such a context? The rest: 0, with the packet parsed anew, or a negative errno: -EPROTO, the
 * packet is not of that kind; -EMSGSIZE. Parsed before.
 */
bool model_tunnel_data_ok(uint8_t type, const uint8_t *data, size_t n);
int model_tunnel_add(struct model_pkt *p, const struct model_reformat *r);
int model_tunnel_del(struct model_pkt *p, const struct model_reformat *r);
int model_tunnel_decap(struct model_pkt *p);

/*
 * rss.c: hash of a parsed packet. type: what it was made of, as in the CQE; 0: nothing, and the hash is 0, too.
 */
struct model_hash {
	uint32_t value;
	uint8_t type;
};
struct model_hash model_rss_hash(const struct model_rss *rss, const struct model_pkt *p);
/* Entry of a table of n that the hash chooses. */
uint32_t model_rss_index(const struct model_rss *rss, uint32_t hash, uint32_t n);

/* modify.c: run the actions on the packet; the image is up to date afterwards. */
void model_modify(struct model_pkt *p, const struct model_modhdr *mh);
/* Is `id` a field that actions may name? *width receives its bits. */
bool model_modify_knows(uint16_t id, unsigned int *width);

/* match.c: compile a mask; read a value's words in the mask's order; hash them. */
void model_mask_compile(struct model_mask *m, uint8_t enable, const uint8_t criteria[512]);
void model_mask_values(const struct model_mask *m, const uint8_t value[512], uint32_t *words);
/* The rule of a group that the packet hits, lowest index first; NULL. */
struct model_fte *model_fg_lookup(const struct model_fg *fg, const struct model_pkt *p);
int model_fg_insert(struct model_fg *fg, struct model_fte *fte); /* 0 or -ENOMEM */
void model_fg_remove(struct model_fg *fg, struct model_fte *fte);

enum model_verdict { MODEL_TO_WIRE, MODEL_TO_TIR, MODEL_DROPPED };

/* steering.c: run the packet from the root table of its direction. Caller holds dev->objs for reading. */
enum model_verdict model_steer(struct model_dev *dev, struct model_pkt *p, struct model_tir **tir);

/*
 * esp.c. Both directions leave the packet parsed.
 *
 * add: header, IV, padding, trailer, encryption, ICV. 0; -EPROTO, -EMSGSIZE: the packet cannot take the header;
 * -ENOKEY, -EOVERFLOW (no sequence number is left), -ENOMEM, -EOPNOTSUPP: nothing to encrypt with. Packet unchanged.
 * decrypt: in place; ipsec_syndrome says how it went. 0; -EPROTO: not ESP. After a bad ICV the bytes are as before.
 * del: removes header, IV, trailer and ICV. 0, also when the syndrome is bad (the packet stays ESP); -EPROTO: there is
 * nothing decrypted to remove it from.
 */
int model_esp_add(struct model_dev *dev, struct model_pkt *p, struct model_ipsec *sa,
		  const struct model_reformat *r);
int model_esp_decrypt(struct model_dev *dev, struct model_pkt *p, struct model_ipsec *sa);
int model_esp_del(struct model_dev *dev, struct model_pkt *p);
void model_ipsec_crypto_free(struct model_ipsec *sa);

/*
 * tls.c: TLS contexts. new: NULL without memory. Everything else with its lock held; run also with dev->objs held for
 * reading. set and arm are what static and progress parameters do when they take effect. run() takes the next n bytes
 * of the stream through the context, in place: encrypted, or garbage, but never as they were except record headers.
 */
struct model_tls *model_tls_new(void);
void model_tls_free(struct model_tls *t);
void model_tls_set(struct model_tls *t, const struct model_tls_params *params);
void model_tls_arm(struct model_tls *t);
void model_tls_run(struct model_dev *dev, const struct model_tis *tis, uint8_t *bytes, size_t n);
/* The key of dek_index if the TIS may use it: its DEK, else NULL. */
struct model_dek *model_tls_dek(struct model_dev *dev, const struct model_tis *tis, uint32_t dekn);
/* tls_wqe.c: updates that have not taken effect are lost and so are their contexts, as when the queue fails. */
void model_tls_forget(struct model_dev *dev, struct model_sq *sq);

static inline void model_tls_count(struct model_dev *dev, enum model_tls_stat what, uint64_t n)
{
	atomic_fetch_add_explicit(&dev->tls[what], n, memory_order_relaxed);
}

/*
 * sq.c, queue.c. sq_ring and rx_frame take dev->objs for reading themselves. deliver writes the packet and its CQE to the
 * TIR's RQ; the caller holds dev->objs for reading. flush ends what is posted to a queue in ERR with error CQEs, if it
 * was created so; the caller holds dev->objs.
 */
/* Execute up to the doorbell record's counter. A doorbell on a page that is not the queue's own does nothing. */
void model_sq_ring(struct model_dev *dev, uint32_t uar_page, uint32_t sqn);
/*
 * cq.c: the CQ's doorbell: arm it with this word, as the host writes it to the UAR. Takes dev->objs for reading.
 */
void model_cq_ring(struct model_dev *dev, uint32_t uar_page, uint32_t cqn, uint32_t word);
void model_rx_frame(struct model_dev *dev, const uint8_t *frame, size_t len);
void model_rx_deliver(struct model_dev *dev, const struct model_pkt *p, struct model_tir *tir);
void model_rq_flush(struct model_dev *dev, struct model_rq *rq);
void model_sq_flush(struct model_dev *dev, struct model_sq *sq);

/*
 * port.c: "pair:NAME", "loop", "pcap:FILE", "packet:IF", "tap:IF", "null", each followed by any of
 * ";drop=P", ";dup=P", ";reorder=P", ";corrupt=P" (parts of 1, e.g. 0.01), ";seed=N", ";capture=FILE" (pcap of both
 * directions), and ";in=FILE" for pcap (frames to receive).
 */
int model_port_open(struct model_dev *dev, const char *spec, struct model_port **port, char *why,
		    size_t whylen);
void model_port_close(struct model_port *port);
/* Send one frame; never blocks; counts drops on dev. No lock of rank < 7 of another device is touched. */
void model_port_send(struct model_port *port, const uint8_t *frame, size_t len);
/* Hand up to `max` waiting frames to model_rx_frame(). Returns how many. */
int model_port_poll(struct model_port *port, int max);
/* In a child after fork(): pairs are the parent's. */
void model_ports_forked(void);
int model_port_fd(struct model_port *port); /* polls readable when frames wait; -1: none */
const char *model_port_name(const struct model_port *port); /* "pair:a" */

#endif
