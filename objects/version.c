// SPDX-License-Identifier: BSD-2-Clause
/* Versions of the library and of the libcrypto below it. */
#include <mlx5_offload/version.h>

#include <openssl/crypto.h>

const char *mlxo_version(void)
{
	return MLXO_VERSION;
}

const char *mlxo_crypto_version(void)
{
	return OpenSSL_version(OPENSSL_VERSION);
}
