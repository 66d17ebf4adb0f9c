// SPDX-License-Identifier: BSD-2-Clause
/* version: what runs here. */
#include <jansson.h>

#include "tools/verbs.h"

int verb_version(struct session *s, struct words *w)
{
	static const char *const features[] = {
		"device:model",
		"ipsec:packet",
		"mode:transport",
		"aead:rfc4106(gcm(aes))-128",
		"aead:rfc4106(gcm(aes))-256",
	};
	struct out *o = s->out;
	int rc = words_end(w);

	if (rc)
		return rc;
	out_begin(o);
	out_object(o, NULL);
	out_str(o, "version", "mlx5-offload-tool ", MLXO_VERSION);
	out_str(o, "library", "\nlibrary ", mlxo_version());
	out_str(o, "crypto", "\ncrypto ", mlxo_crypto_version());
	out_str(o, "json", "\njansson ", jansson_version_str());
	out_str(o, "compiler", "\ncompiler ", __VERSION__);
	out_array(o, "features");
	out_text(o, "\nfeatures");
	for (size_t i = 0; i < sizeof(features) / sizeof(*features); i++)
		out_str(o, NULL, " ", features[i]);
	out_close(o);
	out_text(o, "\n");
	out_close(o);
	out_end(o);
	return 0;
}
