/* auth/crypto/room.h - the functions behind crypto.h. */
#ifndef HAFT_SRC_CRYPTO_ROOM_H
#define HAFT_SRC_CRYPTO_ROOM_H

#include "auth/crypto/crypto.h"

crypto_key *hf_crypto_key_read(const char *pem, haft_reason *reterr_reason);
crypto_key *hf_crypto_key_make(haft_reason *reterr_reason);
void hf_crypto_key_destroy(crypto_key *key);
const char *hf_crypto_key_algorithm(const crypto_key *key);
int hf_crypto_key_sign(const crypto_key *key, const void *bytes, size_t size,
                       unsigned char ret_signature[CRYPTO_SIGNATURE], size_t *ret_size);
int hf_crypto_key_point(const crypto_key *key, unsigned char ret_x[CRYPTO_COORDINATE],
                        unsigned char ret_y[CRYPTO_COORDINATE]);
int hf_crypto_key_write(const crypto_key *key, char ret_pem[CRYPTO_PEM]);

crypto_public *hf_crypto_public_import(enum crypto_algorithm algorithm,
                                       const struct crypto_numbers *numbers,
                                       haft_reason *reterr_reason);
void hf_crypto_public_forget(crypto_public *key);
int hf_crypto_public_verify(const crypto_public *key, enum crypto_algorithm algorithm,
                            const void *bytes, size_t size, const unsigned char *signature,
                            size_t signature_size);

#endif
