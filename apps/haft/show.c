/* show.c - prints listings: a name, its description, and a table of its arguments. */
#include "show.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arguments_schema.h"
#include "program.h"
#include "cli/manifest.h"

#define BOLD "\033[1m"
#define FAINT "\033[2m"
#define PLAIN "\033[0m"

enum { WIDEST = 32, SHOW_MAX_DEPTH = 3, MOST_NESTED = 1000 };

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
    int status = page->text.status, error = 0;

    if (!status && page->text.size &&
        (fwrite(page->text.data, 1, page->text.size, stdout) != page->text.size || fflush(stdout)))
        error = errno;
    haft_buffer_finish(&page->text);
    if (status)
        return complain(EXIT_LOCAL, "%s", haft_strerror(status));
    if (error == EPIPE) /* the reader, such as head, has seen enough */
        return EXIT_LOCAL;
    if (error)
        return complain(EXIT_LOCAL, "cannot write to standard output: %s", strerror(error));
    return EXIT_DONE;
}

size_t next_character(const char *text, size_t left, bool *ret_harmful)
{
    size_t size = hf_utf8_size(text, left);
    const char *next = text;

    *ret_harmful = !size || hf_character_is_hidden(hf_utf8_next(&next));
    return size ? size : 1;
}

/* Writes text with unsafe characters replaced by spaces, or by JSON escapes. */
static void put_harmless(struct page *page, const char *text, size_t size, bool json)
{
    size_t start = 0, n;

    for (size_t i = 0; i < size; i += n) {
        char escaped[ESCAPE_TEXT];
        const char *next = text + i;
        bool harmful;

        n = next_character(text + i, size - i, &harmful);
        if (!harmful)
            continue;
        haft_buffer_add(&page->text, text + start, i - start);
        if (json)
            haft_buffer_add(&page->text, escaped,
                            hf_character_escape(hf_utf8_next(&next), escaped));
        else
            haft_buffer_puts(&page->text, " ");
        start = i + n;
    }
    if (size > start)
        haft_buffer_add(&page->text, text + start, size - start);
}

void page_line(struct page *page, const char *text, size_t size)
{
    put_harmless(page, text, size, false);
}

void page_json(struct page *page, yyjson_val *value)
{
    haft_buffer json;

    if (!isatty(STDOUT_FILENO)) {
        haft_json_write(value, &page->text);
        return;
    }
    haft_buffer_init(&json, NULL, SHOW_LIMIT);
    haft_json_write(value, &json);
    if (json.status)
        page->text.status = json.status;
    else
        put_harmless(page, json.data, json.size, true);
    haft_buffer_finish(&json);
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

/* Writes each line, indented by two spaces. */
static void put_description(struct page *page, yyjson_val *value)
{
    const char *text = yyjson_get_str(value), *end = text ? text + yyjson_get_len(value) : NULL;

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
    haft_buffer text;

    haft_buffer_init(&text, NULL, 256);
    hf_manifest_put_hints(tool, &text);
    if (text.size) {
        put_spaces(page, 2);
        put_painted(page, FAINT, text.data, text.size);
    }
    haft_buffer_finish(&text);
}

/* ---- a table of arguments ---- */

struct show_row {
    haft_buffer name, type; /* the name of an optional argument ends with a question mark */
    yyjson_val *description;
};

struct rows {
    struct show_row *rows;
    size_t n, capacity;
    int status;
};

/* Returns NULL without memory. */
static struct show_row *add_row(struct rows *table, yyjson_val *description)
{
    struct show_row *row;

    if (table->n == table->capacity) {
        size_t capacity = table->capacity * 2 + 8;
        struct show_row *rows = realloc(table->rows, capacity * sizeof *rows);

        if (!rows) {
            table->status = HAFT_ENOMEM;
            return NULL;
        }
        table->rows = rows;
        table->capacity = capacity;
    }
    row = &table->rows[table->n++];
    row->description = description;
    haft_buffer_init(&row->name, NULL, SHOW_LIMIT);
    haft_buffer_init(&row->type, NULL, SHOW_LIMIT);
    return row;
}

static size_t columns_of(const haft_buffer *text)
{
    return text->size ? haft_utf8_length(text->data, text->size) : 0;
}

static void put_row(struct page *page, const struct show_row *row, size_t name_width,
                    size_t type_width)
{
    size_t name = columns_of(&row->name), type = columns_of(&row->type);
    bool described = yyjson_get_len(row->description) > 0;

    put_spaces(page, 4);
    page_line(page, row->name.data, row->name.size);
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

/* Prints the rows and frees them. */
static void put_rows(struct page *page, struct rows *table)
{
    size_t names = 0, types = 0;

    for (size_t i = 0; i < table->n; i++) {
        names = wider(columns_of(&table->rows[i].name), names);
        types = wider(columns_of(&table->rows[i].type), types);
    }
    for (size_t i = 0; i < table->n; i++) {
        put_row(page, &table->rows[i], names, types);
        haft_buffer_finish(&table->rows[i].name);
        haft_buffer_finish(&table->rows[i].type);
    }
    if (table->status)
        page->text.status = table->status;
    free(table->rows);
}

/* The members of an object follow it, prefixed with its name, as they are written in a call. Nested
 * members are added only while the table is short, since a schema may be recursive. */
static void add_properties(struct rows *table, yyjson_val *root, yyjson_val *schema,
                           const char *before, int depth)
{
    yyjson_obj_iter iter = yyjson_obj_iter_with(yyjson_obj_get(schema, "properties"));
    yyjson_val *key;

    while (depth && !table->status && (!*before || table->n < MOST_NESTED) &&
           (key = yyjson_obj_iter_next(&iter))) {
        yyjson_val *property = schema_resolve(root, yyjson_obj_iter_get_val(key));
        struct show_row *row =
            add_row(table, yyjson_obj_get(yyjson_obj_iter_get_val(key), "description"));
        haft_buffer inner;

        if (!row)
            return;
        haft_buffer_puts(&row->name, before);
        haft_buffer_add(&row->name, yyjson_get_str(key), yyjson_get_len(key));
        if (!hf_manifest_requires(schema, yyjson_get_str(key)))
            haft_buffer_puts(&row->name, "?");
        argument_type(root, property, &row->type);
        haft_buffer_init(&inner, NULL, SHOW_LIMIT);
        haft_buffer_printf(&inner, "%s%s.", before, yyjson_get_str(key));
        haft_buffer_add(&inner, "", 1);
        if (!inner.status)
            add_properties(table, root, property, inner.data, depth - 1);
        haft_buffer_finish(&inner);
    }
}

static void show_put_arguments(struct page *page, yyjson_val *schema)
{
    struct rows table = {0};

    add_properties(&table, schema, schema, "", SHOW_MAX_DEPTH);
    put_rows(page, &table);
}

void show_tools(struct page *page, yyjson_val *tools, const char *const *marks)
{
    size_t i, n;
    yyjson_val *tool;

    yyjson_arr_foreach(tools, i, n, tool) {
        yyjson_val *name = yyjson_obj_get(tool, "name");

        put_painted(page, BOLD, yyjson_get_str(name), yyjson_get_len(name));
        put_hints(page, tool);
        if (marks && marks[i])
            haft_buffer_printf(&page->text, " (%s)", marks[i]);
        haft_buffer_puts(&page->text, "\n");
        put_description(page, yyjson_obj_get(tool, "description"));
        show_put_arguments(page, yyjson_obj_get(tool, "inputSchema"));
    }
}

/* ---- prompts and resources ---- */

void show_prompts(struct page *page, yyjson_val *prompts)
{
    size_t i, n, k, m;
    yyjson_val *prompt, *argument;

    yyjson_arr_foreach(prompts, i, n, prompt) {
        yyjson_val *name = yyjson_obj_get(prompt, "name");
        struct rows table = {0};

        put_painted(page, BOLD, yyjson_get_str(name), yyjson_get_len(name));
        haft_buffer_puts(&page->text, "\n");
        put_description(page, yyjson_obj_get(prompt, "description"));
        yyjson_arr_foreach(yyjson_obj_get(prompt, "arguments"), k, m, argument) {
            struct show_row *row = add_row(&table, yyjson_obj_get(argument, "description"));
            yyjson_val *title = yyjson_obj_get(argument, "name");

            if (!row)
                break;
            haft_buffer_add(&row->name, yyjson_get_str(title), yyjson_get_len(title));
            if (!yyjson_get_bool(yyjson_obj_get(argument, "required")))
                haft_buffer_puts(&row->name, "?");
        }
        put_rows(page, &table);
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

bool is_plain_word(const char *text, size_t size)
{
    static const char plain[] =
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_./:@%+,-";
    const char *not_first = strchr(plain, '.');

    if (!size || memchr(not_first, *text, strlen(not_first)))
        return false;
    for (size_t i = 0; i < size; i++)
        if (!memchr(plain, text[i], sizeof plain - 1))
            return false;
    return true;
}

void show_names(struct page *page, yyjson_val *list, const char *member, bool safe)
{
    size_t i, n;
    yyjson_val *one;

    yyjson_arr_foreach(list, i, n, one) {
        yyjson_val *name = yyjson_obj_get(one, member);

        if (safe && !is_plain_word(yyjson_get_str(name), yyjson_get_len(name)))
            continue;
        put_string(page, name);
        haft_buffer_puts(&page->text, "\n");
    }
}
