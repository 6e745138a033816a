/* openapi.c - makes the tools of an HTTP upstream. */
#include "upstream/openapi.h"

#include <stdio.h>
#include <yyjson.h>

enum { OPENAPI_LOGGED = 20, OPENAPI_GRACE_MS = 1000 };

/* ---- documents ---- */

static int openapi_read(struct http_upstream *http, haft_value **ret_document,
                        haft_reason *reterr_reason)
{
    haft_value *given = http->options->openapi;
    haft_reason reason = {0};
    struct text text;
    int status;

    *ret_document = given;
    if (yyjson_is_obj(given))
        return 0;
    if (!yyjson_is_str(given))
        return hf_error_set(reterr_reason, HAFT_EINVAL, "openapi",
                            "must be the name of a file, or a document");
    status = hf_upstream_read(http->upstream, yyjson_get_str(given), IMPORT_DOCUMENT_MAX, &text,
                              &reason);
    if (!status) {
        *ret_document = hf_import_read(text.data, text.size, yyjson_get_str(given),
                                       http->upstream->arena, &reason);
        status = *ret_document ? 0 : reason.code;
    }
    if (status)
        hf_error_set(reterr_reason, status, "openapi", "%.200s: %s", yyjson_get_str(given),
                     reason.text);
    return status;
}

static haft_hint openapi_hint(bool has, bool value)
{
    return !has ? HAFT_UNSET : value ? HAFT_YES : HAFT_NO;
}

static struct import_change *openapi_changes(const struct http_upstream *http)
{
    const http_entry *options = http->options;
    size_t n = options->has_changes ? options->n_changes : 0;
    struct import_change *changes =
        haft_arena_zalloc(http->upstream->arena, n + 1, sizeof *changes);

    for (size_t i = 0; changes && i < n; i++) {
        const http_change_entry *entry = &options->changes[i];

        changes[i] = (struct import_change){
            .operation = options->changes_keys[i],
            .name = entry->has_name ? entry->name : NULL,
            .title = entry->has_title ? entry->title : NULL,
            .description = entry->has_description ? entry->description : NULL,
            .annotations = {.read_only = openapi_hint(entry->has_read_only, entry->read_only),
                            .destructive = openapi_hint(entry->has_destructive, entry->destructive),
                            .idempotent = openapi_hint(entry->has_idempotent, entry->idempotent)},
            .arguments = entry->has_arguments ? entry->arguments : NULL,
            .task = upstream_task_mode(entry->has_task, entry->task)};
    }
    return changes;
}

static struct import_rule *openapi_rules(const struct http_upstream *http)
{
    const http_entry *options = http->options;
    size_t n = options->has_select ? options->n_select : 0;
    struct import_rule *rules = haft_arena_zalloc(http->upstream->arena, n + 1, sizeof *rules);

    for (size_t i = 0; rules && i < n; i++) {
        const http_rule_entry *entry = &options->select[i];

        rules[i] = (struct import_rule){.tag = entry->has_tag ? entry->tag : NULL,
                                        .path = entry->has_path ? entry->path : NULL,
                                        .method = entry->has_method ? entry->method : NULL,
                                        .id = entry->has_id ? entry->id : NULL,
                                        .exclude = entry->exclude};
    }
    return rules;
}

static int openapi_import(struct http_upstream *http, haft_value *document,
                          const struct import_options *options, haft_reason *reterr_reason)
{
    struct import *import = NULL;
    int status = hf_import_document(document, options, &import, reterr_reason);

    if (!status)
        http->imports[http->n_imports++] = import;
    return status;
}

static int openapi_import_document(struct http_upstream *http, haft_reason *reterr_reason)
{
    const http_entry *options = http->options;
    struct import_options settings = {.allocator = http->upstream->set->allocator,
                                      .prefix = http->upstream->prefix,
                                      .rules = openapi_rules(http),
                                      .n_rules = options->has_select ? options->n_select : 0,
                                      .changes = openapi_changes(http),
                                      .n_changes = options->has_changes ? options->n_changes : 0,
                                      .read_only = options->read_only};
    haft_reason reason = {0};
    haft_value *document;
    int status;

    if (!settings.rules || !settings.changes)
        return HAFT_ENOMEM;
    status = openapi_read(http, &document, reterr_reason);
    if (status)
        return status;
    status = openapi_import(http, document, &settings, &reason);
    if (status)
        return hf_error_set(reterr_reason, status, "openapi", "%s%s%s", reason.path,
                            *reason.path ? ": " : "", reason.text);
    http->server = http->imports[0]->server;
    return 0;
}

/* One import for each, so that several may have the same method and path. */
static int openapi_import_entry(struct http_upstream *http, size_t i, haft_reason *reterr_reason)
{
    const http_tool_entry *entry = &http->options->tools[i];
    const char *name = http->options->tools_keys[i];
    struct import_change change = {
        .operation = name,
        .annotations = {.read_only = openapi_hint(entry->has_read_only, entry->read_only)},
        .task = upstream_task_mode(entry->has_task, entry->task)};
    struct import_options settings = {.allocator = http->upstream->set->allocator,
                                      .prefix = http->upstream->prefix,
                                      .changes = &change,
                                      .n_changes = 1};
    haft_reason reason = {0};
    haft_value *document = hf_openapi_document(http->upstream, name, entry, &reason);
    int status = document ? openapi_import(http, document, &settings, &reason) : reason.code;
    const struct import *import = status ? NULL : http->imports[http->n_imports - 1];

    if (import && import->n_refusals)
        status = hf_error_set(&reason, HAFT_EINVAL, "", "%s", import->refusals[0].reason);
    if (status)
        hf_error_set(reterr_reason, status, "tools", "%.100s: %s%s%s", name, reason.path,
                     *reason.path ? ": " : "", reason.text);
    return status;
}

/* ---- credentials ---- */

/* Credentials of schemes that have been looked up, so that each has one token. */
struct openapi_known {
    struct openapi_known *next;
    const struct import_scheme *scheme;
    struct http_credential *credential; /* NULL if the configuration has none */
};

struct openapi_making {
    struct http_upstream *http;
    struct openapi_known *known;
    const char *missing; /* a scheme without credentials that an operation needs */
    size_t n_missing;    /* such operations */
    size_t n_logged;
};

static int openapi_credential(struct openapi_making *making, const struct import_scheme *scheme,
                              struct http_credential **ret_credential, haft_reason *reterr_reason)
{
    struct openapi_known *known = making->known;
    int status;

    while (known && known->scheme != scheme)
        known = known->next;
    if (known) {
        *ret_credential = known->credential;
        return 0;
    }
    known = haft_arena_zalloc(making->http->upstream->arena, 1, sizeof *known);
    if (!known)
        return HAFT_ENOMEM;
    status = hf_http_credential_of(making->http, scheme, &known->credential, reterr_reason);
    known->scheme = scheme;
    known->next = making->known;
    making->known = known;
    *ret_credential = known->credential;
    return status;
}

/* Takes the credentials of a requirement; 1 if the configuration has them all. */
static int openapi_require(struct openapi_making *making, struct http_tool *tool,
                           const struct import_requirement *requirement, haft_reason *reterr_reason)
{
    const struct http_credential **list =
        haft_arena_zalloc(making->http->upstream->arena, requirement->n + 1, sizeof *list);

    if (!list)
        return HAFT_ENOMEM;
    for (size_t i = 0; i < requirement->n; i++) {
        struct http_credential *credential = NULL;
        int status =
            openapi_credential(making, requirement->schemes[i], &credential, reterr_reason);

        if (status)
            return status;
        if (!credential) {
            if (!making->missing)
                making->missing = requirement->schemes[i]->name;
            return 0;
        }
        list[i] = credential;
    }
    tool->credentials = list;
    tool->n_credentials = requirement->n;
    return 1;
}

/* The first alternative with credentials; an operation without any is offered, since `auth` may suffice. */
static int openapi_authorize(struct openapi_making *making, struct http_tool *tool,
                             haft_reason *reterr_reason)
{
    const struct import_operation *operation = tool->operation;

    for (size_t i = 0; i < operation->n_requirements; i++) {
        int status = openapi_require(making, tool, &operation->requirements[i], reterr_reason);

        if (status)
            return status < 0 ? status : 0;
    }
    making->n_missing += operation->n_requirements && !making->http->n_credentials;
    return 0;
}

/* ---- tools ---- */

static void openapi_left_out(struct openapi_making *making, const char *place, const char *why)
{
    if (making->n_logged++ < OPENAPI_LOGGED)
        hf_server_log(making->http->upstream->set->server, HAFT_WARNING,
                      "upstream %s: %s is left out: %s", making->http->upstream->name, place, why);
}

/* Whether requests of the operation go to the base URL: those to another server of the document do not. */
static bool openapi_is_here(const struct http_upstream *http, const struct import *import,
                            const struct import_operation *operation)
{
    const char *bases[] = {http->options->has_url ? http->options->url : NULL, import->server};
    struct web_url own, base;

    if (!operation->server)
        return true;
    if (hf_web_url_read(operation->server, &own))
        return *operation->server == '/';
    for (size_t i = 0; i < sizeof bases / sizeof *bases; i++)
        if (bases[i] && !hf_web_url_read(bases[i], &base) && hf_web_url_same_origin(&own, &base))
            return true;
    return false;
}

static void openapi_define(struct http_tool *tool)
{
    const struct import_operation *operation = tool->operation;

    unsigned limit = (unsigned)tool->http->options->timeouts.total_ms + OPENAPI_GRACE_MS;

    tool->tool = (haft_tool)HAFT_INIT(
        haft_tool, .name = operation->name, .title = operation->title,
        .description = operation->description, .annotations = operation->annotations,
        .input_schema = tool->input, .output_schema = tool->output, .call = hf_openapi_call,
        .data = tool, .quick = true, .timeout_ms = limit, .task = operation->task,
        .task_timeout_ms = limit);
}

/* Returns 1 if it was made, 0 if it is left out, or an error. */
static int openapi_make_tool(struct openapi_making *making, const struct import *import,
                             const struct import_operation *operation, struct http_tool *tool,
                             haft_reason *reterr_reason)
{
    struct http_upstream *http = making->http;
    const haft_allocator *allocator = http->upstream->set->allocator;
    haft_reason reason = {0};
    char place[256];
    int status;

    snprintf(place, sizeof place, "%s %s", operation->method, operation->path);
    *tool = (struct http_tool){.operation = operation, .http = http};
    if (!openapi_is_here(http, import, operation)) {
        openapi_left_out(making, place, "it is for another server");
        return 0;
    }
    status = hf_import_compile(operation->input, operation->input_size, allocator, &tool->input,
                               &reason);
    if (!status && operation->output && !http->options->lenient)
        status = hf_import_compile(operation->output, operation->output_size, allocator,
                                   &tool->output, &reason);
    if (status) {
        haft_schema_free(tool->input);
        tool->input = NULL;
        if (status != HAFT_ENOMEM)
            openapi_left_out(making, place, reason.text);
        return status == HAFT_ENOMEM ? status : 0;
    }
    openapi_define(tool);
    http->n_tools++; /* from now on it is freed with the others */
    status = openapi_authorize(making, tool, reterr_reason);
    return status ? status : 1;
}

static int openapi_make_tools(struct openapi_making *making, const struct import *import,
                              haft_reason *reterr_reason)
{
    struct http_upstream *http = making->http;
    int status = 0;

    for (size_t i = 0; i < import->n_refusals; i++)
        if (import->refusals[i].selected)
            openapi_left_out(making, import->refusals[i].place, import->refusals[i].reason);
    for (size_t i = 0; i < import->n_operations && status >= 0; i++)
        status = openapi_make_tool(making, import, &import->operations[i],
                                   &http->tools[http->n_tools], reterr_reason);
    return status < 0 ? status : 0;
}

static void openapi_log(const struct openapi_making *making)
{
    const struct upstream *upstream = making->http->upstream;

    if (making->n_logged > OPENAPI_LOGGED)
        hf_server_log(upstream->set->server, HAFT_WARNING,
                      "upstream %s: %zu further operations are left out", upstream->name,
                      making->n_logged - OPENAPI_LOGGED);
    if (making->n_missing)
        hf_server_log(upstream->set->server, HAFT_NOTICE,
                      "upstream %s: %zu operations require credentials that are not configured, "
                      "such as %s",
                      upstream->name, making->n_missing, making->missing);
}

static int openapi_import_all(struct http_upstream *http, haft_reason *reterr_reason)
{
    const http_entry *options = http->options;
    size_t n = options->has_tools ? options->n_tools : 0;
    int status = 0;

    http->imports = haft_arena_zalloc(http->upstream->arena, n + 1, sizeof *http->imports);
    if (!http->imports)
        return HAFT_ENOMEM;
    if (options->has_openapi)
        status = openapi_import_document(http, reterr_reason);
    for (size_t i = 0; i < n && !status; i++)
        status = openapi_import_entry(http, i, reterr_reason);
    return status;
}

int hf_http_tools_make(struct http_upstream *http, haft_reason *reterr_reason)
{
    struct openapi_making making = {.http = http};
    int status = openapi_import_all(http, reterr_reason);
    size_t most = 0;

    for (size_t i = 0; i < http->n_imports; i++)
        most += http->imports[i]->n_operations;
    if (status)
        return status;
    http->tools = haft_arena_zalloc(http->upstream->arena, most + 1, sizeof *http->tools);
    if (!http->tools)
        return HAFT_ENOMEM;
    for (size_t i = 0; i < http->n_imports && !status; i++)
        status = openapi_make_tools(&making, http->imports[i], reterr_reason);
    if (!status)
        openapi_log(&making);
    return status;
}

void hf_http_tools_free(struct http_upstream *http)
{
    for (size_t i = 0; i < http->n_tools; i++) {
        haft_schema_free(http->tools[i].input);
        haft_schema_free(http->tools[i].output);
    }
    for (size_t i = 0; i < http->n_imports; i++)
        hf_import_free(http->imports[i]);
}

/* ---- items ---- */

/* The name of a tool without the prefix. */
static const char *openapi_own_name(const struct upstream *upstream, const char *name)
{
    size_t size = upstream->prefix ? strlen(upstream->prefix) : 0;

    return size && !strncmp(name, upstream->prefix, size) && !strncmp(name + size, "__", 2)
               ? name + size + 2
               : name;
}

int hf_http_tools_items(struct upstream *upstream, haft_server *server,
                        struct upstream_items *items, haft_reason *reterr_reason)
{
    const struct http_upstream *http = upstream->data;
    struct item *item;

    for (size_t i = 0; i < http->n_tools; i++) {
        const haft_tool *tool = &http->tools[i].tool;
        int status;

        /* The end of a name, which a pattern may be about, is lost in one that has been cut. */
        if (!hf_upstream_offers_either(upstream, openapi_own_name(upstream, tool->name),
                                       http->tools[i].operation->own_name))
            continue;
        status = hf_tool_item(server, tool, &upstream->module, &item);
        if (!status)
            status = hf_upstream_items_add(items, item);
        if (status == HAFT_ENOMEM)
            return hf_error_set(reterr_reason, status, tool->name, "%s", haft_strerror(status));
        if (status) /* it has been reported */
            hf_server_log(upstream->set->server, HAFT_WARNING, "upstream %s: %s is left out",
                          upstream->name, tool->name);
    }
    return 0;
}
