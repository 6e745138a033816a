/* auth/client/token_answer.h - the answer of a token endpoint (RFC 6749, section 5). */
#ifndef HAFT_SRC_TOKEN_ANSWER_H
#define HAFT_SRC_TOKEN_ANSWER_H

#include "base/base.h"

enum { TOKEN_ANSWER_TOKEN = 16 << 10, TOKEN_ANSWER_LIMIT = 64 << 10 };

struct token_answer {
    const char *access_token, *token_type, *refresh_token, *scope;
    const char *issued_token_type; /* of a token exchange (RFC 8693) */
    int64_t lifetime;              /* in seconds; -1 if it is not known */
};

/* Reads the answer with status 200. Returns 0, HAFT_ENOMEM, or HAFT_EPROTOCOL with the reason, which
 * contains no part of the answer. The text is in the arena. */
int hf_token_answer_read(const char *text, size_t size, haft_arena *arena,
                         struct token_answer *ret_answer, haft_reason *reterr_reason);

/* The error code in an answer with another status; "" if it has none that can be printed. */
const char *hf_token_error_read(const char *text, size_t size, haft_arena *arena);

#endif
