/* show.c - listings: a name, what it is for, and a table of its arguments. */
#include "show.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arguments.h"
#include "program.h"

#define BOLD "\033[1m"
#define FAINT "\033[2m"
#define PLAIN "\033[0m"

enum { WIDEST = 32 };

bool may_colour(FILE *file)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

    return isatty(fileno(file)) && !(no && *no) && !(term && !strcmp(term, "dumb"));
}

void page_init(struct page *page)
{
    haft_buffer_init(&page->text, NULL, SHOW_LIMIT);
    page->colours = may_colour(stdout);
}

int page_print(struct page *page)
{
    int status = page->text.status;

    if (!status && page->text.size)
        fwrite(page->text.data, 1, page->text.size, stdout);
    haft_buffer_finish(&page->text);
    if (status)
        return complain(EXIT_LOCAL, "%s", haft_strerror(status));
    if (fflush(stdout) || ferror(stdout))
        return complain(EXIT_LOCAL, "standard output cannot be written");
    return EXIT_DONE;
}

/* C1 controls are two bytes in UTF-8, the first of them C2. */
void page_line(struct page *page, const char *text, size_t size)
{
    size_t start = 0, i = 0;

    for (; i < size; i++) {
        unsigned char c = (unsigned char)text[i];
        bool c1 = c == 0xC2 && i + 1 < size && (unsigned char)text[i + 1] < 0xA0;

        if (c >= 0x20 && c != 0x7F && !c1)
            continue;
        haft_buffer_add(&page->text, text + start, i - start);
        haft_buffer_puts(&page->text, " ");
        i += c1;
        start = i + 1;
    }
    haft_buffer_add(&page->text, text + start, size > start ? size - start : 0);
}

static void put_painted(struct page *page, const char *colour, const char *text, size_t size)
{
    haft_buffer_puts(&page->text, page->colours ? colour : "");
    page_line(page, text, size);
    haft_buffer_puts(&page->text, page->colours ? PLAIN : "");
}

static void put_string(struct page *page, yyjson_val *value)
{
    page_line(page, yyjson_get_str(value), yyjson_get_len(value));
}

static void put_spaces(struct page *page, size_t n)
{
    haft_buffer_printf(&page->text, "%*s", (int)n, "");
}

/* Each line of it, two spaces in. */
static void put_description(struct page *page, yyjson_val *value)
{
    const char *text = yyjson_get_str(value), *end = text + yyjson_get_len(value);

    while (text && text < end) {
        size_t n = strcspn(text, "\r\n");

        if (n) {
            put_spaces(page, 2);
            page_line(page, text, n);
            haft_buffer_puts(&page->text, "\n");
        }
        text += n + 1;
    }
}

/* ---- tools ---- */

static void put_hints(struct page *page, yyjson_val *tool)
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
    haft_buffer text;

    haft_buffer_init(&text, NULL, 256);
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++) {
        yyjson_val *hint = yyjson_obj_get(annotations, hints[i].key);
        const char *word = yyjson_get_bool(hint) ? hints[i].yes : hints[i].no;

        if (yyjson_is_bool(hint) && word)
            haft_buffer_printf(&text, "%s%s", text.size ? ", " : "  ", word);
    }
    if (text.size)
        put_painted(page, FAINT, text.data, text.size);
    haft_buffer_finish(&text);
}

static size_t columns_of(const char *text, size_t size)
{
    return haft_utf8_length(text, size);
}

struct row {
    yyjson_val *name, *description;
    bool required;
    haft_buffer type;
};

static void put_row(struct page *page, const struct row *row, size_t name_width, size_t type_width)
{
    size_t name = columns_of(yyjson_get_str(row->name), yyjson_get_len(row->name)) + !row->required;
    size_t type = row->type.size ? columns_of(row->type.data, row->type.size) : 0;
    bool described = yyjson_get_len(row->description) > 0;

    put_spaces(page, 4);
    put_string(page, row->name);
    haft_buffer_puts(&page->text, row->required ? "" : "?");
    if (type || described)
        put_spaces(page, name < name_width ? name_width - name + 2 : 2);
    if (type)
        put_painted(page, FAINT, row->type.data, row->type.size);
    if (described) {
        put_spaces(page, type < type_width ? type_width - type + 2 : type_width ? 2 : 0);
        put_string(page, row->description);
    }
    haft_buffer_puts(&page->text, "\n");
}

static size_t wider(size_t width, size_t than)
{
    return width > than && width <= WIDEST ? width : than;
}

static void put_rows(struct page *page, struct row *rows, size_t n)
{
    size_t names = 0, types = 0;

    for (size_t i = 0; i < n; i++) {
        const struct row *row = &rows[i];

        names =
            wider(columns_of(yyjson_get_str(row->name), yyjson_get_len(row->name)) + !row->required,
                  names);
        types = wider(row->type.size ? columns_of(row->type.data, row->type.size) : 0, types);
    }
    for (size_t i = 0; i < n; i++) {
        put_row(page, &rows[i], names, types);
        haft_buffer_finish(&rows[i].type);
    }
}

static void put_arguments(struct page *page, yyjson_val *schema)
{
    yyjson_val *properties = yyjson_obj_get(schema, "properties"), *key, *property;
    size_t i, n, count = yyjson_obj_size(properties);
    struct row *rows = calloc(count + 1, sizeof *rows);

    if (!rows) {
        page->text.status = HAFT_ENOMEM;
        return;
    }
    yyjson_obj_foreach(properties, i, n, key, property) {
        rows[i].name = key;
        rows[i].description = yyjson_obj_get(property, "description");
        rows[i].required = argument_is_required(schema, yyjson_get_str(key));
        haft_buffer_init(&rows[i].type, NULL, SHOW_LIMIT);
        argument_type(schema, property, &rows[i].type);
    }
    put_rows(page, rows, count);
    free(rows);
}

void show_tools(struct page *page, yyjson_val *tools)
{
    size_t i, n;
    yyjson_val *tool;

    yyjson_arr_foreach(tools, i, n, tool) {
        yyjson_val *name = yyjson_obj_get(tool, "name");

        put_painted(page, BOLD, yyjson_get_str(name), yyjson_get_len(name));
        put_hints(page, tool);
        haft_buffer_puts(&page->text, "\n");
        put_description(page, yyjson_obj_get(tool, "description"));
        put_arguments(page, yyjson_obj_get(tool, "inputSchema"));
    }
}

/* ---- prompts and resources ---- */

void show_prompts(struct page *page, yyjson_val *prompts)
{
    size_t i, n, k, m;
    yyjson_val *prompt, *argument;

    yyjson_arr_foreach(prompts, i, n, prompt) {
        yyjson_val *name = yyjson_obj_get(prompt, "name");
        yyjson_val *arguments = yyjson_obj_get(prompt, "arguments");
        struct row *rows = calloc(yyjson_arr_size(arguments) + 1, sizeof *rows);

        if (!rows) {
            page->text.status = HAFT_ENOMEM;
            return;
        }
        put_painted(page, BOLD, yyjson_get_str(name), yyjson_get_len(name));
        haft_buffer_puts(&page->text, "\n");
        put_description(page, yyjson_obj_get(prompt, "description"));
        yyjson_arr_foreach(arguments, k, m, argument) {
            rows[k].name = yyjson_obj_get(argument, "name");
            rows[k].description = yyjson_obj_get(argument, "description");
            rows[k].required = yyjson_get_bool(yyjson_obj_get(argument, "required"));
            haft_buffer_init(&rows[k].type, NULL, 0);
        }
        put_rows(page, rows, yyjson_arr_size(arguments));
        free(rows);
    }
}

static void put_resources(struct page *page, yyjson_val *list, const char *address)
{
    static const char *const members[] = {"name", "mimeType", "description"};
    size_t i, n;
    yyjson_val *resource;

    yyjson_arr_foreach(list, i, n, resource) {
        yyjson_val *uri = yyjson_obj_get(resource, address);

        put_painted(page, BOLD, yyjson_get_str(uri), yyjson_get_len(uri));
        haft_buffer_puts(&page->text, "\n");
        for (size_t k = 0; k < sizeof members / sizeof *members; k++)
            put_description(page, yyjson_obj_get(resource, members[k]));
    }
}

void show_resources(struct page *page, yyjson_val *resources, yyjson_val *templates)
{
    put_resources(page, resources, "uri");
    put_resources(page, templates, "uriTemplate");
}

void show_names(struct page *page, yyjson_val *list, const char *member)
{
    size_t i, n;
    yyjson_val *one;

    yyjson_arr_foreach(list, i, n, one) {
        put_string(page, yyjson_obj_get(one, member));
        haft_buffer_puts(&page->text, "\n");
    }
}
