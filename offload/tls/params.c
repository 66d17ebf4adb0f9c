// SPDX-License-Identifier: BSD-2-Clause
/* What users give: sizes of structs, parameters of a connection, what a TLS library hands to the kernel. */
#include "offload/tls/engine.h"
#include "objects/error.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <string.h>

/* No struct of options is ever longer: a size that was not set is not followed into foreign memory. */
enum { SIZE_SANE = 4096 };
enum { KEY128 = 16, KEY256 = 32 };

int tls_read_opts(const char *what, const void *from, size_t size, void *to, size_t known)
{
	const uint8_t *b = from;

	memset(to, 0, known);
	if (!from)
		return 0;
	if (size < sizeof(size_t) || size > SIZE_SANE)
		return obj_error(-EINVAL, "%s have a size that this library does not know", what);
	for (size_t i = known; i < size; i++)
		if (b[i])
			return obj_error(-EINVAL, "%s have a field that this library does not know",
					 what);
	memcpy(to, from, size < known ? size : known);
	return 0;
}

static int check_kind(uint16_t version, uint16_t cipher)
{
	if ((version == MLXO_TLS_1_2 || version == MLXO_TLS_1_3) &&
	    (cipher == MLXO_TLS_AES_GCM_128 || cipher == MLXO_TLS_AES_GCM_256))
		return 0;
	return obj_error(-EOPNOTSUPP,
			 "TLS version 0x%04x with cipher %u is not offloadable: only AES-GCM with "
			 "128 or 256 bits of TLS 1.2 (0x0303) and 1.3 (0x0304) is",
			 version, cipher);
}

int tls_check_params(struct mlxo_tls_engine *e, const struct mlxo_tls_params *p)
{
	size_t len = p->cipher == MLXO_TLS_AES_GCM_256 ? KEY256 : KEY128;
	unsigned int admission = p->admission ? p->admission : e->opts.admission;
	int err = check_kind(p->version, p->cipher);

	if (err)
		return err;
	if (!p->key || mlxo_secret_len(p->key) != len + TLS_IV)
		return obj_error(-EINVAL, "key, salt and iv of %zu bytes: %zu are needed",
				 p->key ? mlxo_secret_len(p->key) : 0, len + TLS_IV);
	if (p->admission > MLXO_TLS_ADMIT_NEVER)
		return obj_error(-EINVAL, "admission %u: 0..%d are possible", p->admission,
				 MLXO_TLS_ADMIT_NEVER);
	if (p->flags & ~(unsigned int)MLXO_TLS_NOWAIT)
		return obj_error(-EINVAL, "flags 0x%x: only NOWAIT (0x%x) is known", p->flags,
				 MLXO_TLS_NOWAIT);
	if (admission == MLXO_TLS_ADMIT_ALWAYS &&
	    !(e->tis && e->can[p->version == MLXO_TLS_1_3][len == KEY256]))
		return mlxo_device_check_tls(e->dev, p->version, p->cipher);
	return 0;
}

/* -- struct tls12_crypto_info_* of linux/tls.h ------------------------------------------------------------------------ */

/* Offsets behind version and cipher_type (two bytes each, host order). */
static const struct ktls_layout {
	uint16_t cipher;
	const char *name;
	uint8_t iv, key, salt, rec_seq, len, key_len; /* key_len 0: not for this device */
} layouts[] = {
	{MLXO_TLS_AES_GCM_128, "AES-128-GCM", 4, 12, 28, 32, 40, KEY128},
	{MLXO_TLS_AES_GCM_256, "AES-256-GCM", 4, 12, 44, 48, 56, KEY256},
	{53, "AES-128-CCM", 0, 0, 0, 0, 4, 0},
	{54, "CHACHA20-POLY1305", 0, 0, 0, 0, 4, 0},
	{55, "SM4-GCM", 0, 0, 0, 0, 4, 0},
	{56, "SM4-CCM", 0, 0, 0, 0, 4, 0},
};

static const struct ktls_layout *find_layout(uint16_t cipher)
{
	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++)
		if (layouts[i].cipher == cipher)
			return &layouts[i];
	return NULL;
}

static const char *version_name(uint16_t version)
{
	switch (version) {
	case 0x0301: return "TLS 1.0";
	case 0x0302: return "TLS 1.1";
	case MLXO_TLS_1_2: return "TLS 1.2";
	case MLXO_TLS_1_3: return "TLS 1.3";
	default: return "an unknown version";
	}
}

int mlxo_tls_params_from_ktls(struct mlxo_tls_params *p, const void *info, size_t len)
{
	const struct ktls_layout *l;
	const uint8_t *b = info;
	uint8_t material[KEY256 + TLS_IV];
	uint16_t version, cipher;

	if (len < 4)
		return obj_error(-EINVAL, "crypto info of %zu bytes: version and cipher take 4",
				 len);
	memcpy(&version, b, 2);
	memcpy(&cipher, b + 2, 2);
	l = find_layout(cipher);
	if ((version != MLXO_TLS_1_2 && version != MLXO_TLS_1_3) || !l || !l->key_len)
		return obj_error(-EOPNOTSUPP,
				 "%s with %s is not offloadable: only AES-GCM with 128 or 256 bits "
				 "of TLS 1.2 and 1.3 is",
				 version_name(version), l ? l->name : "an unknown cipher");
	if (len < l->len)
		return obj_error(-EINVAL, "crypto info of %zu bytes for %s: %u are needed", len,
				 l->name, l->len);
	p->version = version;
	p->cipher = cipher;
	memcpy(material, b + l->key, l->key_len);
	memcpy(material + l->key_len, b + l->salt, 4);
	memcpy(material + l->key_len + 4, b + l->iv, 8);
	p->rec_seq = 0;
	for (int i = 0; i < 8; i++)
		p->rec_seq = p->rec_seq << 8 | b[l->rec_seq + i];
	p->key = mlxo_secret_new(material, l->key_len + (size_t)TLS_IV);
	OPENSSL_cleanse(material, sizeof(material));
	return p->key ? 0 : -ENOMEM;
}
