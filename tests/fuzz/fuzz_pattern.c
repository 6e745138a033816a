/* fuzz_pattern.c - any pattern on any text, and any text through every format.
 *
 * The first byte picks the flags or, when it is high, a format; a line end parts the pattern
 * from its text.  Whatever the bytes are, an answer comes back, and soon. */
#include "schema/text/format.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { STEPS = 10000, LIMIT = 8 << 20, FORMATS_FROM = 0x80 };

static void require(bool holds)
{
    if (!holds)
        abort();
}

/* The same pattern and text give the same answer twice, and a refusal says where. */
static void match(haft_arena *arena, const char *flags, const char *source, size_t size,
                  const char *text, size_t text_size)
{
    struct pattern_scratch scratch = {.arena = arena};
    const struct pattern *pattern;
    struct pattern *list = NULL;
    haft_reason error = {0};
    int status = hf_pattern_compile(arena, &list, source, size, flags, STEPS, &pattern, &error);

    if (status) {
        require(status == HAFT_ENOMEM || status == HAFT_EPATTERN);
        require(status == HAFT_ENOMEM || strstr(error.text, " at offset "));
    } else {
        int first, again;

        text_size = haft_utf8_valid(text, text_size);
        first = hf_pattern_match(pattern, &scratch, text, text_size);
        again = hf_pattern_match(pattern, &scratch, text, text_size);
        require(first == 0 || first == 1 || first == HAFT_ESTEPS || first == HAFT_ENOMEM);
        require(first == again || first == HAFT_ENOMEM || again == HAFT_ENOMEM);
        if (!*flags)
            require(hf_pattern_valid(arena, source, size) != 0);
    }
    hf_patterns_free(list);
}

/* A format's check and the pattern that it advertises must not disagree on a text that passes. */
static void check(haft_arena *arena, const struct format *format, const char *text, size_t size)
{
    struct pattern_scratch scratch = {.arena = arena};
    const struct pattern *pattern = NULL;
    struct pattern *list = NULL;
    haft_reason error;
    int passes;

    if (format->pattern)
        require(hf_pattern_compile(arena, &list, format->pattern, strlen(format->pattern), "",
                                   1000000, &pattern, &error) == 0);
    passes = hf_format_match(format, pattern, &scratch, text, size);
    require(passes == 0 || passes == 1);
    if (passes && pattern)
        require(hf_pattern_match(pattern, &scratch, text, size) == 1);
    hf_patterns_free(list);
}

static void check_all(haft_arena *arena, unsigned which, const char *text, size_t size)
{
    static const char *const names[] = {
        "date-time",    "date",  "time",          "duration",     "email", "idn-email",
        "hostname",     "iri",   "iri-reference", "uri-template", "uri",   "uri-reference",
        "idn-hostname", "regex", "json-pointer",  "ipv6",         "uuid",  "relative-json-pointer",
    };
    size_t count = HAFT_FORMAT_COUNT_ - 1 + sizeof names / sizeof *names, i = which % count;
    const char *name;

    size = haft_utf8_valid(text, size);
    if (i < HAFT_FORMAT_COUNT_ - 1) {
        check(arena, hf_format_of((haft_format)(i + 1)), text, size);
        return;
    }
    name = names[i - (HAFT_FORMAT_COUNT_ - 1)];
    check(arena, hf_format_named(name, strlen(name), 2020), text, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const flags[] = {"", "i", "m", "s", "v", "ims", "u", ""};
    haft_arena *arena = haft_arena_new(NULL, LIMIT);
    const char *text = (const char *)data, *end;

    if (!arena || !size) {
        haft_arena_free(arena);
        return 0;
    }
    if (*data >= FORMATS_FROM) {
        check_all(arena, *data - FORMATS_FROM, text + 1, size - 1);
    } else {
        end = memchr(text + 1, '\n', size - 1);
        if (!end)
            end = text + size;
        match(arena, flags[*data % 8], text + 1, (size_t)(end - text - 1), end,
              (size_t)(text + size - end));
    }
    haft_arena_free(arena);
    return 0;
}
