/* report_keys.c - issues about the keys of an object. The message extends Zod's with the accepted
 * keys and the probably intended one. */
#include "schema/walk/report.h"

#include <string.h>

enum {
    REPORT_KEYS_SHOWN = 120,
    MAX_LISTED = 24
}; /* limits of a key's size and of the keys in a message */

/* The accepted key that was probably intended; NULL if none is similar. */
static const char *report_keys_nearest(const struct object *object, const char *key)
{
    struct nearest search = hf_nearest_begin(key);

    for (size_t i = 0; i < object->n_properties; i++)
        hf_nearest_offer(&search, object->properties[i].name);
    return search.name;
}

static bool list_keys(struct walk *w, haft_issue *issue, const struct object *object,
                      yyjson_val **keys, size_t n)
{
    const char **names = haft_arena_alloc(w->arena, n * sizeof *names + 1);
    const char **accepted = haft_arena_alloc(w->arena, object->n_properties * sizeof *accepted + 1);

    if (!names || !accepted)
        return false;
    for (size_t i = 0; i < n; i++)
        names[i] = yyjson_get_str(keys[i]);
    for (size_t i = 0; i < object->n_properties; i++)
        accepted[i] = object->properties[i].name;
    issue->keys = names;
    issue->n_keys = n;
    issue->accepted = accepted;
    issue->n_accepted = object->n_properties;
    return true;
}

/* Writes a client's key, truncated to fit a message. */
static void report_keys_put_key(haft_buffer *text, const char *key)
{
    size_t size = strlen(key), cut = size;

    if (size > REPORT_KEYS_SHOWN)
        for (cut = REPORT_KEYS_SHOWN; ((unsigned char)key[cut] & 0xC0) == 0x80;)
            cut--;
    haft_buffer_printf(text, "\"%.*s%s\"", (int)cut, key, cut < size ? "..." : "");
}

/* Writes the names in quotes, up to the limit. */
static void put_keys(haft_buffer *text, const char *const *keys, size_t n)
{
    for (size_t i = 0; i < n && i < MAX_LISTED; i++) {
        haft_buffer_puts(text, i ? ", " : "");
        report_keys_put_key(text, keys[i]);
    }
    haft_buffer_puts(text, n > MAX_LISTED ? ", ..." : "");
}

unsigned hf_report_keys(struct walk *w, const struct path *at, const struct object *object,
                        yyjson_val **keys, size_t n)
{
    haft_issue *issue = hf_report_begin(w, at, HAFT_UNRECOGNIZED_KEYS, FAIL);
    const char *meant = NULL;
    struct sentence sentence;
    haft_buffer *text;

    if (!issue)
        return FAIL;
    if (!list_keys(w, issue, object, keys, n))
        return hf_walk_stop(w, HAFT_ENOMEM);
    for (size_t i = 0; i < n && i < MAX_LISTED && !meant; i++)
        meant = report_keys_nearest(object, issue->keys[i]);
    text = hf_sentence_start(&sentence, w);
    haft_buffer_puts(text, n > 1 ? "Unrecognized keys: " : "Unrecognized key: ");
    put_keys(text, issue->keys, n);
    haft_buffer_puts(text, object->n_properties ? " (accepted: " : " (no keys are accepted");
    put_keys(text, issue->accepted, object->n_properties);
    if (meant) {
        haft_buffer_puts(text, "; did you mean ");
        report_keys_put_key(text, meant);
        haft_buffer_puts(text, "?");
    }
    haft_buffer_puts(text, ")");
    hf_report_end(w, issue, hf_sentence_end(&sentence));
    return FAIL;
}

unsigned hf_report_duplicate(struct walk *w, const struct path *at, yyjson_val *key)
{
    haft_issue *issue = hf_report_begin(w, at, HAFT_CUSTOM, ABORT);
    struct sentence sentence;
    haft_buffer *text;

    if (!issue)
        return ABORT;
    text = hf_sentence_start(&sentence, w);
    haft_buffer_puts(text, "Duplicate key: ");
    report_keys_put_key(text, unsafe_yyjson_get_str(key));
    hf_report_end(w, issue, hf_sentence_end(&sentence));
    return ABORT;
}

unsigned hf_report_key(struct walk *w, const struct path *at, const char *origin,
                       const haft_issues *issues)
{
    haft_issue *issue = hf_report_begin(w, at, HAFT_INVALID_KEY, ABORT);
    haft_issues *list;

    if (!issue)
        return ABORT;
    list = haft_arena_alloc(w->arena, sizeof *list);
    if (!list)
        return hf_walk_stop(w, HAFT_ENOMEM);
    *list = *issues;
    issue->origin = origin;
    issue->branches = list;
    issue->n_branches = 1;
    hf_report_end(w, issue, haft_arena_printf(w->arena, "Invalid key in %s", origin));
    return ABORT;
}
