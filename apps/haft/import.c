/* import.c - the command import: what becomes of a document, before a gateway serves it. */
#include <errno.h>
#include <string.h>

#include "arguments.h"
#include "import/import.h"
#include "json/writer.h"
#include "program.h"
#include "show.h"

enum { IMPORT_ARENA = 1 << 30 };

/* A document and what it has become. */
struct import_view {
    haft_arena *arena;
    struct import *import;
    const char **faults; /* of operations whose schemas cannot be compiled; NULL otherwise */
    size_t n_faults;
};

/* ---- rules ---- */

static const char **import_member(struct import_rule *rule, const char *key, size_t size)
{
    const struct {
        const char *name;
        const char **member;
    } keys[] = {
        {"tag", &rule->tag}, {"path", &rule->path}, {"method", &rule->method}, {"id", &rule->id}};

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strlen(keys[i].name) == size && !memcmp(keys[i].name, key, size))
            return keys[i].member;
    return NULL;
}

/* Reads "-key=glob,key=glob". */
static int import_read_rule(haft_arena *arena, const char *text, struct import_rule *rule)
{
    const char *at = text + (*text == '-');

    rule->exclude = *text == '-';
    do {
        size_t key = strcspn(at, "=,"), size = strcspn(at, ",");
        const char **member = import_member(rule, at, key);

        if (!member || at[key] != '=' || key + 1 == size)
            return complain(EXIT_USAGE,
                            "--select: %s is not KEY=GLOB with tag, path, method or id as the key",
                            text);
        *member = haft_arena_copy(arena, at + key + 1, size - key - 1);
        if (!*member)
            return complain(EXIT_LOCAL, "%s", haft_strerror(HAFT_ENOMEM));
        at += size + (at[size] == ',');
    } while (*at);
    return EXIT_DONE;
}

/* ---- reading ---- */

static int import_read_document(haft_arena *arena, const char *path, haft_value **ret_document)
{
    haft_reason reason = {0};
    haft_buffer text;
    int status;

    haft_buffer_init(&text, NULL, IMPORT_DOCUMENT_MAX);
    status = file_read(path, &text);
    if (status) {
        haft_buffer_finish(&text);
        return complain(EXIT_LOCAL, "cannot read %s: %s", path,
                        status == HAFT_ENOTFOUND ? strerror(errno) : haft_strerror(status));
    }
    *ret_document = hf_import_read(text.size ? text.data : "", text.size, path, arena, &reason);
    haft_buffer_finish(&text);
    return *ret_document ? EXIT_DONE : complain(EXIT_LOCAL, "%s: %s", path, reason.text);
}

static const char *import_compile(const struct import_operation *one, haft_arena *arena)
{
    const struct {
        const char *name, *text;
        size_t size;
    } schemas[] = {{"input", one->input, one->input_size},
                   {"output", one->output, one->output_size}};
    haft_reason reason;

    for (size_t i = 0; i < 2; i++) {
        haft_schema *schema = NULL;

        if (schemas[i].text &&
            hf_import_compile(schemas[i].text, schemas[i].size, NULL, &schema, &reason))
            return haft_arena_printf(arena, "%s: %s: %s", schemas[i].name, reason.path,
                                     reason.text);
        haft_schema_free(schema);
    }
    return NULL;
}

static int import_check(struct import_view *view)
{
    view->faults =
        haft_arena_zalloc(view->arena, view->import->n_operations + 1, sizeof(const char *));
    if (!view->faults)
        return complain(EXIT_LOCAL, "%s", haft_strerror(HAFT_ENOMEM));
    for (size_t i = 0; i < view->import->n_operations; i++) {
        view->faults[i] = import_compile(&view->import->operations[i], view->arena);
        view->n_faults += !!view->faults[i];
    }
    return EXIT_DONE;
}

/* ---- printing ---- */

static void import_put_hint(struct json_writer *w, const char *name, haft_hint hint)
{
    if (hint != HAFT_UNSET)
        hf_json_bool(hf_json_name(w, name, strlen(name)), hint == HAFT_YES);
}

/* A tool as clients see it. */
static void import_put_tool(struct json_writer *w, const struct import_operation *one)
{
    hf_json_text(json_key(w, "name"), one->name);
    json_text_member(w, "title", one->title);
    json_text_member(w, "description", one->description);
    hf_json_raw(json_key(w, "inputSchema"), one->input, one->input_size);
    if (one->output)
        hf_json_raw(json_key(w, "outputSchema"), one->output, one->output_size);
    hf_json_begin_object(json_key(w, "annotations"));
    json_text_member(w, "title", one->annotations.title);
    import_put_hint(w, "readOnlyHint", one->annotations.read_only);
    import_put_hint(w, "destructiveHint", one->annotations.destructive);
    import_put_hint(w, "idempotentHint", one->annotations.idempotent);
    import_put_hint(w, "openWorldHint", one->annotations.open_world);
    hf_json_end_object(w);
}

static size_t import_tool_size(const struct import_operation *one)
{
    struct json_writer w;
    haft_buffer text;
    size_t size;

    haft_buffer_init(&text, NULL, SHOW_LIMIT);
    w = (struct json_writer){.out = &text};
    hf_json_begin_object(&w);
    import_put_tool(&w, one);
    hf_json_end_object(&w);
    size = text.size;
    haft_buffer_finish(&text);
    return size;
}

static void import_put_refusal(struct json_writer *w, const char *place, const char *id,
                               const char *reason, bool selected)
{
    hf_json_begin_object(w);
    hf_json_text(json_key(w, "operation"), place);
    json_text_member(w, "id", id);
    hf_json_text(json_key(w, "reason"), reason);
    hf_json_bool(json_key(w, "selected"), selected);
    hf_json_end_object(w);
}

static const char *import_place(const struct import_view *view, const struct import_operation *one)
{
    const char *place = haft_arena_printf(view->arena, "%s %s", one->method, one->path);

    return place ? place : one->path;
}

static void import_put_json(const struct import_view *view, struct page *page)
{
    const struct import *import = view->import;
    struct json_writer w = {.out = &page->text};

    hf_json_begin_object(&w);
    hf_json_text(json_key(&w, "version"), import->version);
    json_text_member(&w, "title", import->title);
    json_text_member(&w, "server", import->server);
    hf_json_unsigned(json_key(&w, "operations"), import->n_found);
    hf_json_begin_array(json_key(&w, "tools"));
    for (size_t i = 0; i < import->n_operations; i++) {
        if (view->faults[i])
            continue;
        hf_json_begin_object(&w);
        import_put_tool(&w, &import->operations[i]);
        hf_json_text(json_key(&w, "operation"), import_place(view, &import->operations[i]));
        json_text_member(&w, "note", import->operations[i].note);
        hf_json_end_object(&w);
    }
    hf_json_end_array(&w);
    hf_json_begin_array(json_key(&w, "refused"));
    for (size_t i = 0; i < import->n_operations; i++)
        if (view->faults[i])
            import_put_refusal(&w, import_place(view, &import->operations[i]),
                               import->operations[i].id, view->faults[i], true);
    for (size_t i = 0; i < import->n_refusals; i++)
        import_put_refusal(&w, import->refusals[i].place, import->refusals[i].id,
                           import->refusals[i].reason, import->refusals[i].selected);
    hf_json_end_array(&w);
    hf_json_end_object(&w);
    haft_buffer_puts(&page->text, "\n");
}

static void import_put_line(struct page *page, const char *place, const char *reason)
{
    haft_buffer_puts(&page->text, "  ");
    page_line(page, place, strlen(place));
    haft_buffer_puts(&page->text, ": ");
    page_line(page, reason, strlen(reason));
    haft_buffer_puts(&page->text, "\n");
}

/* The tools, and the bytes of all of them. */
static size_t import_put_tools(const struct import_view *view, struct page *page)
{
    const struct import *import = view->import;
    size_t width = 4, total = 0;

    for (size_t i = 0; i < import->n_operations; i++) {
        size_t size = strlen(import->operations[i].name);

        width = size > width ? size : width;
    }
    if (import->n_operations)
        haft_buffer_printf(&page->text, "%-*s  %8s  OPERATION\n", (int)width, "TOOL", "BYTES");
    for (size_t i = 0; i < import->n_operations; i++) {
        const struct import_operation *one = &import->operations[i];
        const char *place = import_place(view, one);
        size_t size = import_tool_size(one);

        if (view->faults[i])
            continue;
        total += size;
        haft_buffer_printf(&page->text, "%-*s  %8zu  ", (int)width, one->name, size);
        page_line(page, place, strlen(place));
        if (one->note)
            haft_buffer_printf(&page->text, " (%s)", one->note);
        haft_buffer_puts(&page->text, "\n");
    }
    return total;
}

/* Refusals, or what the selection leaves out; returns their number. */
static size_t import_put_refusals(const struct import_view *view, struct page *page, bool selected)
{
    const struct import *import = view->import;
    size_t n = 0;

    for (size_t i = 0; i < import->n_refusals; i++) {
        if (import->refusals[i].selected != selected)
            continue;
        if (!n++)
            haft_buffer_puts(&page->text, selected ? "\nRefused:\n" : "\nLeft out:\n");
        import_put_line(page, import->refusals[i].place, import->refusals[i].reason);
    }
    return n;
}

static void import_put_text(const struct import_view *view, struct page *page)
{
    const struct import *import = view->import;
    size_t bytes = import_put_tools(view, page), refused, left_out;

    if (view->n_faults)
        haft_buffer_puts(&page->text, "\nSchemas that cannot be compiled:\n");
    for (size_t i = 0; i < import->n_operations; i++)
        if (view->faults[i])
            import_put_line(page, import_place(view, &import->operations[i]), view->faults[i]);
    refused = import_put_refusals(view, page, true);
    left_out = import_put_refusals(view, page, false);
    haft_buffer_printf(&page->text,
                       "%s%zu operation%s: %zu tool%s of %zu bytes, %zu refused, %zu left out\n",
                       import->n_found ? "\n" : "", import->n_found,
                       import->n_found == 1 ? "" : "s", import->n_operations - view->n_faults,
                       import->n_operations - view->n_faults == 1 ? "" : "s", bytes,
                       refused + view->n_faults, left_out);
}

/* ---- the command ---- */

static int import_show(const struct invocation *call, struct import_view *view, const char *path)
{
    struct import_rule rules[PROGRAM_MAX_RULES] = {{0}};
    struct import_options options = {.prefix = call->import.prefix,
                                     .read_only = call->import.read_only,
                                     .rules = rules,
                                     .n_rules = call->import.n_rules};
    haft_value *document = NULL;
    haft_reason reason = {0};
    struct page page;
    int status = EXIT_DONE;

    for (size_t i = 0; i < options.n_rules && !status; i++)
        status = import_read_rule(view->arena, call->import.rules[i], &rules[i]);
    if (!status)
        status = import_read_document(view->arena, path, &document);
    if (!status && hf_import_document(document, &options, &view->import, &reason))
        status = complain(EXIT_LOCAL, "%s: %s", path, reason.text);
    if (!status)
        status = import_check(view);
    if (status)
        return status;
    page_init(&page);
    if (call->json)
        import_put_json(view, &page);
    else
        import_put_text(view, &page);
    return page_print(&page);
}

int act_import(struct invocation *call)
{
    const char *kind = call->n_operands ? call->operands[0] : "";
    struct import_view view = {0};
    int status;

    if (strcmp(kind, "openapi"))
        return complain(EXIT_USAGE, "import needs openapi and a file%s%s", *kind ? ", not " : "",
                        kind);
    if (call->n_operands < 2)
        return complain(EXIT_USAGE, "import openapi needs a file");
    if (call->n_operands > 2 || call->child)
        return complain(EXIT_USAGE, "unexpected argument %s for import openapi",
                        call->child ? "--" : call->operands[2]);
    view.arena = haft_arena_new(NULL, IMPORT_ARENA);
    if (!view.arena)
        return complain(EXIT_LOCAL, "%s", haft_strerror(HAFT_ENOMEM));
    status = import_show(call, &view, call->operands[1]);
    hf_import_free(view.import);
    haft_arena_free(view.arena);
    return status;
}
