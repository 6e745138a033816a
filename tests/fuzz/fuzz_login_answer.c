/* fuzz_login_answer.c - any query at the end of a login: what is read is UTF-8 without NUL, and a parameter never
 * appears twice. */
#include "auth/client/login_answer.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void check(const char *value, size_t size)
{
    require(!value ||
            (strlen(value) <= size && haft_utf8_valid(value, strlen(value)) == strlen(value)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    haft_arena *arena = haft_arena_new(NULL, 1 << 20);
    struct login_answer answer, again;
    const char *query = (const char *)data;
    char *twice;

    if (!hf_login_answer_read(query, size, arena, &answer)) {
        check(answer.state, size);
        check(answer.code, size);
        check(answer.iss, size);
        check(answer.error, size);
        twice = malloc(2 * size + 1);
        require(twice);
        memcpy(twice, data, size);
        twice[size] = '&';
        memcpy(twice + size + 1, data, size);
        if (answer.state || answer.code)
            require(hf_login_answer_read(twice, 2 * size + 1, arena, &again) == HAFT_EPROTOCOL);
        free(twice);
    }
    haft_arena_free(arena);
    return 0;
}
