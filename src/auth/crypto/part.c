/* part.c - signatures and TLS as an optional part: its only exported symbol. */
#include <haft/part.h>

#include "auth/crypto/room.h"
#include "auth/crypto/tls_room.h"

static const struct crypto_functions crypto_part_functions = {
    .read = hf_crypto_key_read,
    .make = hf_crypto_key_make,
    .destroy = hf_crypto_key_destroy,
    .algorithm = hf_crypto_key_algorithm,
    .sign = hf_crypto_key_sign,
    .point = hf_crypto_key_point,
    .write = hf_crypto_key_write,
    .import = hf_crypto_public_import,
    .forget = hf_crypto_public_forget,
    .verify = hf_crypto_public_verify,
    .tls = &hf_tls_functions,
};

const haft_part haft_crypto_part = {
    .magic = HAFT_PART_MAGIC,
    .abi = HAFT_PART_ABI,
    .name = "crypto",
    .version = HAFT_VERSION,
    .functions = &crypto_part_functions,
};
