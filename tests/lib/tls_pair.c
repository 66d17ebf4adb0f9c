// SPDX-License-Identifier: BSD-2-Clause
/* SSL objects, a certificate, a handshake through memory, a reader that compares. */
#include "tests/lib/tls_pair.h"

#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/x509.h>
#include <stdlib.h>
#include <string.h>

enum { TURNS = 20, READ = 65536 };

const struct tls_kind tls_kinds[TLS_KINDS] = {
	{"TLS 1.2 AES-128-GCM", TLS1_2_VERSION, "ECDHE-ECDSA-AES128-GCM-SHA256"},
	{"TLS 1.2 AES-256-GCM", TLS1_2_VERSION, "ECDHE-ECDSA-AES256-GCM-SHA384"},
	{"TLS 1.3 AES-128-GCM", TLS1_3_VERSION, "TLS_AES_128_GCM_SHA256"},
	{"TLS 1.3 AES-256-GCM", TLS1_3_VERSION, "TLS_AES_256_GCM_SHA384"},
};

void tls_pair_payload(struct tls_rig *r)
{
	uint64_t x = 0x9e3779b97f4a7c15u;

	for (size_t i = 0; i < RIG_PAYLOAD; i += 8) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		memcpy(r->payload + i, &x, 8);
	}
}

/* -- making both ends --------------------------------------------------------------------------------------------- */

/* Self-signed, one of the process. */
static void identity(EVP_PKEY **key, X509 **cert)
{
	static EVP_PKEY *k;
	static X509 *c;

	if (!k) {
		X509_NAME *name;

		k = EVP_EC_gen("P-256");
		c = X509_new();
		assert_non_null(k);
		assert_non_null(c);
		name = X509_get_subject_name(c);
		assert_int_equal(X509_set_version(c, 2), 1);
		assert_int_equal(ASN1_INTEGER_set(X509_get_serialNumber(c), 1), 1);
		assert_non_null(X509_gmtime_adj(X509_getm_notBefore(c), -3600));
		assert_non_null(X509_gmtime_adj(X509_getm_notAfter(c), 3600));
		assert_int_equal(X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
							    (const uint8_t *)"peer", -1, -1, 0),
				 1);
		assert_int_equal(X509_set_issuer_name(c, name), 1);
		assert_int_equal(X509_set_pubkey(c, k), 1);
		assert_true(X509_sign(c, k, EVP_sha256()) > 0);
	}
	*key = k;
	*cert = c;
}

static void keylog(const SSL *ssl, const char *line)
{
	struct tls_pair *p = SSL_get_app_data(ssl);

	tls_bio_keylog(&p->bio, !p->client_sends, line);
}

static SSL_CTX *new_ctx(const struct tls_kind *kind, bool server)
{
	SSL_CTX *ctx = SSL_CTX_new(server ? TLS_server_method() : TLS_client_method());
	EVP_PKEY *key;
	X509 *cert;

	assert_non_null(ctx);
	assert_int_equal(SSL_CTX_set_min_proto_version(ctx, kind->version), 1);
	assert_int_equal(SSL_CTX_set_max_proto_version(ctx, kind->version), 1);
	if (kind->version == TLS1_3_VERSION)
		assert_int_equal(SSL_CTX_set_ciphersuites(ctx, kind->suite), 1);
	else
		assert_int_equal(SSL_CTX_set_cipher_list(ctx, kind->suite), 1);
	if (server) {
		identity(&key, &cert);
		assert_int_equal(SSL_CTX_use_certificate(ctx, cert), 1);
		assert_int_equal(SSL_CTX_use_PrivateKey(ctx, key), 1);
	}
	return ctx;
}

void tls_pair_init(struct tls_pair *p, struct tls_rig *r, const struct tls_kind *kind,
		   bool client_sends)
{
	BIO *in = BIO_new(BIO_s_mem()), *out = BIO_new(BIO_s_mem());

	memset(p, 0, sizeof(*p));
	assert_non_null(in);
	assert_non_null(out);
	BIO_set_mem_eof_return(in, -1);
	BIO_set_mem_eof_return(out, -1);
	p->client_sends = client_sends;
	p->copy = malloc(RIG_PAYLOAD);
	p->read = malloc(READ);
	assert_non_null(p->copy);
	assert_non_null(p->read);
	memcpy(p->copy, r->payload, RIG_PAYLOAD);
	p->ctx[0] = new_ctx(kind, !client_sends);
	p->ctx[1] = new_ctx(kind, client_sends);
	SSL_CTX_set_options(p->ctx[0], SSL_OP_ENABLE_KTLS);
	SSL_CTX_set_keylog_callback(p->ctx[0], keylog);
	p->ssl = SSL_new(p->ctx[0]);
	p->peer = SSL_new(p->ctx[1]);
	assert_non_null(p->ssl);
	assert_non_null(p->peer);
	assert_int_equal(SSL_set_app_data(p->ssl, p), 1);
	tls_bio_open(&p->bio, r, in, out);
	SSL_set_bio(p->peer, in, out);
	SSL_set_bio(p->ssl, p->bio.bio, p->bio.bio);
	if (client_sends) {
		SSL_set_connect_state(p->ssl);
		SSL_set_accept_state(p->peer);
	} else {
		SSL_set_accept_state(p->ssl);
		SSL_set_connect_state(p->peer);
	}
}

void tls_pair_close(struct tls_pair *p)
{
	tls_bio_close(&p->bio);
	SSL_free(p->ssl);
	SSL_free(p->peer);
	SSL_CTX_free(p->ctx[0]);
	SSL_CTX_free(p->ctx[1]);
	free(p->copy);
	free(p->read);
	memset(p, 0, sizeof(*p));
}

/* -- talking ------------------------------------------------------------------------------------------------------- */

static void explain(const SSL *ssl, int ret, const char *what)
{
	char text[256];

	ERR_error_string_n(ERR_peek_error(), text, sizeof(text));
	fail_msg("%s: SSL error %d, %s", what, SSL_get_error(ssl, ret), text);
}

/* It waits for more, or has done what it was told. */
static bool is_waiting(const SSL *ssl, int ret)
{
	int err = SSL_get_error(ssl, ret);

	return err == SSL_ERROR_WANT_READ || err == SSL_ERROR_WANT_WRITE;
}

static void arrive(struct tls_pair *p)
{
	if (p->bio.tls)
		tls_bio_deliver(&p->bio);
}

void tls_pair_handshake(struct tls_pair *p)
{
	int done = 0, peer_done = 0;

	for (int turn = 0; turn < TURNS && (done != 1 || peer_done != 1); turn++) {
		done = SSL_do_handshake(p->ssl);
		if (done != 1 && !is_waiting(p->ssl, done))
			explain(p->ssl, done, "handshake of the sender");
		arrive(p);
		peer_done = SSL_do_handshake(p->peer);
		if (peer_done != 1 && !is_waiting(p->peer, peer_done))
			explain(p->peer, peer_done, "handshake of the peer");
	}
	assert_int_equal(done, 1);
	assert_int_equal(peer_done, 1);
	tls_pair_read(p); /* session tickets */
}

static void write_piece(struct tls_pair *p, const uint8_t *from, uint32_t n)
{
	int ret;

	while ((ret = SSL_write(p->ssl, from, (int)n)) != (int)n)
		if (ret > 0 || SSL_get_error(p->ssl, ret) != SSL_ERROR_WANT_WRITE)
			explain(p->ssl, ret, "SSL_write");
	p->wrote += n;
}

void tls_pair_write(struct tls_pair *p, uint32_t n, bool registered)
{
	const uint8_t *from = registered ? p->bio.rig->payload : p->copy;

	while (n) {
		uint32_t at = (uint32_t)(p->wrote % RIG_PAYLOAD);
		uint32_t piece = n < RIG_PAYLOAD - at ? n : RIG_PAYLOAD - at;

		write_piece(p, from + at, piece);
		n -= piece;
	}
}

static void compare(struct tls_pair *p, const uint8_t *data, size_t n)
{
	while (n) {
		size_t at = p->got % RIG_PAYLOAD;
		size_t piece = n < RIG_PAYLOAD - at ? n : RIG_PAYLOAD - at;

		if (memcmp(data, p->copy + at, piece) != 0)
			fail_msg("the peer read other bytes than were written, around byte %llu",
				 (unsigned long long)p->got);
		p->got += piece;
		data += piece;
		n -= piece;
	}
}

void tls_pair_read(struct tls_pair *p)
{
	int n;

	while ((n = SSL_read(p->peer, p->read, READ)) > 0)
		compare(p, p->read, (size_t)n);
	if (!is_waiting(p->peer, n))
		explain(p->peer, n, "SSL_read");
}

void tls_pair_check(struct tls_pair *p)
{
	arrive(p);
	tls_pair_read(p);
	assert_int_equal(p->got, p->wrote);
	if (p->bio.tls) {
		struct mlxo_tls_info info = tls_bio_info(&p->bio);

		assert_int_equal(p->bio.seen, info.hw_records + info.sw_records);
	}
}

/* -- KeyUpdate ------------------------------------------------------------------------------------------------------- */

static void run_update(SSL *ssl, bool wanted)
{
	int ret;

	assert_int_equal(SSL_key_update(ssl, wanted ? SSL_KEY_UPDATE_REQUESTED
						    : SSL_KEY_UPDATE_NOT_REQUESTED),
			 1);
	while ((ret = SSL_do_handshake(ssl)) != 1)
		if (SSL_get_error(ssl, ret) != SSL_ERROR_WANT_WRITE)
			explain(ssl, ret, "KeyUpdate");
}

/* A byte from the peer, behind what else it has to say. An answer to a KeyUpdate goes before the next write. */
static void peer_says(struct tls_pair *p, uint8_t what)
{
	uint8_t b[16];
	int ret = SSL_write(p->peer, &what, 1);

	if (ret != 1)
		explain(p->peer, ret, "SSL_write of the peer");
	while ((ret = SSL_read(p->ssl, b, sizeof(b))) <= 0)
		if (SSL_get_error(p->ssl, ret) != SSL_ERROR_WANT_WRITE)
			explain(p->ssl, ret, "SSL_read of the sender");
	assert_int_equal(ret, 1);
	assert_int_equal(b[0], what);
}

void tls_pair_update(struct tls_pair *p, bool wanted)
{
	uint64_t before = p->bio.key_updates;

	run_update(p->ssl, wanted);
	assert_int_equal(p->bio.key_updates, before + 1);
	if (!wanted)
		return;
	arrive(p);
	tls_pair_read(p);
	peer_says(p, 'k');
}

void tls_pair_update_by_peer(struct tls_pair *p)
{
	uint64_t before = p->bio.key_updates;

	run_update(p->peer, true);
	peer_says(p, 'u');
	tls_pair_write(p, 1, true); /* the answer goes before it */
	assert_int_equal(p->bio.key_updates, before + 1);
}
