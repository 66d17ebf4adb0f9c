/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The grammar of `ip xfrm state` and `ip xfrm policy`, read into what the library takes.
 *
 * Every word of iproute2 is known. A word that says something a device cannot do, and that the library has no field
 * for, is refused here with a sentence; everything else is the library's to judge.
 */
#ifndef TOOLS_XFRM_H
#define TOOLS_XFRM_H

#include <mlx5_offload/ipsec.h>

#include "tools/words.h"

/* Pointers in the parameters point into the words and are valid as long as those are. */
struct xfrm_state {
	struct mlxo_ipsec_sa_params params; /* key: owned */
	uint64_t given;			    /* which words were there, by position in the table */
	bool once;
};

struct xfrm_policy {
	struct mlxo_ipsec_policy_params params;
	uint64_t given;
	bool once;
};

/* Which SAs: what is 0 (or -1) was not given. */
struct xfrm_filter {
	struct mlxo_addr src, dst;
	uint8_t proto;
	uint32_t spi, reqid;
	enum mlxo_ipsec_mode mode;
	enum mlxo_ipsec_dir dir;
	bool any; /* a word was given */
};

/* Words of `ip xfrm state add`. fini also after a failure. */
int xfrm_state_parse(struct words *w, struct xfrm_state *state);
void xfrm_state_fini(struct xfrm_state *state);

/* Words of `ip xfrm policy add`; with `find` those of `ip xfrm policy delete`. */
int xfrm_policy_parse(struct words *w, struct xfrm_policy *policy, bool find);

/* Takes ID, mode, reqid and dir words up to the first other one. */
int xfrm_filter_parse(struct words *w, struct xfrm_filter *filter);
bool xfrm_filter_match(const struct xfrm_filter *filter, const struct mlxo_ipsec_sa_params *sa);

/* Parts that both have. exact: only whole words count, for lists that end with the first word of something else. */
int xfrm_take_addr(struct words *w, const char *of, struct mlxo_addr *addr);
int xfrm_take_prefix(struct words *w, const char *of, struct mlxo_addr *addr, uint8_t *len);
int xfrm_take_proto(struct words *w, uint8_t *proto); /* esp, ah, comp … or a number */
int xfrm_take_mode(struct words *w, enum mlxo_ipsec_mode *mode);
int xfrm_take_dir(struct words *w, bool fwd, enum mlxo_ipsec_dir *dir);
int xfrm_take_selector(struct words *w, struct mlxo_selector *sel); /* up to the first other word */
/* One word of a selector if the next is one: sets *took. seen: bits, to refuse a second one. */
int xfrm_take_selector_word(struct words *w, struct mlxo_selector *sel, uint32_t *seen, bool *took);
/* offload [crypto|packet|full] dev DEV dir DIR, in any order; dir NULL: policies, no direction here. */
int xfrm_take_offload(struct words *w, enum mlxo_ipsec_offload *offload, const char **dev,
		      enum mlxo_ipsec_dir *dir);
/* Skips `[ip] xfrm state add` or an abbreviation, which a pasted line may begin with. */
void xfrm_skip_command(struct words *w, const char *object, const char *command);
int xfrm_duplicate(struct words *w, const char *word);

/* Names for showing; numbers where there is none are written into buf. */
const char *xfrm_proto_name(uint8_t proto, char buf[8]);
const char *xfrm_upper_name(uint8_t proto, char buf[8]);
const char *xfrm_mode_name(enum mlxo_ipsec_mode mode);
const char *xfrm_dir_name(enum mlxo_ipsec_dir dir);

#endif
