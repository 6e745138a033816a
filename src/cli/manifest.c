/* manifest.c - a table of four columns, each a function of a tool; and a paragraph for each tool. */
#include "cli/manifest.h"

#include <string.h>

#include "engine/offer/server.h"

/* ---- contents of columns ---- */

static void put_name(yyjson_val *tool, haft_buffer *cell)
{
    haft_buffer_puts(cell, yyjson_get_str(yyjson_obj_get(tool, "name")));
}

bool hf_manifest_requires(yyjson_val *schema, const char *name)
{
    size_t i, n;
    yyjson_val *required;

    yyjson_arr_foreach(yyjson_obj_get(schema, "required"), i, n, required) {
        if (yyjson_equals_str(required, name))
            return true;
    }
    return false;
}

/* "query: string, limit?: integer" */
static void manifest_put_arguments(yyjson_val *tool, haft_buffer *cell)
{
    yyjson_val *schema = yyjson_obj_get(tool, "inputSchema"), *key, *property;
    yyjson_val *properties = yyjson_obj_get(schema, "properties");
    size_t i, n;

    if (!properties)
        return;
    yyjson_obj_foreach(properties, i, n, key, property) {
        const char *name = yyjson_get_str(key);
        const char *type = yyjson_get_str(yyjson_obj_get(property, "type"));

        haft_buffer_printf(cell, "%s%s%s%s%s", i ? ", " : "", name,
                           hf_manifest_requires(schema, name) ? "" : "?", type ? ": " : "",
                           type ? type : "");
    }
}

void hf_manifest_put_hints(yyjson_val *tool, haft_buffer *buffer)
{
    static const struct {
        const char *key, *yes, *no;
    } hints[] = {
        {"readOnlyHint", "read-only", "writes"},
        {"destructiveHint", "destructive", "additive"},
        {"idempotentHint", "idempotent", NULL},
        {"openWorldHint", "open-world", "closed-world"},
    };
    yyjson_val *annotations = yyjson_obj_get(tool, "annotations");
    bool any = false;

    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++) {
        yyjson_val *hint = yyjson_obj_get(annotations, hints[i].key);
        const char *word = yyjson_get_bool(hint) ? hints[i].yes : hints[i].no;

        if (!yyjson_is_bool(hint) || !word)
            continue;
        haft_buffer_printf(buffer, "%s%s", any ? ", " : "", word);
        any = true;
    }
}

/* Its first line. */
static void manifest_put_description(yyjson_val *tool, haft_buffer *cell)
{
    const char *text = yyjson_get_str(yyjson_obj_get(tool, "description"));

    if (text)
        haft_buffer_add(cell, text, strcspn(text, "\r\n"));
}

static const struct {
    const char *title;
    void (*put)(yyjson_val *tool, haft_buffer *cell);
} columns[] = {
    {"NAME", put_name},
    {"ARGUMENTS", manifest_put_arguments},
    {"HINTS", hf_manifest_put_hints},
    {"DESCRIPTION", manifest_put_description},
};
enum { MANIFEST_COLUMNS = sizeof columns / sizeof *columns, CELL_LIMIT = 1 << 16 };

/* ---- the table ---- */

static void put_cell(haft_buffer *buffer, const char *text, size_t width, bool last)
{
    haft_buffer_puts(buffer, text);
    if (last)
        haft_buffer_puts(buffer, "\n");
    else
        for (size_t n = haft_utf8_length(text, strlen(text)); n < width + 2; n++)
            haft_buffer_puts(buffer, " ");
}

/* The columns of a row end with the last that is not empty. */
static void manifest_put_row(haft_buffer *buffer, const char *const *cells, const size_t *widths)
{
    size_t n = MANIFEST_COLUMNS;

    while (n > 1 && !*cells[n - 1])
        n--;
    for (size_t i = 0; i < n; i++)
        put_cell(buffer, cells[i], widths[i], i + 1 == n);
}

static int manifest_fill(yyjson_val *tool, haft_arena *arena, haft_buffer *cell, const char **cells,
                         size_t *widths)
{
    for (size_t i = 0; i < MANIFEST_COLUMNS; i++) {
        size_t width;

        haft_buffer_clear(cell);
        if (tool)
            columns[i].put(tool, cell);
        else
            haft_buffer_puts(cell, columns[i].title);
        if (cell->status)
            return cell->status;
        cells[i] = haft_arena_copy(arena, cell->size ? cell->data : "", cell->size);
        if (!cells[i])
            return HAFT_ENOMEM;
        width = haft_utf8_length(cells[i], cell->size);
        widths[i] = width > widths[i] ? width : widths[i];
    }
    return 0;
}

int hf_manifest_write(yyjson_val *tools, haft_arena *arena, haft_buffer *buffer)
{
    size_t i, n, n_rows = yyjson_arr_size(tools) + 1, widths[MANIFEST_COLUMNS] = {0};
    const char **cells = haft_arena_zalloc(arena, n_rows * MANIFEST_COLUMNS, sizeof *cells);
    yyjson_val *tool;
    haft_buffer cell;
    int status;

    if (!cells)
        return HAFT_ENOMEM;
    haft_buffer_init(&cell, buffer->allocator, CELL_LIMIT);
    status = manifest_fill(NULL, arena, &cell, cells, widths);
    yyjson_arr_foreach(tools, i, n, tool) {
        if (!status)
            status = manifest_fill(tool, arena, &cell, cells + (i + 1) * MANIFEST_COLUMNS, widths);
    }
    haft_buffer_finish(&cell);
    for (size_t row = 0; !status && row < n_rows; row++)
        manifest_put_row(buffer, cells + row * MANIFEST_COLUMNS, widths);
    return status ? status : buffer->status;
}

/* ---- a paragraph a tool ---- */

static void manifest_put_time(haft_buffer *buffer, unsigned ms)
{
    if (ms % 1000)
        haft_buffer_printf(buffer, "%u ms", ms);
    else
        haft_buffer_printf(buffer, "%u s", ms / 1000);
}

static void put_limits(const haft_server *server, const struct item *item, haft_buffer *buffer)
{
    haft_rate all = {atomic_load(&server->limits.client_calls),
                     atomic_load(&server->limits.client_per_ms)};

    haft_buffer_printf(buffer, "  runs       %s",
                       item->quick     ? "on the event loop"
                       : item->isolate ? "in a separate process"
                                       : "on a worker");
    if (item->cap)
        haft_buffer_printf(buffer, ", at most %u running and %u queued", item->cap->max_running,
                           item->cap->max_waiting);
    haft_buffer_puts(buffer, "\n  timeout    ");
    manifest_put_time(buffer, item->calls.timeout_ms ? item->calls.timeout_ms
                                                     : atomic_load(&server->limits.timeout_ms));
    haft_buffer_puts(buffer, "\n");
    for (int i = 0; i < 2; i++) {
        haft_rate rate = i ? all : item->tool->rate;

        if (!rate.calls)
            continue;
        haft_buffer_printf(buffer, "  rate       %u calls per ", rate.calls);
        manifest_put_time(buffer, rate.per_ms);
        haft_buffer_puts(buffer, i ? ", over all tools\n" : "\n");
    }
    if (item->calls.lenient == HAFT_UNSET ? atomic_load(&server->limits.lenient)
                                          : item->calls.lenient == HAFT_YES)
        haft_buffer_puts(buffer, "  lenient    yes\n");
}

/* The stages that a call of the tool passes, in their order, and where they do something. */
static void put_stages(const haft_server *server, const struct item *item, haft_buffer *buffer)
{
    const char *comma = "  stages     ";
    const haft_stage *stage;

    for (size_t i = 0; (stage = haft_stage_at(server, i)); i++) {
        if (stage->tools && !hf_glob_list_allows(stage->tools, item->name))
            continue;
        haft_buffer_printf(buffer, "%s%s (%s%s%s)", comma, stage->name,
                           stage->before ? "before" : "",
                           stage->ready ? stage->before ? ", ready" : "ready" : "",
                           stage->after ? stage->before || stage->ready ? ", after" : "after" : "");
        comma = "; ";
    }
    if (*comma == ';')
        haft_buffer_puts(buffer, "\n");
}

static void manifest_put_line(haft_buffer *buffer, const char *title, yyjson_val *tool,
                              void (*put)(yyjson_val *tool, haft_buffer *cell))
{
    size_t before = buffer->size, title_size;

    haft_buffer_printf(buffer, "  %-11s", title);
    title_size = buffer->size - before;
    put(tool, buffer);
    if (buffer->size == before + title_size)
        buffer->size = before;
    else
        haft_buffer_puts(buffer, "\n");
}

int hf_manifest_write_details(haft_server *server, yyjson_val *tools, haft_buffer *buffer)
{
    struct catalogue *catalogue = hf_catalogue_take(server);
    yyjson_val *tool;
    size_t i, n;

    yyjson_arr_foreach(tools, i, n, tool) {
        yyjson_val *name = yyjson_obj_get(tool, "name");
        const struct entry *entry = hf_offer_list_find(&catalogue->lists[HAFT_OFFER_TOOL],
                                                       yyjson_get_str(name), yyjson_get_len(name));

        haft_buffer_printf(buffer, "%s%s: ", i ? "\n" : "", yyjson_get_str(name));
        manifest_put_description(tool, buffer);
        haft_buffer_puts(buffer, "\n");
        manifest_put_line(buffer, "arguments", tool, manifest_put_arguments);
        manifest_put_line(buffer, "hints", tool, hf_manifest_put_hints);
        if (entry) {
            put_limits(server, entry->item, buffer);
            put_stages(server, entry->item, buffer);
        }
    }
    hf_catalogue_drop(catalogue);
    return buffer->status;
}
