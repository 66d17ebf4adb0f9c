// SPDX-License-Identifier: BSD-2-Clause
/*
 * Firmware: the function's start and its identity - interface version, adapter, pages, special keys.
 *
 * The model keeps its state in its own memory: it asks for no pages and takes what it is given, so that a driver's
 * account of them comes out even. Source: PRM; Linux mlx5/main.c, pagealloc.c for the order of a start.
 */
#include "fw.h"

#include <string.h>

enum { PAGES_CANT_GIVE, PAGES_GIVE, PAGES_TAKE, PAGES_OP_MODS };
enum { QUERY_BOOT = 1, QUERY_INIT, QUERY_REGULAR, PAS_BYTES = 8 };

enum model_synd model_do_QUERY_ISSI(struct model_cmd *c)
{
	PRM_SET(query_issi_out, c->out, current_issi, c->dev->issi);
	PRM_SET(query_issi_out, c->out, supported_issi_dw0, 1 << 0 | 1 << 1);
	return MODEL_S_OK;
}

enum model_synd model_do_SET_ISSI(struct model_cmd *c)
{
	uint64_t issi = PRM_GET(set_issi_in, c->in, current_issi);

	if (issi > 1)
		return MODEL_S_ISSI;
	c->dev->issi = (uint8_t)issi;
	return MODEL_S_OK;
}

enum model_synd model_do_QUERY_ADAPTER(struct model_cmd *c)
{
	uint8_t *block = PRM_AT(query_adapter_out, c->out, query_adapter_struct);
	static const char psid[16] = "MODEL00000";

	memcpy(PRM_AT(query_adapter_param_block, block, vsd_contd_psid), psid, sizeof(psid));
	return MODEL_S_OK;
}

static bool other_function(const uint8_t *in)
{
	return PRM_GET(query_pages_in, in, embedded_cpu_function) ||
	       PRM_GET(query_pages_in, in, function_id);
}

static_assert(PRM_OFFSET(query_pages_in, function_id) == PRM_OFFSET(manage_pages_in, function_id) &&
		      PRM_OFFSET(query_pages_in, embedded_cpu_function) ==
			      PRM_OFFSET(manage_pages_in, embedded_cpu_function),
	      "");

enum model_synd model_do_QUERY_PAGES(struct model_cmd *c)
{
	uint16_t what = prm_in_op_mod(c->in);

	if (what < QUERY_BOOT || what > QUERY_REGULAR)
		return MODEL_S_OP_MOD;
	return other_function(c->in) ? MODEL_S_OTHER_FUNCTION : MODEL_S_OK; /* none, ever */
}

enum model_synd model_do_MANAGE_PAGES(struct model_cmd *c)
{
	uint64_t n = PRM_GET(manage_pages_in, c->in, input_num_entries);
	uint16_t what = prm_in_op_mod(c->in);

	if (what >= PAGES_OP_MODS)
		return MODEL_S_OP_MOD;
	if (other_function(c->in))
		return MODEL_S_OTHER_FUNCTION;
	/* what it was given it does not keep: there is nothing to take back */
	if (c->inlen != PRM_BYTES(manage_pages_in) + (what == PAGES_GIVE ? n * PAS_BYTES : 0))
		return MODEL_S_LIST_LENGTH;
	return MODEL_S_OK;
}

/* Keys that the model does not have are 0. The one that ends a list is what it is on every card. */
enum model_synd model_do_QUERY_SPECIAL_CONTEXTS(struct model_cmd *c)
{
	PRM_SET(query_special_contexts_out, c->out, terminate_scatter_list_mkey, 0x100);
	return MODEL_S_OK;
}
