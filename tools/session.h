/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the verbs of one process share: a device with its services, opened when the first verb needs them, and where
 * results and problems go. A verb knows nothing of where its words came from, so that a daemon can run the same
 * table.
 *
 *   session ─ device ─┬─ channel ─┬─ ipsec      main thread (thread-safe services)
 *                     │           └─ forward    its own thread
 *                     └─ tls                    main thread
 *
 * channel_lock: held by whoever touches the channel (one thread at a time).
 */
#ifndef TOOLS_SESSION_H
#define TOOLS_SESSION_H

#include <pthread.h>

#include <mlx5_offload/mlx5_offload.h>

#include "tools/out.h"
#include "tools/problem.h"

struct forward;

struct session {
	const char *spec; /* of -d; NULL: none was given */
	bool own_port;	  /* -o: the kernel gets no frame of the port; a model's never does */
	struct out *out;
	struct problem problem;
	struct mlxo_device *dev; /* NULL until needed, as the following */
	struct mlxo_channel *channel;
	struct mlxo_ipsec *ipsec;
	struct mlxo_tls_engine *tls;
	pthread_mutex_t channel_lock;
	struct forward *forward; /* NULL: none runs */
	int status;		 /* of a program that a verb ran: the tool ends with it */
	bool hold;		 /* set by a verb: what it made lives as long as the process */
	void (*opening)(void);	 /* called before the device is opened; may be NULL */
};

void session_init(struct session *s, const char *spec, struct out *out);
/* Removes everything in reverse order. */
void session_fini(struct session *s);

/* 0 or an exit status with s->problem set. */
int session_device(struct session *s);
int session_ipsec(struct session *s);
/* An engine with the defaults of the library; it has no queue. */
int session_tls(struct session *s);
/* Is the open device in virtual time? Its clock stands still then unless it is moved. */
bool session_is_virtual(const struct session *s);
/* The device is open and `dev` (of offload … dev NAME; NULL: none) is a name of it. */
int session_ipsec_on(struct session *s, const char *dev);

/* The problem is the library's: err is what it returned. Returns the exit status. */
int session_failed(struct session *s, int err);

#endif
