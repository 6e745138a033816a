/* pattern.c - patterns that clients accept.
 *
 * Clients compile patterns with the flag u, which forbids what haft and older engines read leniently: braces and
 * brackets that are not syntax, escapes of ordinary characters, and classes as ends of ranges.  One such
 * pattern makes a client refuse the whole tool. */
#include <string.h>

#include "import/shape.h"

struct pattern_scan {
    const char *at, *end;
    bool in_class; /* between brackets */
    bool atom;     /* something precedes that can be repeated */
    bool set;      /* an escape such as \w precedes, within brackets */
};

/* The size of "{2}", "{2,}" or "{2,3}" at the start; 0 for anything else. */
static size_t pattern_repeat_size(const char *text, const char *end)
{
    const char *at = text + 1;
    bool digits = false;

    for (; at < end && *at >= '0' && *at <= '9'; at++)
        digits = true;
    if (at < end && *at == ',')
        for (at++; at < end && *at >= '0' && *at <= '9';)
            at++;
    return digits && at < end && *at == '}' ? (size_t)(at + 1 - text) : 0;
}

static bool pattern_skip_escape(struct pattern_scan *scan)
{
    char c = scan->at + 1 < scan->end ? scan->at[1] : '\0';
    const char *close;

    if (!c || (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')) &&
               !strchr("^$\\.*+?()[]{}|/", c) && !(scan->in_class && c == '-')))
        return false;
    scan->set = strchr("dDwWsSpP", c);
    scan->at += 2;
    if (scan->at < scan->end && *scan->at == '{' && strchr("pPu", c)) {
        close = memchr(scan->at, '}', (size_t)(scan->end - scan->at));
        if (!close)
            return false;
        scan->at = close + 1;
    }
    return true;
}

/* Skips "(", "(?:", "(?<=", "(?<name>" and so on. */
static void pattern_skip_group(struct pattern_scan *scan)
{
    scan->at++;
    if (scan->at + 1 < scan->end && *scan->at == '?') {
        scan->at++;
        if (*scan->at == '<' && scan->at + 1 < scan->end && !strchr("=!", scan->at[1]))
            while (scan->at < scan->end && *scan->at != '>')
                scan->at++;
        else if (*scan->at == '<')
            scan->at++;
        scan->at += scan->at < scan->end;
    }
    scan->atom = false;
}

static bool pattern_step_in_class(struct pattern_scan *scan)
{
    char c = *scan->at;

    if (c == '\\')
        return pattern_skip_escape(scan);
    /* "\w-a" */
    if (c == '-' && scan->set && scan->at + 1 < scan->end && scan->at[1] != ']')
        return false;
    scan->set = false;
    scan->in_class = c != ']';
    scan->atom = true;
    scan->at++;
    return true;
}

static bool pattern_step(struct pattern_scan *scan)
{
    size_t repeat;

    switch (*scan->at) {
    case '\\':
        scan->atom = true;
        return pattern_skip_escape(scan);
    case '[':
        scan->in_class = true;
        scan->set = false;
        scan->at++;
        return true;
    case '(':
        pattern_skip_group(scan);
        return true;
    case '{':
        repeat = scan->atom ? pattern_repeat_size(scan->at, scan->end) : 0;
        scan->at += repeat;
        scan->atom = false;
        return repeat;
    case '}':
    case ']':
        return false;
    default:
        scan->atom = !strchr("|^$", *scan->at);
        scan->at++;
        return true;
    }
}

bool hf_import_pattern_is_strict(const char *text, size_t size)
{
    struct pattern_scan scan = {.at = text, .end = text + size};

    while (scan.at < scan.end)
        if (!(scan.in_class ? pattern_step_in_class(&scan) : pattern_step(&scan)))
            return false;
    return true;
}
