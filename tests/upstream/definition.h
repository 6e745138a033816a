/* upstream/definition.h - an upstream of a definition in JSON, without a connection. */
#ifndef HAFT_TESTS_UPSTREAM_DEFINITION_H
#define HAFT_TESTS_UPSTREAM_DEFINITION_H

#include <haft.h>
#include <stdio.h>
#include <string.h>

#include "support/test.h"
#include "upstream/upstream.h"

/* A set, with what its server logs. */
struct definition {
    haft_server *server;
    struct upstream_set set;
    char log[8192];
};

static void definition_log(void *context, haft_level level, const char *text, size_t size)
{
    struct definition *definition = context;
    size_t used = strlen(definition->log);

    if (level >= HAFT_WARNING)
        snprintf(definition->log + used, sizeof definition->log - used, "%.*s\n", (int)size, text);
}

static inline void definition_init(struct definition *definition)
{
    *definition = (struct definition){.server = NULL};
    definition->server = haft_server_new_with(
        "gateway", "1",
        HAFT_WITH(haft_server_options, .log = definition_log, .log_context = definition));
    assert_non_null(definition->server);
    assert_int_equal(hf_upstream_set_init(&definition->set, definition->server), 0);
}

/* Creates an upstream; NULL with the reason. */
static inline struct upstream *definition_make(struct definition *definition, const char *json,
                                               haft_reason *reterr_reason)
{
    haft_arena *arena = haft_arena_new(NULL, 1 << 20);
    struct upstream *upstream = NULL;
    const struct upstream_definition given = {
        .name = "far",
        .prefix = "far",
        .text = json,
        .kind = &hf_upstream_mcp,
        .options = haft_json_read(json, strlen(json), 0, arena, NULL)};

    assert_non_null(given.options);
    hf_upstream_new(&definition->set, &given, &upstream, reterr_reason);
    haft_arena_free(arena);
    return upstream;
}

static inline void definition_finish(struct definition *definition)
{
    hf_upstream_set_finish(&definition->set);
    haft_server_free(definition->server);
}

#endif
