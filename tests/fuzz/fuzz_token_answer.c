/* fuzz_token_answer.c - any answer of a token endpoint: a token that is accepted can be in a header, and an error that is
 * read can be printed. */
#include "auth/client/token_answer.h"

#include <stdlib.h>
#include <string.h>

#include "auth/client/login_answer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    haft_arena *arena = haft_arena_new(NULL, 1 << 24);
    struct token_answer answer;
    haft_reason reason = {0};
    const char *error;

    if (!hf_token_answer_read((const char *)data, size, arena, &answer, &reason)) {
        require(*answer.access_token && strlen(answer.access_token) <= TOKEN_ANSWER_TOKEN);
        for (const char *at = answer.access_token; *at; at++)
            require(*at > ' ' && *at < 0x7F);
        require(answer.token_type && answer.lifetime >= -1);
        require(!answer.refresh_token || *answer.refresh_token);
    }
    error = hf_token_error_read((const char *)data, size, arena);
    require(!*error || hf_oauth_error_is_plain(error));
    haft_arena_free(arena);
    return 0;
}
