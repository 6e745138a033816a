/* import/reading.h - JSON for tables: ' stands for ". */
#ifndef HAFT_TESTS_IMPORT_READING_H
#define HAFT_TESTS_IMPORT_READING_H

#include <string.h>

#include "import/document.h"
#include "json/json.h"
#include "support/test.h"

static inline char *reading_text(haft_arena *arena, const char *json)
{
    char *text = haft_arena_copy(arena, json, strlen(json));

    assert_non_null(text);
    for (char *at = text; *at; at++)
        if (*at == '\'')
            *at = '"';
    return text;
}

static inline yyjson_val *reading_value(haft_arena *arena, const char *json)
{
    const char *text = reading_text(arena, json);
    haft_reason reason = {0};
    yyjson_val *value = haft_json_read(text, strlen(text), 256, arena, &reason);

    if (!value)
        fail_msg("%s: %s", json, reason.text);
    return value;
}

#endif
