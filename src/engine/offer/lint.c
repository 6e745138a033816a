/* lint.c - checks for compatibility with clients when a tool is added.
 *
 * Names that the protocol forbids are rejected. Other problems known to break a client cause a
 * warning with the tool and the path, because they are legal and work with some clients. */
#include <string.h>

#include "engine/offer/lint.h"
#include "engine/offer/server.h"

enum {
    SAFE_NAME = 64,
    SHORT_NAME = 60,
    LINT_LONGEST_NAME = 128,
    LONG_TEXT = 2048,
    MAX_LINT_DEPTH = 32
};

static bool lint_is_name_character(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c && strchr("_.-", c));
}

int hf_lint_name(haft_server *server, haft_offer kind, const char *name)
{
    size_t size = name ? strlen(name) : 0;

    if (!size)
        return hf_server_refuse(server, HAFT_EINVAL, "", "a name must not be empty");
    if (haft_utf8_valid(name, size) != size)
        return hf_server_refuse(server, HAFT_EUTF8, "", "a name must be valid UTF-8");
    if (kind != HAFT_OFFER_TOOL)
        return 0;
    if (size > LINT_LONGEST_NAME)
        return hf_server_refuse(server, HAFT_EINVAL, name, "the name is longer than %d characters",
                                LINT_LONGEST_NAME);
    for (size_t i = 0; i < size; i++)
        if (!lint_is_name_character(name[i]))
            return hf_server_refuse(server, HAFT_EINVAL, name,
                                    "a name may contain only letters, digits, '_', '-' and '.'");
    if (size > SAFE_NAME)
        hf_server_log(server, HAFT_WARNING, "%s: some clients reject names over %d characters",
                      name, SAFE_NAME);
    else if (size > SHORT_NAME)
        hf_server_log(
            server, HAFT_WARNING,
            "%s: with the server's name as a prefix it exceeds %d characters; some clients drop such tools",
            name, SHORT_NAME);
    return 0;
}

struct lint {
    haft_server *server;
    const char *tool;
    const char *what; /* "input" or "output" */
    haft_arena *arena;
    haft_level level; /* of warnings */
};

/* The path of a property; NULL for the root. */
struct lint_place {
    const struct lint_place *above;
    const char *name;
};

/* "items.name" with a prefix, unless it is the root; created only for a message. */
static const char *path_of(const struct lint *lint, const char *before,
                           const struct lint_place *place)
{
    const char *path = place ? place->name : "";

    for (const struct lint_place *at = place; path && at && at->above; at = at->above)
        path = haft_arena_printf(lint->arena, "%s.%s", at->above->name, path);
    if (path && place)
        path = haft_arena_printf(lint->arena, "%s%s", before, path);
    return path ? path : "";
}

static void warn(const struct lint *lint, const struct lint_place *place, const char *text)
{
    hf_server_log(lint->server, lint->level, "%s: %s%s: %s", lint->tool, lint->what,
                  path_of(lint, ".", place), text);
}

/* The first character that is invisible to people but not to a model; 0 if there is none. */
static uint32_t hidden_character(const char *text)
{
    /* Invalid UTF-8 is rejected elsewhere. */
    if (!text || haft_utf8_valid(text, strlen(text)) != strlen(text))
        return 0;
    while (*text) {
        uint32_t c = hf_utf8_next(&text);

        if (c != '\t' && c != '\n' && c != '\r' && hf_character_is_hidden(c))
            return c;
    }
    return 0;
}

static void lint_description(const struct lint *lint, const struct lint_place *place,
                             const char *text)
{
    uint32_t hidden = hidden_character(text);

    if (hidden)
        hf_server_log(
            lint->server, HAFT_WARNING,
            "%s: %s%sthe description contains U+%04X, which models read but people cannot see",
            lint->tool, path_of(lint, "", place), place ? ": " : "", (unsigned)hidden);
}

static bool has_rule(const struct node *node, unsigned low, unsigned high)
{
    for (size_t i = 0; i < node->n_rules; i++)
        if (node->rules[i].op >= low && node->rules[i].op <= high)
            return true;
    return false;
}

/* For documents; in declared and built schemas this is an error on creation. */
static void lint_checks(const struct lint *lint, const struct node *node,
                        const struct lint_place *place)
{
    if (hf_node_bounds_cross(node))
        warn(lint, place, BOUNDS_CROSS);
}

static void lint_node(const struct lint *lint, const struct node *node,
                      const struct lint_place *place, size_t depth)
{
    if (depth > MAX_LINT_DEPTH)
        return;
    lint_checks(lint, node, place);
    if (node->types == TYPE_ARRAY &&
        (!node->array || (!node->array->items && !node->array->n_prefix)))
        warn(lint, place, "some clients drop an array without items");
    if (node->types == TYPE_ARRAY && node->array && node->array->items &&
        node->array->items->types == TYPE_ANY && !node->array->items->n_rules &&
        !node->array->items->values)
        warn(lint, place, "some clients reject items without a type");
    for (size_t i = 0; node->object && i < node->object->n_properties; i++) {
        const struct property *property = &node->object->properties[i];
        struct lint_place here = {place, property->name};

        if (lint->what[0] == 'i' && !(property->node->meta && property->node->meta->description))
            warn(lint, &here, "no description: it is the only documentation that a model sees");
        else if (property->node->meta)
            lint_description(lint, &here, property->node->meta->description);
        if (!property->node->recursive && !(property->node->as && property->node->as->recursive))
            lint_node(lint, property->node, &here, depth + 1);
    }
    if (node->array && node->array->items && !node->array->items->recursive &&
        !(node->array->items->as && node->array->items->as->recursive))
        lint_node(lint, node->array->items, place, depth + 1);
}

/* Headers so far, by property. */
struct headers {
    haft_arena *arena;
    size_t n;
    struct header {
        const char *name;
        struct header *next;
    } * first;
};

static int lint_header(haft_server *server, const struct item *item,
                       const struct property *property, struct headers *headers)
{
    const char *header = property->header;
    struct header *one = headers->first;

    if (!*header || strspn(header, "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz"
                                   "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != strlen(header))
        return hf_server_refuse(server, HAFT_EINVAL, item->name,
                                "%s: \"%s\" is not a valid header name", property->name, header);
    if (property->node->types & ~(unsigned)(TYPE_STRING | TYPE_INTEGER | TYPE_BOOLEAN))
        return hf_server_refuse(server, HAFT_EINVAL, item->name,
                                "%s: only strings, integers and booleans can be headers",
                                property->name);
    while (one && !hf_text_same_ignoring_case(one->name, header))
        one = one->next;
    if (one)
        return hf_server_refuse(server, HAFT_EINVAL, item->name,
                                "%s: the header \"%s\" is used twice", property->name, header);
    one = haft_arena_alloc(headers->arena, sizeof *one);
    if (!one)
        return hf_server_refuse(server, HAFT_ENOMEM, item->name, "out of memory");
    *one = (struct header){header, headers->first};
    headers->first = one;
    headers->n++;
    return 0;
}

/* Checks properties that are also headers, at any depth: they must be scalars, with distinct
 * headers. */
static int lint_headers(haft_server *server, const struct item *item, const struct node *node,
                        struct headers *headers, size_t depth)
{
    const struct object *object = depth <= MAX_LINT_DEPTH ? node->object : NULL;
    int status = 0;

    for (size_t i = 0; object && i < object->n_properties && !status; i++) {
        const struct property *property = &object->properties[i];

        if (property->header && depth >= MAX_HEADER_DEPTH)
            status = hf_server_refuse(server, HAFT_EINVAL, item->name,
                                      "%s: it is nested too deeply to be a header", property->name);
        else if (property->header)
            status = lint_header(server, item, property, headers);
        else if (!property->node->recursive &&
                 !(property->node->as && property->node->as->recursive))
            status = lint_headers(server, item, property->node, headers, depth + 1);
    }
    return status;
}

/* Counts the headers in a schema that is not a document. */
static int count_headers(haft_server *server, const haft_schema *schema, size_t *ret_n)
{
    static const char key[] = "\"x-mcp-header\":\"";
    haft_buffer text;
    int status;

    *ret_n = 0;
    if (!schema->headers)
        return 0;
    haft_buffer_init(&text, server->allocator, server->options.max_message);
    status = haft_schema_emit(schema, NULL, &text);
    haft_buffer_add(&text, "", 1);
    if (!status)
        status = text.status;
    for (const char *at = status ? NULL : strstr(text.data, key); at; at = strstr(at + 1, key))
        ++*ret_n;
    haft_buffer_finish(&text);
    return status;
}

/* A header must belong to a property reached through properties only: a property in a list or in an
 * alternative has no fixed place among the arguments. */
static int lint_strays(haft_server *server, const struct item *item, size_t n_placed)
{
    const char *stray = item->input->stray_header;
    size_t n = n_placed;
    int status = item->input->document ? 0 : count_headers(server, item->input, &n);

    if (status)
        return hf_server_refuse(server, status, item->name, "input: %s", haft_strerror(status));
    if (!stray && n == n_placed)
        return 0;
    return hf_server_refuse(server, HAFT_EINVAL, item->name,
                            "%s%sonly properties of objects can be headers", stray ? stray : "",
                            stray ? ": " : "");
}

int hf_lint_tool(haft_server *server, const struct item *item)
{
    haft_arena *arena = haft_arena_new(server->allocator, 1 << 20);
    /* Nobody here can change the definitions of other servers, which may be thousands. */
    haft_level level = item->module && item->module->foreign ? HAFT_DEBUG : HAFT_WARNING;
    struct lint lint = {server, item->name, "input", arena, level};
    struct headers headers = {.arena = arena};
    const char *describe = item->tool->description;
    int status = 0;

    if (!arena)
        return hf_server_refuse(server, HAFT_ENOMEM, item->name, "out of memory");
    if (!describe || !*describe)
        hf_server_log(server, level, "%s: no description: a model cannot tell what it is for",
                      item->name);
    else if (strlen(describe) > LONG_TEXT)
        hf_server_log(server, level, "%s: some clients cut the description at %d characters",
                      item->name, LONG_TEXT);
    lint_description(&lint, NULL, describe);
    if (item->input) {
        const struct node *root = item->input->root;

        if (!(root->types & TYPE_OBJECT) && !has_rule(root, RULE_REF, RULE_DYNAMIC_REF))
            status = hf_server_refuse(
                server, HAFT_ESCHEMA, item->name,
                "input: the schema must accept objects, because arguments are always an object");
        else if (has_rule(root, RULE_ALL, RULE_DISCRIMINATED))
            warn(&lint, NULL, "some clients reject allOf, anyOf and oneOf at the root");
        if (!status) {
            lint_node(&lint, root, NULL, 0);
            status = lint_headers(server, item, root, &headers, 0);
            if (!status)
                status = lint_strays(server, item, headers.n);
        }
    }
    lint.what = "output";
    if (item->output && !status)
        lint_node(&lint, item->output->root, NULL, 0);
    haft_arena_free(arena);
    return status;
}
