/* fuzz_access.c - any rules, any inclusions, any client.
 *
 * The lines are, in turn, rules, scopes that include others (lines that begin with +), granted scopes
 * (one line that begins with @) and claims (one that begins with {).  Whatever the bytes are, they are
 * read or refused with a reason; a client with all scopes has every scope, and one without any has
 * none; what decides once decides so again. */
#include "engine/offer/access.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LIMIT = 16 << 20, MAX_LINES = 80 };

static void require(bool holds)
{
    if (!holds)
        abort();
}

struct lines {
    const char *rules[MAX_LINES + 1], *includes[MAX_LINES + 1];
    size_t n_rules, n_includes;
    haft_identity identity;
};

static void sort_out(struct lines *lines, char *text)
{
    for (char *line = text, *next; line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        if (*line == '+' && lines->n_includes < MAX_LINES)
            lines->includes[lines->n_includes++] = line + 1;
        else if (*line == '@')
            lines->identity.scopes = lines->identity.subject = line + 1;
        else if (*line == '{')
            lines->identity.claims = line;
        else if (lines->n_rules < MAX_LINES)
            lines->rules[lines->n_rules++] = line;
    }
}

static void decide(const struct access *access, const haft_identity *identity, haft_arena *arena)
{
    static const haft_tool tool = HAFT_INIT(haft_tool, .name = "t");
    const struct item item = {.name = "t", .tool = &tool};
    uint64_t holds, again;
    int status = hf_access_holds(access, identity, arena, &holds);

    require(!status || status == HAFT_EPARSE || status == HAFT_ENOMEM);
    if (status)
        return;
    require(!hf_access_holds(access, identity, arena, &again) && again == holds);
    require(access->n_rules == 64 || !(holds >> access->n_rules));
    require(hf_access_permits(access, holds, &item, NULL) ==
            hf_access_permits(access, holds, &item, "t"));
    require(hf_access_permits(access, 0, &item, NULL));
    for (size_t i = 0; i < access->n_inclusions; i++) {
        const struct access_inclusion *inclusion = &access->inclusions[i];

        require(hf_access_grants(access, "*", inclusion->scope, strlen(inclusion->scope)));
        require(!hf_access_grants(access, NULL, inclusion->scope, strlen(inclusion->scope)));
        require(hf_access_meets(access, inclusion->scope, inclusion->included));
        /* Nothing includes itself. */
        require(!hf_access_meets(access, inclusion->included, inclusion->scope));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    haft_arena *arena = haft_arena_new(NULL, LIMIT);
    char *text = haft_arena_copy(arena, (const char *)data, size);
    struct lines lines = {.identity = HAFT_INIT(haft_identity, .principal = "p")};
    struct access *access = NULL;
    haft_reason reason = {.code = 0};
    int status;

    require(text);
    sort_out(&lines, text);
    status = hf_access_read(
        NULL, HAFT_WITH(haft_access, .rules = lines.rules, .includes = lines.includes), &access,
        &reason);
    require(!status == (access != NULL));
    if (status) {
        require(reason.code == status && *reason.text);
        require(haft_utf8_valid(reason.text, strlen(reason.text)) == strlen(reason.text) ||
                status == HAFT_EINVAL);
    } else {
        decide(access, &lines.identity, arena);
    }
    hf_access_let_go(access);
    haft_arena_free(arena);
    return 0;
}
