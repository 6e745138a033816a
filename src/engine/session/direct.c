/* direct.c - decodes large arguments directly from the message text into the handler's struct.
 *
 * If a message calls a tool whose input the fast path can decode from text, the arguments are
 * decoded first and the rest of the message is parsed with `{}` in their place. They are converted
 * to JSON only on request; once that happened for a tool, its arguments are parsed as JSON from
 * then on. Unusual messages are parsed normally. */
#include <string.h>

#include "schema/walk/quick.h"
#include "engine/session/direct.h"

/* ---- locating the arguments ---- */

struct scan {
    const char *at, *end;
};

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static void direct_skip_space(struct scan *scan)
{
    while (scan->at < scan->end && is_space(*scan->at))
        scan->at++;
}

static bool direct_take(struct scan *scan, char c)
{
    direct_skip_space(scan);
    if (scan->at == scan->end || *scan->at != c)
        return false;
    scan->at++;
    return true;
}

/* Reads a string without escapes. */
static bool take_string(struct scan *scan, struct text *ret_text)
{
    if (!direct_take(scan, '"'))
        return false;
    ret_text->data = scan->at;
    while (scan->at < scan->end && *scan->at != '"' && *scan->at != '\\')
        scan->at++;
    ret_text->size = (size_t)(scan->at - ret_text->data);
    return direct_take(scan, '"');
}

static bool direct_is_text(const struct text *text, const char *name)
{
    return text->size == strlen(name) && !memcmp(text->data, name, text->size);
}

static bool is_word(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '-' || c == '+' || c == '.' ||
           c == 'E';
}

/* Skips a value; the parser checks it later. */
static bool skip_value(struct scan *scan)
{
    size_t depth = 0;
    struct text ignored;

    for (;;) {
        const char *start;

        direct_skip_space(scan);
        start = scan->at;
        if (start == scan->end)
            return false;
        if (*start == '"') {
            if (!take_string(scan, &ignored))
                return false;
        } else if (*start == '{' || *start == '[') {
            depth++;
            scan->at++;
        } else if (depth && (*start == '}' || *start == ']')) {
            depth--;
            scan->at++;
        } else if (depth && (*start == ',' || *start == ':')) {
            scan->at++;
        } else {
            while (scan->at < scan->end && is_word(*scan->at))
                scan->at++;
            if (scan->at == start)
                return false;
        }
        if (!depth)
            return true;
    }
}

static const struct item *direct_find_tool(haft_session *session, const struct text *name)
{
    const struct entry *entry;

    if (session->version_number != atomic_load(&session->owner.server->changes.version_number))
        hf_session_refresh(session);
    entry = hf_offer_list_find(&session->catalogue->lists[HAFT_OFFER_TOOL], name->data, name->size);
    return entry && entry->item->direct && atomic_load(entry->item->direct) ? entry->item : NULL;
}

/* Finds the called tool and moves the scan to its arguments; NULL if they must be parsed
 * normally. */
static const struct item *find_in_params(struct scan *scan, haft_session *session)
{
    const struct item *item = NULL;
    struct text key, name;

    if (!direct_take(scan, '{'))
        return NULL;
    do {
        if (!take_string(scan, &key) || !direct_take(scan, ':'))
            return NULL;
        if (direct_is_text(&key, "arguments")) {
            direct_skip_space(scan);
            return item;
        }
        if (!direct_is_text(&key, "name")) {
            if (!skip_value(scan))
                return NULL;
            continue;
        }
        direct_skip_space(scan);
        item = take_string(scan, &name) ? direct_find_tool(session, &name) : NULL;
        if (!item)
            return NULL;
    } while (direct_take(scan, ','));
    return NULL;
}

static const struct item *direct_find(struct scan *scan, haft_session *session)
{
    struct text key, method = {"", 0};

    if (!direct_take(scan, '{'))
        return NULL;
    do {
        if (!take_string(scan, &key) || !direct_take(scan, ':'))
            return NULL;
        if (direct_is_text(&key, "params"))
            return direct_is_text(&method, "tools/call") ? find_in_params(scan, session) : NULL;
        if (direct_is_text(&key, "method") ? !take_string(scan, &method) : !skip_value(scan))
            return NULL;
    } while (direct_take(scan, ','));
    return NULL;
}

/* ---- decoding ---- */

/* Returns the text after the arguments; NULL if the fast path cannot decode them. */
static const char *direct_decode(haft_call *call, const struct item *item, const struct scan *scan)
{
    char *in = haft_arena_zalloc(call->arena, 1, item->input->root->size);
    const char *text = NULL;
    size_t size = 0;

    if (in)
        text = hf_quick_read(item->input, scan->at, (size_t)(scan->end - scan->at),
                             call->server->options.max_depth, call->arena, in, &size);
    call->args.direct = (struct direct){text ? item : NULL, in, text, size};
    return text ? scan->at + size : NULL;
}

/* Parses the message with {} as its arguments. */
static bool parse_rest(haft_call *call, const char *text, size_t before, const char *after,
                       size_t size, yyjson_val **ret_root)
{
    size_t left = size - (size_t)(after - text), offset;
    char *rest = haft_arena_alloc(call->arena, before + 2 + left);
    const char *reason;

    if (!rest)
        return false;
    memcpy(rest, text, before);
    memcpy(rest + before, "{}", 2);
    memcpy(rest + before + 2, after, left);
    return !hf_json_parse(rest, before + 2 + left, call->arena, ret_root, &offset, &reason);
}

bool hf_direct_read(haft_session *session, haft_call *call, const char *text, size_t size,
                    yyjson_val **ret_root)
{
    struct scan scan = {text, text + size};
    const struct item *item = direct_find(&scan, session);
    arena_mark mark = hf_arena_save(call->arena);
    const char *after = item ? direct_decode(call, item, &scan) : NULL;

    if (after && parse_rest(call, text, (size_t)(scan.at - text), after, size, ret_root)) {
        /* The catalogue keeps the item alive. */
        call->catalogue = session->catalogue;
        atomic_fetch_add(&call->catalogue->refs, 1);
        return true;
    }
    hf_arena_rewind(call->arena, mark);
    call->args.direct = (struct direct){0};
    return false;
}
