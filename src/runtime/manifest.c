/* manifest.c - a table of four columns; each is a function of a tool. */
#include "runtime/manifest.h"

#include <string.h>

/* ---- what stands in a column ---- */

static void put_name(yyjson_val *tool, haft_buffer *cell)
{
    haft_buffer_puts(cell, yyjson_get_str(yyjson_obj_get(tool, "name")));
}

static bool is_required(yyjson_val *schema, const char *name)
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
static void put_arguments(yyjson_val *tool, haft_buffer *cell)
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
                           is_required(schema, name) ? "" : "?", type ? ": " : "",
                           type ? type : "");
    }
}

static void put_hints(yyjson_val *tool, haft_buffer *cell)
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

        if (!hint || !word)
            continue;
        haft_buffer_printf(cell, "%s%s", any ? ", " : "", word);
        any = true;
    }
}

/* Its first line. */
static void put_description(yyjson_val *tool, haft_buffer *cell)
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
    {"ARGUMENTS", put_arguments},
    {"HINTS", put_hints},
    {"DESCRIPTION", put_description},
};
enum { COLUMNS = sizeof columns / sizeof *columns, CELL_LIMIT = 1 << 16 };

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
static void put_row(haft_buffer *buffer, const char *const *cells, const size_t *widths)
{
    size_t n = COLUMNS;

    while (n > 1 && !*cells[n - 1])
        n--;
    for (size_t i = 0; i < n; i++)
        put_cell(buffer, cells[i], widths[i], i + 1 == n);
}

static int fill(yyjson_val *tool, haft_arena *arena, haft_buffer *cell, const char **cells,
                size_t *widths)
{
    for (size_t i = 0; i < COLUMNS; i++) {
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

int manifest_write(yyjson_val *tools, haft_arena *arena, haft_buffer *buffer)
{
    size_t i, n, n_rows = yyjson_arr_size(tools) + 1, widths[COLUMNS] = {0};
    const char **cells = haft_arena_zalloc(arena, n_rows * COLUMNS, sizeof *cells);
    yyjson_val *tool;
    haft_buffer cell;
    int status;

    if (!cells)
        return HAFT_ENOMEM;
    haft_buffer_init(&cell, buffer->allocator, CELL_LIMIT);
    status = fill(NULL, arena, &cell, cells, widths);
    yyjson_arr_foreach(tools, i, n, tool) {
        if (!status)
            status = fill(tool, arena, &cell, cells + (i + 1) * COLUMNS, widths);
    }
    haft_buffer_finish(&cell);
    for (size_t row = 0; !status && row < n_rows; row++)
        put_row(buffer, cells + row * COLUMNS, widths);
    return status ? status : buffer->status;
}
