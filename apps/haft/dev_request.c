/* dev_request.c - one request, with the id as it was written and as it is compared. */
#include "dev_request.h"

#include <string.h>
#include <stdlib.h>

#include "json/writer.h"

static const struct dev_method dev_methods[] = {
    {"initialize", DEV_INITIALIZE},
    {"subscriptions/listen", DEV_LISTEN},
    {"logging/setLevel", DEV_LEVEL},
    {"resources/subscribe", DEV_SUBSCRIBE},
    {"resources/unsubscribe", DEV_UNSUBSCRIBE},
};

enum { DEV_ERROR_LIMIT = 2 << 20 };

static const struct dev_method *dev_method_named(const char *name, size_t size)
{
    for (size_t i = 0; i < sizeof dev_methods / sizeof *dev_methods; i++)
        if (strlen(dev_methods[i].name) == size && !memcmp(dev_methods[i].name, name, size))
            return &dev_methods[i];
    return NULL;
}

bool dev_message_id(const struct dev_message *message, struct scan_range *ret_id)
{
    struct scan_member member;

    if (!scan_find(message->text, message->size, 0, "id", &member))
        return false;
    *ret_id = member.value;
    return true;
}

/* The same id may be written in several ways.  A key needs no memory, so that an answer finds its
 * request whatever happens; of a long id it has the start, the size and a hash. */
static void dev_key_of_text(const char *text, size_t size, char ret_key[DEV_KEY])
{
    snprintf(ret_key, DEV_KEY, "s%zu.%llx.%.*s", size,
             (unsigned long long)hf_hash_bytes(text, size), (int)(size < 64 ? size : 64), text);
}

static void dev_key_of(yyjson_val *id, char ret_key[DEV_KEY])
{
    if (yyjson_is_str(id)) {
        dev_key_of_text(yyjson_get_str(id), yyjson_get_len(id), ret_key);
        return;
    }
    ret_key[0] = 'n';
    hf_rpc_id_to_text(id, ret_key + 1, DEV_KEY - 1);
}

/* Text of a message, fit for one line of a terminal. */
static void dev_copy_name(char ret_text[DEV_NAME_TEXT], const char *text, size_t size)
{
    bool cut;

    ret_text[hf_text_escape(text, size, false, ret_text, DEV_NAME_TEXT - 1, &cut)] = '\0';
}

static void dev_request_describe(struct dev_request *request, const struct rpc_message *rpc)
{
    yyjson_val *name = rpc_string(rpc->params, "name");

    dev_copy_name(request->method, rpc->method, rpc->method_size);
    if (!name)
        name = rpc_string(rpc->params, "uri");
    if (name)
        dev_copy_name(request->name, yyjson_get_str(name), yyjson_get_len(name));
}

/* Keeps the URI; without memory, the request has none and never matches. */
static void dev_request_keep_uri(struct dev_request *request, const struct rpc_message *rpc)
{
    yyjson_val *uri = rpc_string(rpc->params, "uri");

    if (uri && request->kind)
        request->uri = strndup(yyjson_get_str(uri), yyjson_get_len(uri));
}

struct dev_request *dev_request_new(const struct dev_message *message, const char *shown,
                                    uint64_t now)
{
    struct dev_request *request = calloc(1, sizeof *request);
    struct scan_range id = {0, 0};

    if (!request)
        return NULL;
    dev_message_id(message, &id);
    request->kind = dev_method_named(message->rpc.method, message->rpc.method_size);
    request->began = now;
    dev_request_describe(request, &message->rpc);
    dev_request_keep_uri(request, &message->rpc);
    request->id = strndup(message->text + id.start, id.end - id.start);
    if (shown) {
        snprintf(request->shown, sizeof request->shown, "\"%s\"", shown);
        dev_key_of_text(shown, strlen(shown), request->key);
    } else {
        dev_key_of(message->rpc.id, request->key);
    }
    if (request->kind) {
        request->line = malloc(message->size);
        request->line_size = message->size;
    }
    if (!request->id || (request->kind && !request->line)) {
        dev_request_free(request);
        return NULL;
    }
    if (request->line)
        memcpy(request->line, message->text, message->size);
    return request;
}

void dev_request_free(struct dev_request *request)
{
    if (!request)
        return;
    free(request->id);
    free(request->uri);
    free(request->line);
    free(request);
}

const char *dev_request_shown(const struct dev_request *request)
{
    return *request->shown ? request->shown : request->id;
}

struct dev_request *dev_request_find(struct dev_request *list, yyjson_val *id)
{
    char key[DEV_KEY];

    if (!id)
        return NULL;
    dev_key_of(id, key);
    while (list && strcmp(list->key, key) != 0)
        list = list->next;
    return list;
}

struct dev_request *dev_request_take(struct dev_request **list, yyjson_val *id)
{
    struct dev_request *found = dev_request_find(*list, id);

    if (!found)
        return NULL;
    while (*list != found)
        list = &(*list)->next;
    *list = found->next;
    found->next = NULL;
    return found;
}

void dev_send_error(struct dev_session *session, const char *id, size_t id_size, const char *text)
{
    haft_buffer out;
    struct json_writer w = {.out = &out};

    haft_buffer_init(&out, NULL, DEV_ERROR_LIMIT);
    hf_json_begin_object(&w);
    hf_json_text(json_key(&w, "jsonrpc"), "2.0");
    hf_json_raw(json_key(&w, "id"), id, id_size);
    hf_json_begin_object(json_key(&w, "error"));
    hf_json_integer(json_key(&w, "code"), RPC_INTERNAL_ERROR);
    hf_json_text(json_key(&w, "message"), text);
    hf_json_end_object(&w);
    hf_json_end_object(&w);
    if (out.status)
        session->out.note(session->out.context, "out of memory; a request stays unanswered");
    else
        session->out.to_client(session->out.context, out.data, out.size);
    haft_buffer_finish(&out);
}

void dev_request_fail(struct dev_session *session, struct dev_request *request, const char *text)
{
    dev_send_error(session, request->id, strlen(request->id), text);
    session->out.ended(session->out.context, request, DEV_LOST, text, strlen(text));
    dev_request_free(request);
}
