/* pin.c - definitions that a person has approved. */
#include "upstream/pin.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "auth/private_file.h"
#include "base/hex.h"
#include "base/sha256.h"
#include "config/file.h"

enum { PIN_FILE_LIMIT = 16 << 20, PIN_TEXT = sizeof "sha256:" + 2 * SHA256_SIZE };

/* ---- hashes ---- */

/* The hash of what clients and models see of a definition: every member that mcp_item.c passes on.
 * Members after `arguments` count only if they are there, as in files of older releases. */
static int pin_hash(const haft_allocator *allocator, haft_value *definition, char text[PIN_TEXT])
{
    static const char *const members[] = {
        "name",        "title",     "description", "inputSchema", "outputSchema",
        "annotations", "arguments", "icons",       "_meta",       NULL};
    enum { PIN_ALWAYS = 7 };
    unsigned char digest[SHA256_SIZE];
    struct sha256 hash;
    haft_buffer buffer;
    int status;

    haft_buffer_init(&buffer, allocator, PIN_FILE_LIMIT);
    for (const char *const *member = members; *member; member++) {
        yyjson_val *value = yyjson_obj_get(definition, *member);

        if (!value && member >= members + PIN_ALWAYS)
            continue;
        haft_buffer_puts(&buffer, *member);
        haft_buffer_puts(&buffer, ":");
        if (value)
            haft_json_write(value, &buffer);
        haft_buffer_puts(&buffer, "\n");
    }
    status = buffer.status;
    hf_sha256_init(&hash);
    if (!status)
        hf_sha256_add(&hash, buffer.data, buffer.size);
    hf_sha256_finish(&hash, digest);
    haft_buffer_finish(&buffer);
    memcpy(text, "sha256:", sizeof "sha256:");
    hf_hex_put(digest, sizeof digest, text + sizeof "sha256:" - 1);
    text[PIN_TEXT - 1] = '\0';
    return status;
}

enum pin_state hf_pin_check(const struct pins *pins, const char *list, haft_value *definition)
{
    const char *name = yyjson_get_str(yyjson_obj_get(definition, "name"));
    yyjson_val *hash;
    char text[PIN_TEXT];

    if (!pins->path)
        return PIN_APPROVED;
    hash = yyjson_obj_get(yyjson_obj_get(pins->approved, list), name ? name : "");
    if (!hash)
        return PIN_NEW;
    return !pin_hash(NULL, definition, text) && yyjson_equals_str(hash, text) ? PIN_APPROVED
                                                                              : PIN_CHANGED;
}

/* ---- the file ---- */

int hf_pins_read(struct pins *pins, struct upstream *upstream, const char *file, bool first,
                 haft_reason *reterr_reason)
{
    struct text text;
    haft_reason reason = {.code = 0};
    int status;

    pins->path = hf_upstream_path(upstream, file);
    if (!pins->path)
        return hf_error_set(reterr_reason, HAFT_ENOMEM, "pin", "out of memory");
    pins->first = first;
    if (first && access(pins->path, F_OK) && errno == ENOENT)
        return 0;
    status = hf_upstream_read(upstream, file, PIN_FILE_LIMIT, &text, &reason);
    if (status)
        return hf_error_set(reterr_reason, status, "pin", "%s", reason.text);
    pins->approved = haft_json_read(text.data, text.size, 0, upstream->arena, &reason);
    if (!yyjson_is_obj(pins->approved))
        return hf_error_set(reterr_reason, HAFT_EINVAL, "pin", "%s is not a JSON object", file);
    pins->recorded = true;
    return 0;
}

static int pin_put_list(struct json_writer *w, haft_value *list)
{
    yyjson_val *one;
    size_t i, n;
    int status = 0;

    hf_json_begin_object(w);
    if (list)
        yyjson_arr_foreach(list, i, n, one) {
            yyjson_val *name = yyjson_obj_get(one, "name");
            char text[PIN_TEXT];

            if (!status)
                status = pin_hash(NULL, one, text);
            if (!status)
                hf_json_text(hf_json_name(w, yyjson_get_str(name), yyjson_get_len(name)), text);
        }
    hf_json_end_object(w);
    return status;
}

/* What approves all definitions of the lists. */
static int pin_put_file(haft_buffer *text, haft_value *tools, haft_value *prompts)
{
    struct json_writer w = {.out = text};
    int status;

    hf_json_begin_object(&w);
    status = pin_put_list(json_key(&w, "tools"), tools);
    if (!status)
        status = pin_put_list(json_key(&w, "prompts"), prompts);
    hf_json_end_object(&w);
    haft_buffer_puts(text, "\n");
    return status ? status : text->status;
}

static void pin_log(const struct upstream *upstream, const char *what, const char *why)
{
    hf_server_log(upstream->set->server, HAFT_WARNING, "upstream %s: %s: %s", upstream->name, what,
                  why);
}

/* Approves the first definitions. */
static void pin_record(struct pins *pins, struct upstream *upstream, const haft_buffer *text)
{
    haft_reason reason = {.code = 0};

    pins->arena = haft_arena_new(upstream->set->allocator, PIN_FILE_LIMIT * 4);
    pins->approved =
        pins->arena ? haft_json_read(text->data, text->size, 0, pins->arena, NULL) : NULL;
    if (!pins->approved) {
        pin_log(upstream, "definitions cannot be approved", "out of memory");
        return;
    }
    pins->recorded = true;
    if (hf_private_file_replace(pins->path, NULL, text, &reason))
        pin_log(upstream, "the approved definitions cannot be written", reason.text);
}

/* Logs the definitions that are held back.  Returns their number. */
static size_t pin_log_held(const struct pins *pins, const struct upstream *upstream,
                           const char *list, haft_value *definitions)
{
    yyjson_val *one;
    size_t i, n, held = 0;

    if (definitions)
        yyjson_arr_foreach(definitions, i, n, one) {
            enum pin_state state = hf_pin_check(pins, list, one);

            if (state == PIN_APPROVED)
                continue;
            held++;
            hf_server_log(upstream->set->server, HAFT_WARNING,
                          "upstream %s: %s \"%.100s\" is held back: its definition is %s, and not "
                          "approved in %s",
                          upstream->name, list, yyjson_get_str(yyjson_obj_get(one, "name")),
                          state == PIN_NEW ? "new" : "different", pins->path);
        }
    return held;
}

void hf_pins_learn(struct pins *pins, struct upstream *upstream, haft_value *tools,
                   haft_value *prompts)
{
    haft_buffer text;
    haft_reason reason = {.code = 0};
    char *pending;

    if (!pins->path)
        return;
    haft_buffer_init(&text, upstream->set->allocator, PIN_FILE_LIMIT);
    if (pin_put_file(&text, tools, prompts))
        pin_log(upstream, "definitions cannot be compared", "out of memory");
    else if (!pins->recorded && pins->first)
        pin_record(pins, upstream, &text);
    else if (pin_log_held(pins, upstream, "tools", tools) +
             pin_log_held(pins, upstream, "prompts", prompts)) {
        haft_arena *arena = haft_arena_new(upstream->set->allocator, 1 << 16);

        pending = arena ? haft_arena_printf(arena, "%s.pending", pins->path) : NULL;
        if (!pending || hf_private_file_replace(pending, NULL, &text, &reason))
            pin_log(upstream, "the file that would approve them cannot be written", reason.text);
        haft_arena_free(arena);
    }
    haft_buffer_finish(&text);
}
