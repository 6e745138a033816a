/* fuzz_challenge.c - any WWW-Authenticate fields: what is read is text that was in them. */
#define _GNU_SOURCE
#include "auth/client/challenge.h"

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
    require(!value || strlen(value) <= size);
}

/* Each line is a field. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    struct http_field fields[8];
    size_t n = 0;

    require(text);
    memcpy(text, data, size);
    text[size] = '\0';
    for (char *line = text, *end; n < 8 && line; line = end ? end + 1 : NULL) {
        end = strchr(line, '\n');
        if (end)
            *end = '\0';
        fields[n++] = (struct http_field){"WWW-Authenticate", line};
    }
    for (int dpop = 0; dpop < 2; dpop++) {
        haft_arena *arena = haft_arena_new(NULL, 1 << 24);
        struct challenge challenge;
        int status = hf_challenge_read(fields, n, dpop, arena, &challenge);

        if (!status) {
            check(challenge.resource_metadata, size);
            check(challenge.scope, size);
            check(challenge.error, size);
        }
        haft_arena_free(arena);
    }
    free(text);
    return 0;
}
