/* install_edit.c - adds, replaces or removes a member of a JSON text by its offsets.
 *
 * The text is parsed first to validate it; a scan then finds the offsets. */
#include "install_edit.h"

#include <stdio.h>

#include "json/json.h"
#include "scan.h"

enum { INSTALL_INDENT = 32, INSTALL_ARENA = 512 << 20 };

/* The layout of a file. */
struct install_style {
    const char *newline;
    char unit[INSTALL_INDENT]; /* unit of indentation */
    bool lines;                /* members are on separate lines */
};

/* The indentation of a line. */
struct install_margin {
    const char *text;
    int size;
    bool alone; /* nothing else precedes on the line */
};

/* ---- layout ---- */

/* The indentation of the line that contains the byte at `at`. */
static struct install_margin install_margin_of(const char *text, size_t at)
{
    size_t start = at, end;

    while (start && text[start - 1] != '\n')
        start--;
    for (end = start; text[end] == ' ' || text[end] == '\t';)
        end++;
    return (struct install_margin){text + start, (int)((end < at ? end : at) - start), end >= at};
}

/* Derives the layout from the first member of the file. */
static struct install_style install_style_of(const char *text, size_t size, size_t root)
{
    const char *end = memchr(text, '\n', size);
    struct install_style style = {.newline = end && end > text && end[-1] == '\r' ? "\r\n" : "\n",
                                  .unit = "  ",
                                  .lines = end};
    size_t at = root + 1;
    struct scan_member member;
    struct install_margin margin;

    if (!scan_next_member(text, size, &at, &member)) {
        style.lines = true;
        return style;
    }
    margin = install_margin_of(text, member.key.start);
    style.lines = margin.alone && memchr(text, '\n', member.key.start);
    if (style.lines && margin.size && margin.size < INSTALL_INDENT) {
        memcpy(style.unit, margin.text, (size_t)margin.size);
        style.unit[margin.size] = '\0';
    }
    return style;
}

/* ---- the entry ---- */

static void install_put_string(haft_buffer *out, const char *text)
{
    haft_buffer_json_string(out, text, strlen(text));
}

/* Writes a member's key, on a new line with the margin and one more unit, or on the same line. */
static void install_put_key(haft_buffer *out, const struct install_style *style,
                            struct install_margin margin, const char *key, bool first)
{
    haft_buffer_puts(out, first ? "" : ",");
    if (style->lines)
        haft_buffer_printf(out, "%s%.*s%s", style->newline, margin.size, margin.text, style->unit);
    else
        haft_buffer_puts(out, first ? "" : " ");
    install_put_string(out, key);
    haft_buffer_puts(out, ": ");
}

static void install_put_end(haft_buffer *out, const struct install_style *style,
                            struct install_margin margin)
{
    if (style->lines)
        haft_buffer_printf(out, "%s%.*s", style->newline, margin.size, margin.text);
    haft_buffer_puts(out, "}");
}

/* Writes the entry's value; its closing brace has the margin. */
static void install_put_entry(haft_buffer *out, const struct install_style *style,
                              struct install_margin margin, const struct install_entry *entry)
{
    haft_buffer_puts(out, "{");
    if (entry->type) {
        install_put_key(out, style, margin, "type", true);
        install_put_string(out, entry->type);
    }
    install_put_key(out, style, margin, entry->url ? "url" : "command", !entry->type);
    install_put_string(out, entry->url ? entry->url : entry->command);
    if (!entry->url) {
        install_put_key(out, style, margin, "args", false);
        haft_buffer_puts(out, "[");
        for (size_t i = 0; entry->args[i]; i++) {
            haft_buffer_puts(out, i ? ", " : "");
            install_put_string(out, entry->args[i]);
        }
        haft_buffer_puts(out, "]");
    }
    install_put_end(out, style, margin);
}

/* ---- parsing ---- */

/* Reports an error at "line 3, column 7". */
static int install_refuse_text(const char *text, size_t offset, const char *reason,
                               haft_reason *reterr_reason)
{
    size_t line = 1, column = 1;

    for (size_t i = 0; i < offset; i++) {
        column = text[i] == '\n' ? 1 : column + 1;
        line += text[i] == '\n';
    }
    return hf_error_set(reterr_reason, HAFT_EPARSE, "", "invalid JSON at line %zu, column %zu: %s",
                        line, column, reason);
}

static int install_check(yyjson_val *root, const char *section, haft_arena *arena,
                         haft_reason *reterr_reason)
{
    yyjson_val *value, *key;
    int status = hf_json_check(root, JSON_MAX_DEPTH, arena, &key);

    if (status == HAFT_EINVAL)
        return hf_error_set(reterr_reason, HAFT_EINVAL, "", "it has the key \"%s\" twice",
                            yyjson_get_str(key));
    if (status)
        return hf_error_set(reterr_reason, status, "", "%s",
                            status == HAFT_ENOMEM ? "out of memory" : "it is nested too deeply");
    if (!yyjson_is_obj(root))
        return hf_error_set(reterr_reason, HAFT_EINVAL, "", "it is not a JSON object");
    value = yyjson_obj_get(root, section);
    if (value && !yyjson_is_obj(value))
        return hf_error_set(reterr_reason, HAFT_EINVAL, "", "its member \"%s\" is not an object",
                            section);
    return 0;
}

/* Whether the entry already exists with the same contents. */
static bool install_is_same(yyjson_val *root, const struct install_entry *entry, haft_arena *arena)
{
    yyjson_val *old = yyjson_obj_get(yyjson_obj_get(root, entry->section), entry->name), *wanted;
    const struct install_style style = {.newline = "", .unit = ""};
    const char *reason;
    size_t offset;
    haft_buffer text;
    bool same;

    if (!old)
        return false;
    haft_buffer_init(&text, NULL, INSTALL_FILE_LIMIT);
    install_put_entry(&text, &style, (struct install_margin){"", 0, true}, entry);
    same = !text.status && !hf_json_parse(text.data, text.size, arena, &wanted, &offset, &reason) &&
           hf_json_equal(old, wanted, arena) == 1;
    haft_buffer_finish(&text);
    return same;
}

/* Returns 0 if the text may be edited, 1 if it already contains the entry, or an error. */
static int install_read(const char *text, size_t size, const struct install_entry *entry,
                        haft_reason *reterr_reason)
{
    haft_arena *arena = haft_arena_new(NULL, INSTALL_ARENA);
    yyjson_val *root;
    const char *reason;
    size_t offset;
    int status;

    if (!arena)
        return hf_error_set(reterr_reason, HAFT_ENOMEM, "", "out of memory");
    status = hf_json_text_is_deep(text, size, JSON_MAX_DEPTH)
                 ? hf_error_set(reterr_reason, HAFT_EDEPTH, "", "it is nested too deeply")
                 : hf_json_parse(text, size, arena, &root, &offset, &reason);
    if (status == HAFT_EPARSE || status == HAFT_EUTF8)
        status = install_refuse_text(text, offset, reason, reterr_reason);
    else if (status == HAFT_ENOMEM)
        hf_error_set(reterr_reason, status, "", "out of memory");
    if (!status)
        status = install_check(root, entry->section, arena, reterr_reason);
    if (!status && (entry->command || entry->url))
        status = install_is_same(root, entry, arena);
    haft_arena_free(arena);
    return status;
}

static bool install_is_blank(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (!memchr(" \t\r\n", text[i], 4))
            return false;
    return true;
}

/* ---- editing ---- */

/* Finds the last member of an object; returns false if it is empty. */
static bool install_last(const char *text, size_t size, size_t object,
                         struct scan_member *ret_member)
{
    size_t at = object + 1;
    bool found = false;

    while (scan_next_member(text, size, &at, ret_member))
        found = true;
    return found;
}

/* Adds a member at the end of the object at that offset: the entry, or an empty object without
 * one. */
static void install_add(const char *text, size_t size, size_t object, const char *key,
                        const struct install_entry *entry, haft_buffer *out)
{
    struct install_style style = install_style_of(text, size, scan_value(text, size, 0).start);
    struct install_margin margin = install_margin_of(text, object), inner;
    struct scan_range object_range = scan_value(text, size, object);
    char deeper[4 * INSTALL_INDENT];
    struct scan_member last;
    size_t at = object + 1;
    bool first = !install_last(text, size, object, &last);

    if (!first) {
        struct install_margin own = install_margin_of(text, last.key.start);

        at = last.value.end;
        style.lines = style.lines && own.alone;
        /* Use the margin of its neighbour, less the unit that install_put_key adds. */
        margin = own;
        margin.size = own.size > (int)strlen(style.unit) ? own.size - (int)strlen(style.unit) : 0;
    }
    haft_buffer_add(out, text, at);
    install_put_key(out, &style, margin, key, first);
    snprintf(deeper, sizeof deeper, "%.*s%s", margin.size, margin.text, style.unit);
    inner = (struct install_margin){deeper, (int)strlen(deeper), true};
    if (entry)
        install_put_entry(out, &style, inner, entry);
    else
        haft_buffer_puts(out, "{}");
    if (first)
        install_put_end(out, &style, margin);
    haft_buffer_add(out, text + (first ? object_range.end : at),
                    size - (first ? object_range.end : at));
}

static void install_replace(const char *text, size_t size, const struct scan_member *member,
                            const struct install_entry *entry, haft_buffer *out)
{
    struct install_style style = install_style_of(text, size, scan_value(text, size, 0).start);
    struct install_margin margin = install_margin_of(text, member->key.start);

    style.lines = style.lines && margin.alone;
    haft_buffer_add(out, text, member->value.start);
    install_put_entry(out, &style, margin, entry);
    haft_buffer_add(out, text + member->value.end, size - member->value.end);
}

int install_set(const char *text, size_t size, const struct install_entry *entry, haft_buffer *out,
                haft_reason *reterr_reason)
{
    static const char nothing[] = "{}\n";
    bool blank = install_is_blank(text, size);
    struct scan_member section, member;
    haft_buffer sectioned;
    size_t root;
    int status;

    text = blank ? nothing : text;
    size = blank ? sizeof nothing - 1 : size;
    status = install_read(text, size, entry, reterr_reason);
    if (status)
        return status < 0 ? status : 0;
    root = scan_value(text, size, 0).start;
    haft_buffer_init(&sectioned, NULL, INSTALL_FILE_LIMIT + 1024);
    if (!scan_find(text, size, root, entry->section, &section)) {
        install_add(text, size, root, entry->section, NULL, &sectioned);
        if (sectioned.status) {
            haft_buffer_finish(&sectioned);
            return hf_error_set(reterr_reason, HAFT_ENOMEM, "", "out of memory");
        }
        text = sectioned.data;
        size = sectioned.size;
        root = scan_value(text, size, 0).start;
        scan_find(text, size, root, entry->section, &section);
    }
    if (scan_find(text, size, section.value.start, entry->name, &member))
        install_replace(text, size, &member, entry, out);
    else
        install_add(text, size, section.value.start, entry->name, entry, out);
    haft_buffer_finish(&sectioned);
    return out->status ? hf_error_set(reterr_reason, HAFT_ENOMEM, "", "out of memory") : 1;
}

/* The range to remove with a member: its comma, and the white space before or after it. */
static struct scan_range install_extent(const char *text, size_t size, size_t object,
                                        const struct scan_member *member)
{
    size_t at = object + 1, end = member->value.end;
    struct scan_member each, before = {{0, 0}, {0, 0}};

    while (scan_next_member(text, size, &at, &each) && each.key.start != member->key.start)
        before = each;
    if (scan_next_member(text, size, &end, &each))
        return (struct scan_range){member->key.start, each.key.start};
    if (before.value.end)
        return (struct scan_range){before.value.end, member->value.end};
    return (struct scan_range){object + 1, scan_value(text, size, object).end - 1};
}

int install_remove(const char *text, size_t size, const struct install_entry *entry,
                   haft_buffer *out, haft_reason *reterr_reason)
{
    struct scan_member section, member;
    int status;

    if (install_is_blank(text, size))
        return 0;
    status = install_read(text, size, entry, reterr_reason);
    if (status < 0)
        return status;
    if (!scan_find(text, size, scan_value(text, size, 0).start, entry->section, &section) ||
        !scan_find(text, size, section.value.start, entry->name, &member))
        return 0;
    scan_replace(out, text, size, install_extent(text, size, section.value.start, &member), "", 0);
    return out->status ? hf_error_set(reterr_reason, HAFT_ENOMEM, "", "out of memory") : 1;
}

bool install_has(const char *text, size_t size, const struct install_entry *entry)
{
    struct scan_member section, member;

    return !install_is_blank(text, size) &&
           scan_find(text, size, scan_value(text, size, 0).start, entry->section, &section) &&
           scan_find(text, size, section.value.start, entry->name, &member);
}
