/* call.c - requests of the usual methods, with their parameters. */
#include "client/client.h"

#include <string.h>

#include "client/list.h"

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
    if (params->status)
        return params->status == HAFT_EUTF8 ? HAFT_EINVAL : params->status;
    return hf_client_exchange(
        client, HAFT_WITH(haft_client_exchange, .method = method, .params = params->data),
        ret_result);
}

int haft_client_call(haft_client *client, const char *tool, const char *arguments,
                     haft_result *ret_result)
{
    if (!client || !tool || !ret_result)
        return HAFT_EINVAL;
    return hf_client_exchange(
        client, HAFT_WITH(haft_client_exchange, .tool = tool, .arguments = arguments), ret_result);
}

int haft_client_get(haft_client *client, const char *prompt, const char *arguments,
                    haft_result *ret_result)
{
    struct json_writer w;

    if (!client || !prompt || !ret_result)
        return HAFT_EINVAL;
    w = call_begin_params(client, "name", prompt);
    if (arguments)
        hf_json_raw(json_key(&w, "arguments"), arguments, strlen(arguments));
    hf_json_end_object(&w);
    return call_send(client, "prompts/get", ret_result);
}

int haft_client_read(haft_client *client, const char *uri, haft_result *ret_result)
{
    struct json_writer w;

    if (!client || !uri || !ret_result)
        return HAFT_EINVAL;
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

    if (!client || !name || !argument || !value || !ret_result)
        return HAFT_EINVAL;
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
    int status = 0;

    if (!client || (unsigned)kind >= LIST_KINDS || !ret_result)
        return HAFT_EINVAL;
    list = &client->lists.kinds[kind];
    timeout_ms = client->options.timeout_ms;
    hf_client_enter(client);
    if (!list->running && !list->unfetched &&
        !(list->fresh && list->entries && hf_due_now(client) < list->until))
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

/* ---- declared types ---- */

int haft_client_call_typed(haft_client *client, const char *tool, const haft_schema *in,
                           const void *arguments, const haft_schema *out, void *ret_value,
                           haft_result *ret_result)
{
    haft_issues issues;
    haft_buffer text;
    int status = 0;

    if (!client || !tool || !ret_result || (arguments && !in) || (ret_value && !out))
        return HAFT_EINVAL;
    haft_buffer_init(&text, client->allocator, client->out.limit);
    haft_arena_reset(client->scratch);
    if (arguments)
        status = haft_schema_encode(in, arguments, client->scratch, &text, &issues);
    if (status == HAFT_EISSUES)
        hf_client_explain(client, 0, "the arguments of %.100s do not match their type: %.300s",
                          tool, issues.count ? issues.list[0].message : "");
    haft_buffer_add(&text, "", 1);
    if (!status)
        status = text.status;
    if (!status)
        status = haft_client_call(client, tool, arguments ? text.data : NULL, ret_result);
    haft_buffer_finish(&text);
    if (status || ret_result->is_error || !ret_value)
        return status == HAFT_EISSUES ? HAFT_EINVAL : status;
    if (!ret_result->structured) {
        hf_client_explain(client, 0, "the result of %.100s has no structured content", tool);
        return HAFT_EPROTOCOL;
    }
    status =
        haft_schema_decode(out, ret_result->structured, client->results->arena, ret_value, &issues);
    if (status != HAFT_EISSUES)
        return status == HAFT_ESTEPS ? HAFT_EPROTOCOL : status;
    hf_client_explain(client, 0, "the result of %.100s does not match its type: %.300s", tool,
                      issues.count ? issues.list[0].message : "");
    return HAFT_EPROTOCOL;
}
