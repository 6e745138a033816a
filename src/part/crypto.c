/* crypto.c - opens the part that signs. */
#include "part/crypto.h"

#include "part/part.h"

const struct crypto_functions *hf_crypto_open(const char *needed_by, haft_reason *reterr_reason)
{
    return hf_part_open(PART_CRYPTO, needed_by, reterr_reason);
}
