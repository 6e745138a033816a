/* error.c - why tokens are refused. */
#include "auth/token/token.h"

const char *hf_token_error_text(enum token_error error)
{
#define TOKEN_TEXT(name, text) text,
    static const char *const texts[] = {TOKEN_ERRORS(TOKEN_TEXT)};
#undef TOKEN_TEXT

    return texts[error];
}

const char *hf_token_error_label(enum token_error error)
{
    static const char *const labels[TOKEN_ERROR_COUNT] = {
        [TOKEN_OK] = "",
        [TOKEN_MALFORMED] = "malformed",
        [TOKEN_TOO_LONG] = "too_long",
        [TOKEN_WRONG_TYPE] = "wrong_type",
        [TOKEN_WRONG_ALGORITHM] = "wrong_algorithm",
        [TOKEN_CRITICAL] = "critical",
        [TOKEN_WRONG_ISSUER] = "wrong_issuer",
        [TOKEN_WRONG_AUDIENCE] = "wrong_audience",
        [TOKEN_EXPIRED] = "expired",
        [TOKEN_NOT_YET] = "not_yet",
        [TOKEN_BAD_CLAIM] = "bad_claim",
        [TOKEN_UNKNOWN_KEY] = "unknown_key",
        [TOKEN_BAD_SIGNATURE] = "bad_signature",
        [TOKEN_NO_MEMORY] = "no_memory",
        [TOKEN_INACTIVE] = "inactive",
    };

    return labels[error];
}
