/* part/crypto.h - access to signatures, an optional part. */
#ifndef HAFT_SRC_CRYPTO_OPEN_H
#define HAFT_SRC_CRYPTO_OPEN_H

#include "auth/crypto/crypto.h"

/* Opens the part and returns its functions; as hf_http_client_open. */
const struct crypto_functions *hf_crypto_open(const char *needed_by, haft_reason *reterr_reason);

#endif
