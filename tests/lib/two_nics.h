/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two models back to back, each with a channel and an IPsec service, for tests of the whole way.
 *
 *	LEFT 192.0.2.1 / 2001:db8::1  ═══ pair ═══  RIGHT 192.0.2.2 / 2001:db8::2      (addresses of frames.h)
 *
 * With MLXO_TEST_DEVICES="mlx5_0 mlx5_1" these devices are used instead; what only a model of ours can do is skipped.
 * Helpers assert what they do not return.
 */
#ifndef TESTS_LIB_TWO_NICS_H
#define TESTS_LIB_TWO_NICS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <mlx5_offload/mlx5_offload.h>

#include "queues/channel.h"
#include "steering/rule.h"
#include "tests/lib/frames.h"

enum { LEFT, RIGHT };

struct nic_side {
	struct mlxo_device *dev;
	struct mlxo_channel *channel;
	struct mlxo_ipsec *ipsec;
	struct mlxo_ipsec_sa *out, *in;
	struct mlxo_ipsec_policy *policy_out, *policy_in;
};

struct two_nics {
	struct nic_side side[2];
	int family;	   /* AF_INET, AF_INET6 of helpers below */
	struct frame sent; /* last frame given to two_nics_send() */
	struct {
		uint8_t data[10400];
		size_t len;
	} last; /* last frame received */
	int taken;
	struct {
		struct steer_table table;
		struct steer_group group;
		struct steer_rule rule;
		struct steer_attachment attachment;
	} raw; /* two_nics_listen() */
};

/* Open both; options are added to the device names ("" or ",mtu=1500"). */
void two_nics_open(struct two_nics *t, const char *left, const char *right);
void two_nics_close(struct two_nics *t);
/* The same as fixtures of cmocka: *state is a struct two_nics. */
int two_nics_setup(void **state);
int two_nics_teardown(void **state);

/* Defaults of an SA and of a policy: key of counting bytes, reqid 7, packet offload, the test's family. */
struct mlxo_ipsec_sa_params two_nics_sa(const struct two_nics *t, int from, enum mlxo_ipsec_dir dir,
					size_t key_len);
struct mlxo_ipsec_sa_params two_nics_sa_with_key(const struct two_nics *t, int from,
						 enum mlxo_ipsec_dir dir, struct mlxo_secret *key);
struct mlxo_ipsec_policy_params two_nics_policy(const struct two_nics *t, int from,
						enum mlxo_ipsec_dir dir);
struct mlxo_addr two_nics_addr(const struct two_nics *t, int side);
/* SA and policy pairs on both sides. proto 0: any. */
void two_nics_protect(struct two_nics *t, uint8_t proto);

/* A frame from one side to the other with n payload bytes. */
void two_nics_frame(struct two_nics *t, int from, uint8_t proto, uint16_t sport, uint16_t dport,
		    size_t n);
void two_nics_post(struct two_nics *t, int from, const struct frame *f);
void two_nics_send(struct two_nics *t, int from, uint8_t proto, uint16_t sport, uint16_t dport,
		   size_t n);
/* Run both devices until quiet. How many frames that side's channel received; the last one is in t->last. */
int two_nics_receive(struct two_nics *t, int side);

/* Take that side's IPsec away: its channel then gets every frame as it was on the wire. */
void two_nics_listen(struct two_nics *t, int side);

/* One counter of mlxo_ipsec_stats() or of mlxo_model_stats(); fails the test when there is none of that name. */
uint64_t two_nics_ipsec_stat(struct two_nics *t, int side, const char *name);
/* 0 when the model does not list it (it lists what is not 0). */
uint64_t two_nics_model_stat(struct two_nics *t, int side, const char *name);
/* Sum of the census: objects of programs on that device. */
uint64_t two_nics_census(struct mlxo_device *dev);

#endif
