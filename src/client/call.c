/* call.c - requests of the usual methods, with their parameters. */
#include "client/client.h"

#include <string.h>

#include "client/list.h"
#include "client/task.h"

/* Begins the parameters with one member. */
static struct json_writer call_begin_params(haft_client *client, const char *key, const char *value)
{
    struct json_writer w = {.out = &client->params};

    haft_buffer_clear(&client->params);
    hf_json_begin_object(&w);
    hf_json_text(hf_json_name(&w, key, strlen(key)), value);
    return w;
}

/* Sends the parameters. */
static int call_send(haft_client *client, const char *method, haft_result *ret_result)
{
    haft_buffer *params = &client->params;

    haft_buffer_add(params, "", 1);
    if (params->status) {
        hf_client_explain(client, 0, "%s: %s", method, haft_strerror(params->status));
        return params->status == HAFT_EUTF8 ? HAFT_EINVAL : params->status;
    }
    return hf_client_exchange(
        client, HAFT_WITH(haft_client_exchange, .method = method, .params = params->data),
        ret_result);
}

int haft_client_call(haft_client *client, const char *tool, const char *arguments,
                     haft_result *ret_result)
{
    int status = hf_client_needs(client, "haft_client_call",
                                 !tool         ? "tool"
                                 : !ret_result ? "ret_result"
                                               : NULL);

    if (status)
        return status;
    return hf_client_exchange(
        client, HAFT_WITH(haft_client_exchange, .tool = tool, .arguments = arguments), ret_result);
}

int haft_client_get(haft_client *client, const char *prompt, const char *arguments,
                    haft_result *ret_result)
{
    struct json_writer w;
    int status = hf_client_needs(client, "haft_client_get",
                                 !prompt       ? "prompt"
                                 : !ret_result ? "ret_result"
                                               : NULL);

    if (!status && arguments)
        status = hf_client_refuse_json(client, prompt, "arguments", arguments);
    if (status)
        return status;
    w = call_begin_params(client, "name", prompt);
    if (arguments)
        hf_json_raw(json_key(&w, "arguments"), arguments, strlen(arguments));
    hf_json_end_object(&w);
    return call_send(client, "prompts/get", ret_result);
}

int haft_client_read(haft_client *client, const char *uri, haft_result *ret_result)
{
    struct json_writer w;
    int status = hf_client_needs(client, "haft_client_read",
                                 !uri          ? "uri"
                                 : !ret_result ? "ret_result"
                                               : NULL);

    if (status)
        return status;
    w = call_begin_params(client, "uri", uri);
    hf_json_end_object(&w);
    return call_send(client, "resources/read", ret_result);
}

int haft_client_complete(haft_client *client, haft_offer kind, const char *name,
                         const char *argument, const char *value, const char *others,
                         haft_result *ret_result)
{
    bool prompt = kind == HAFT_OFFER_PROMPT;
    struct json_writer w;
    int status = hf_client_needs(client, "haft_client_complete",
                                 !name         ? "name"
                                 : !argument   ? "argument"
                                 : !value      ? "value"
                                 : !ret_result ? "ret_result"
                                               : NULL);

    if (!status && others)
        status = hf_client_refuse_json(client, name, "other arguments", others);
    if (!status && !prompt && kind != HAFT_OFFER_TEMPLATE && kind != HAFT_OFFER_RESOURCE) {
        hf_client_explain(client, 0,
                          "haft_client_complete: kind is neither a prompt nor a template");
        status = HAFT_EINVAL;
    }
    if (status)
        return status;
    w = (struct json_writer){.out = &client->params};
    haft_buffer_clear(&client->params);
    hf_json_begin_object(&w);
    hf_json_begin_object(json_key(&w, "ref"));
    hf_json_text(json_key(&w, "type"), prompt ? "ref/prompt" : "ref/resource");
    hf_json_text(prompt ? json_key(&w, "name") : json_key(&w, "uri"), name);
    hf_json_end_object(&w);
    hf_json_begin_object(json_key(&w, "argument"));
    hf_json_text(json_key(&w, "name"), argument);
    hf_json_text(json_key(&w, "value"), value);
    hf_json_end_object(&w);
    if (others) {
        hf_json_begin_object(json_key(&w, "context"));
        hf_json_raw(json_key(&w, "arguments"), others, strlen(others));
        hf_json_end_object(&w);
    }
    hf_json_end_object(&w);
    return call_send(client, "completion/complete", ret_result);
}

/* ---- lists ---- */

static bool call_list_is_over(const haft_client *client, const void *context)
{
    const struct list *list = context;

    (void)client;
    return !list->running;
}

int haft_client_list(haft_client *client, haft_offer kind, haft_result *ret_result)
{
    struct list *list;
    unsigned timeout_ms;
    int status = hf_client_needs(client, "haft_client_list", ret_result ? NULL : "ret_result");

    if (!status)
        status = hf_list_check_kind(client, "haft_client_list", kind);
    if (status)
        return status;
    list = &client->lists.kinds[kind];
    timeout_ms = client->options.timeout_ms;
    hf_client_enter(client);
    if (!list->running && !list->unfetched && !hf_list_is_fresh(client, list))
        status = hf_list_begin(client, kind);
    if (!status) {
        hf_client_wait_for(client, call_list_is_over, list, timeout_ms,
                           !timeout_ms || !hf_due_has_time(client));
        status = client->ending  ? HAFT_ECLOSED
                 : list->running ? HAFT_PENDING
                                 : hf_list_result(client, list, ret_result);
        if (status == HAFT_PENDING)
            list->wanted = true;
    }
    hf_client_leave(client);
    return status;
}

/* ---- tasks ---- */

int hf_client_task_check(haft_client *client, const char *function, const char *task)
{
    if (!*task || strlen(task) > CLIENT_TASK_ID_MAX)
        hf_client_explain(client, 0, "%s: the id of a task has 1 to %d bytes", function,
                          CLIENT_TASK_ID_MAX);
    else if (!hf_due_has_time(client))
        hf_client_explain(client, 0, "%s: the client knows no time", function);
    else
        return 0;
    return HAFT_EINVAL;
}

/* Sends a request about a task; `responses` may be NULL. */
static int call_about_task(haft_client *client, const char *method, const char *task,
                           const char *responses, haft_result *ret_result)
{
    struct json_writer w = call_begin_params(client, "taskId", task);

    if (responses)
        hf_json_raw(json_key(&w, "inputResponses"), responses, strlen(responses));
    hf_json_end_object(&w);
    return call_send(client, method, ret_result);
}

int haft_client_task_get(haft_client *client, const char *task, haft_result *ret_result)
{
    int status = hf_client_needs(client, "haft_client_task_get",
                                 !task         ? "task"
                                 : !ret_result ? "ret_result"
                                               : NULL);

    return status ? status : call_about_task(client, "tasks/get", task, NULL, ret_result);
}

int haft_client_task_update(haft_client *client, const char *task, const char *responses,
                            haft_result *ret_result)
{
    int status = hf_client_needs(client, "haft_client_task_update",
                                 !task         ? "task"
                                 : !responses  ? "responses"
                                 : !ret_result ? "ret_result"
                                               : NULL);

    if (!status)
        status = hf_client_refuse_json(client, "tasks/update", "responses", responses);
    return status ? status : call_about_task(client, "tasks/update", task, responses, ret_result);
}

int haft_client_task_cancel(haft_client *client, const char *task, haft_result *ret_result)
{
    int status = hf_client_needs(client, "haft_client_task_cancel",
                                 !task         ? "task"
                                 : !ret_result ? "ret_result"
                                               : NULL);

    return status ? status : call_about_task(client, "tasks/cancel", task, NULL, ret_result);
}

int haft_client_task_wait(haft_client *client, const char *task, haft_result *ret_result)
{
    int status = hf_client_needs(client, "haft_client_task_wait",
                                 !task         ? "task"
                                 : !ret_result ? "ret_result"
                                               : NULL);

    if (!status)
        status = hf_client_task_check(client, "haft_client_task_wait", task);
    return status ? status
                  : hf_client_exchange(client, HAFT_WITH(haft_client_exchange, .task = task),
                                       ret_result);
}

/* ---- declared types ---- */

/* Explains what of a value does not match its type: the members, and what is wrong with each. */
static int call_explain_issues(haft_client *client, const char *tool, const char *what,
                               const haft_issues *issues, int status)
{
    haft_buffer text;

    haft_buffer_init(&text, client->allocator, CLIENT_ERROR_TEXT * 8);
    haft_issues_text(issues, &text);
    hf_client_explain(client, 0, "the %s of %.100s: %.*s", what, tool,
                      text.size < 300 ? (int)text.size : 300, text.size ? text.data : "");
    haft_buffer_finish(&text);
    return status;
}

/* Decodes structured content. */
static int call_decode(haft_client *client, const char *tool, const haft_schema *out,
                       void *ret_value, const haft_result *result)
{
    haft_issues issues;
    int status;

    if (!result->structured) {
        hf_client_explain(client, 0, "the result of %.100s has no structured content", tool);
        return HAFT_EPROTOCOL;
    }
    status =
        haft_schema_decode(out, result->structured, client->results->arena, ret_value, &issues);
    if (status == HAFT_EISSUES)
        return call_explain_issues(client, tool, "result", &issues, HAFT_EPROTOCOL);
    if (status)
        hf_client_explain(client, 0, "the result of %.100s: %s", tool, haft_strerror(status));
    return status == HAFT_ESTEPS ? HAFT_EPROTOCOL : status;
}

int haft_client_call_typed(haft_client *client, const char *tool, const haft_schema *in,
                           const void *arguments, const haft_schema *out, void *ret_value,
                           haft_result *ret_result)
{
    haft_issues issues;
    haft_buffer text;
    int status = hf_client_needs(client, "haft_client_call_typed",
                                 !tool               ? "tool"
                                 : arguments && !in  ? "in"
                                 : ret_value && !out ? "out"
                                 : !ret_result       ? "ret_result"
                                                     : NULL);

    if (status)
        return status;
    haft_buffer_init(&text, client->allocator, client->out.limit);
    haft_arena_reset(client->scratch);
    if (arguments)
        status = haft_schema_encode(in, arguments, client->scratch, &text, &issues);
    haft_buffer_add(&text, "", 1);
    if (status == HAFT_EISSUES)
        status = call_explain_issues(client, tool, "arguments", &issues, HAFT_EINVAL);
    else if (status || text.status)
        hf_client_explain(client, 0, "the arguments of %.100s: %s", tool,
                          haft_strerror(status ? status : text.status));
    if (!status)
        status = text.status;
    if (!status)
        status = haft_client_call(client, tool, arguments ? text.data : NULL, ret_result);
    haft_buffer_finish(&text);
    return status || ret_result->is_error || !ret_value
               ? status
               : call_decode(client, tool, out, ret_value, ret_result);
}
