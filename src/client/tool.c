/* tool.c - what is known of the server's tools: the headers that repeat their arguments, and their
 * schemas, which are compiled when they are first used.
 *
 * The schemas are the server's: they are compiled with limits, and a call that cannot be checked as
 * the program wants it fails. */
#include "client/client.h"

#include <stdio.h>
#include <string.h>

#include "client/mirror.h"

enum { TOOL_SUBSCHEMAS = 5000, TOOL_MEMORY = 16 << 20, TOOL_STEPS = 1000000, TOOL_ISSUES = 4 };

struct tool {
    yyjson_val *name, *value;
    haft_schema *in, *out; /* NULL before they are used */
};

struct tools {
    struct document *document;
    size_t size; /* of this struct */
    size_t n, buckets;
    unsigned *index; /* of the tools, from 1, by the hash of their names */
    struct tool tools[];
};

/* Whether the client decides which calls become tasks, and the server supports them. */
static bool tool_has_tasks(const haft_client *client)
{
    yyjson_val *tasks = yyjson_obj_get(client->negotiation.capabilities, "tasks");

    return hf_revision_rows[client->revision].tasks == TASKS_EXPERIMENTAL &&
           !client->options.no_tasks &&
           yyjson_obj_get(yyjson_obj_get(yyjson_obj_get(tasks, "requests"), "tools"), "call");
}

bool hf_tool_matters(const haft_client *client)
{
    return (client_has_headers(client) && client_is_modern(client)) ||
           client->options.check_arguments || client->options.check_results ||
           tool_has_tasks(client);
}

const char *hf_tool_fault(const haft_client *client, yyjson_val *tool)
{
    return client_has_headers(client) && client_is_modern(client)
               ? hf_mirror_fault(yyjson_obj_get(tool, "inputSchema"))
               : NULL;
}

/* ---- the table ---- */

static size_t tool_bucket(const struct tools *tools, const char *name, size_t size)
{
    return (size_t)hf_hash_bytes(name, size) & (tools->buckets - 1);
}

static struct tool *tool_find(struct tools *tools, yyjson_val *name)
{
    const char *text = yyjson_get_str(name);
    size_t size = yyjson_get_len(name), at;

    if (!tools || !text)
        return NULL;
    for (at = tool_bucket(tools, text, size); tools->index[at];
         at = (at + 1) & (tools->buckets - 1))
        if (yyjson_equals_strn(tools->tools[tools->index[at] - 1].name, text, size))
            return &tools->tools[tools->index[at] - 1];
    return NULL;
}

static void tool_add(struct tools *tools, yyjson_val *value)
{
    yyjson_val *name = yyjson_obj_get(value, "name");
    size_t at = tool_bucket(tools, yyjson_get_str(name), yyjson_get_len(name));

    if (tool_find(tools, name))
        return; /* the first of a name */
    while (tools->index[at])
        at = (at + 1) & (tools->buckets - 1);
    tools->tools[tools->n] = (struct tool){.name = name, .value = value};
    tools->index[at] = (unsigned)++tools->n;
}

int hf_tools_learn(haft_client *client, struct document *document, yyjson_val *list)
{
    const haft_allocator *allocator = client->allocator;
    size_t n = yyjson_arr_size(list), buckets = 16, i, max, size;
    struct tools *tools;
    yyjson_val *one;

    hf_tools_forget(client);
    if (!hf_tool_matters(client))
        return 0;
    while (buckets < n * 2)
        buckets *= 2;
    size = sizeof *tools + n * sizeof *tools->tools + buckets * sizeof *tools->index;
    tools = allocator->alloc(allocator->context, size);
    if (!tools)
        return HAFT_ENOMEM;
    memset(tools, 0, size);
    tools->size = size;
    tools->buckets = buckets;
    tools->index = (unsigned *)(void *)(tools->tools + n);
    tools->document = hf_document_keep(document);
    yyjson_arr_foreach(list, i, max, one)
        tool_add(tools, one);
    client->lists.tools = tools;
    return 0;
}

void hf_tools_forget(haft_client *client)
{
    struct tools *tools = client->lists.tools;

    if (!tools)
        return;
    for (size_t i = 0; i < tools->n; i++) {
        haft_schema_free(tools->tools[i].in);
        haft_schema_free(tools->tools[i].out);
    }
    hf_document_drop(client, tools->document);
    client->lists.tools = NULL;
    client->allocator->release(client->allocator->context, tools, tools->size);
}

/* ---- schemas ---- */

/* Compiles a schema, unless that has been done. */
static int tool_compile(haft_client *client, haft_schema **schema, yyjson_val *json,
                        haft_reason *reterr_reason)
{
    if (*schema)
        return 0;
    return haft_schema_parse_json(
        json,
        HAFT_WITH(haft_schema_options, .allocator = client->allocator,
                  .max_subschemas = TOOL_SUBSCHEMAS, .max_memory = TOOL_MEMORY,
                  .max_steps = TOOL_STEPS, .max_issues = TOOL_ISSUES,
                  .formats = HAFT_FORMATS_ANNOTATE, .defaults = HAFT_DEFAULTS_ANNOTATE),
        schema, reterr_reason);
}

/* Checks a value against a schema of the tool.  Returns 0; HAFT_EISSUES if it does not match;
 * HAFT_EPROTOCOL if it cannot be checked; or HAFT_ENOMEM: all with the reason. */
static int tool_check(haft_client *client, const struct tool *tool, haft_schema **schema,
                      const char *key, yyjson_val *value, const char *what,
                      haft_reason *reterr_reason)
{
    yyjson_val *json = rpc_object(tool->value, key);
    const char *name = yyjson_get_str(tool->name);
    haft_issues issues = {.count = 0};
    haft_reason reason = {.code = 0};
    haft_buffer text;
    int status;

    if (!json)
        return 0;
    status = tool_compile(client, schema, json, &reason);
    if (status && status != HAFT_ENOMEM)
        return hf_error_set(reterr_reason, HAFT_EPROTOCOL, "", "the %s of %.60s: %.60s%s%.120s",
                            key, name, reason.path, *reason.path ? ": " : "", reason.text);
    if (!status)
        status = haft_schema_validate(*schema, value, client->scratch, &issues);
    if (status != HAFT_EISSUES)
        return status ? hf_error_set(reterr_reason,
                                     status == HAFT_ENOMEM ? HAFT_ENOMEM : HAFT_EPROTOCOL, "",
                                     "the %s of %.60s: %s", what, name, haft_strerror(status))
                      : 0;
    haft_buffer_init(&text, client->allocator, sizeof reterr_reason->text * 4);
    haft_issues_text(&issues, &text);
    hf_error_set(reterr_reason, HAFT_EISSUES, "", "the %s of %.60s: %.*s", what, name,
                 text.size < 160 ? (int)text.size : 160, text.size ? text.data : "");
    haft_buffer_finish(&text);
    return HAFT_EISSUES;
}

/* ---- a call ---- */

/* Refuses a tool that was left out of the list. */
static int tool_refuse(const haft_client *client, yyjson_val *name, haft_reason *reterr_reason)
{
    const char *why = hf_list_skipped(client, name);

    return why ? hf_error_set(reterr_reason, HAFT_EINVAL, "",
                              "the tool %.100s cannot be called: it %s", yyjson_get_str(name), why)
               : 0;
}

int hf_tool_prepare(haft_client *client, yyjson_val *params, haft_header **ret_headers,
                    size_t *ret_n, haft_reason *reterr_reason)
{
    struct list *list = &client->lists.kinds[HAFT_OFFER_TOOL];
    yyjson_val *name = rpc_string(params, "name"), *arguments = rpc_object(params, "arguments");
    struct tool *tool;
    int status;

    if (!hf_tool_matters(client) || !name)
        return 0;
    if (!client->lists.tools && (list->running || !list->asked)) {
        list->asked = true;
        status = hf_list_begin(client, HAFT_OFFER_TOOL);
        return status ? status : HAFT_PENDING;
    }
    if (!client->lists.tools && list->status)
        return hf_error_set(reterr_reason, list->status, "", "the list of tools: %.200s",
                            list->error);
    tool = tool_find(client->lists.tools, name);
    if (!tool)
        return tool_refuse(client, name, reterr_reason);
    status = client->options.check_arguments && arguments
                 ? tool_check(client, tool, &tool->in, "inputSchema", arguments, "arguments",
                              reterr_reason)
                 : 0;
    if (status)
        return status == HAFT_EISSUES ? HAFT_EINVAL : status;
    return client_has_headers(client) && client_is_modern(client) && arguments
               ? hf_mirror_headers(yyjson_obj_get(tool->value, "inputSchema"), arguments,
                                   client->scratch, ret_headers, ret_n)
               : 0;
}

bool hf_tool_is_task(const haft_client *client, yyjson_val *params, bool wanted)
{
    const struct tool *tool =
        tool_has_tasks(client) ? tool_find(client->lists.tools, rpc_string(params, "name")) : NULL;
    yyjson_val *support =
        tool ? yyjson_obj_get(yyjson_obj_get(tool->value, "execution"), "taskSupport") : NULL;

    return yyjson_equals_str(support, "required") ||
           (wanted && yyjson_equals_str(support, "optional"));
}

int hf_tool_check_result(haft_client *client, const struct client_request *request,
                         yyjson_val *result, haft_reason *reterr_reason)
{
    yyjson_val *structured = yyjson_obj_get(result, "structuredContent"), *params;
    struct tool *tool;
    int status;

    if (!client->options.check_results || strcmp(request->text.data, "tools/call") != 0 ||
        yyjson_is_true(yyjson_obj_get(result, "isError")))
        return 0;
    haft_arena_reset(client->scratch);
    params = hf_outgoing_params(client, request_params(request), &status);
    tool = tool_find(client->lists.tools, rpc_string(params, "name"));
    if (!tool || !rpc_object(tool->value, "outputSchema"))
        return 0;
    if (!structured)
        return hf_error_set(reterr_reason, HAFT_EPROTOCOL, "",
                            "the result of %.60s has no structured content, although the tool "
                            "declares it",
                            yyjson_get_str(tool->name));
    status =
        tool_check(client, tool, &tool->out, "outputSchema", structured, "result", reterr_reason);
    return status == HAFT_EISSUES ? HAFT_EPROTOCOL : status;
}
