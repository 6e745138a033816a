/* fuzz_http_answer.c - any bytes as the response to a request, given to the parser at once and in pieces: both
 * end in the same way, after the same headers and the same body, and no limit is exceeded.  The first two bytes
 * are the kind of the request, and the size of the pieces. */
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <haft/part.h>

#include "http/client/room.h"
#include "part/http_client.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ANSWER_LIMIT = 256, ANSWER_ROOM = 8192 };

struct seen {
    enum answer_state state;
    enum http_error failure;
    bool complete;
    int heads;
    size_t head_size, body_size, used;
    char head[ANSWER_ROOM], body[ANSWER_ROOM];
    http_request *request;
    unsigned pauses;
};

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void on_head(void *context, const struct http_head *head)
{
    struct seen *seen = context;

    require(!seen->heads++ && head->status >= 200);
    for (size_t i = 0; i < head->n_fields; i++) {
        const struct http_field *field = &head->fields[i];

        require(hf_http_check_name(field->name, strlen(field->name)));
        require(hf_http_check_value(field->value, strlen(field->value)));
        seen->head_size +=
            (size_t)snprintf(seen->head + seen->head_size, sizeof seen->head - seen->head_size,
                             "%s:%s\n", field->name, field->value);
        require(seen->head_size < sizeof seen->head);
    }
}

static void on_body(void *context, const char *bytes, size_t size)
{
    struct seen *seen = context;

    require(seen->heads == 1 && seen->body_size + size <= ANSWER_LIMIT);
    memcpy(seen->body + seen->body_size, bytes, size);
    seen->body_size += size;
    if (seen->pauses && seen->body_size % seen->pauses == 0)
        seen->request->paused = true;
}

/* The request is never started: it has no connection, and is only what the parser needs. */
static void parse(http_client *client, unsigned kind, const char *bytes, size_t size, size_t piece,
                  struct seen *ret_seen)
{
    http_request request = {.client = client,
                            .direct = true,
                            .phase = PHASE_ANSWER,
                            .until = UINT64_MAX,
                            .head_only = kind & 1,
                            .options = {.max_head = ANSWER_LIMIT * 8,
                                        .max_fields = 20,
                                        .max_answer = ANSWER_LIMIT,
                                        .on_head = on_head,
                                        .on_body = on_body,
                                        .context = ret_seen}};
    size_t used = 0, n;

    memset(ret_seen, 0, sizeof *ret_seen);
    ret_seen->request = &request;
    ret_seen->pauses = piece < size ? kind >> 1 & 7 : 0;
    hf_http_answer_begin(&request);
    do {
        size_t left = size - ret_seen->used;

        n = left < piece ? left : piece;
        request.paused = false;
        ret_seen->state = hf_http_answer_feed(&request, bytes + ret_seen->used, n, &used);
        require(used <= n);
        require(ret_seen->state != ANSWER_MORE || used == n);
        ret_seen->used += used;
    } while ((ret_seen->state == ANSWER_MORE && ret_seen->used < size) ||
             ret_seen->state == ANSWER_PAUSED);
    ret_seen->failure = request.failure;
    require((ret_seen->state == ANSWER_FAILED) == (request.failure != HTTP_OK));
    if (ret_seen->state == ANSWER_MORE)
        ret_seen->complete = hf_http_answer_closed(&request);
    if (request.head)
        client->allocator->release(client->allocator->context, request.head, request.head_capacity);
    if (request.fields)
        client->allocator->release(client->allocator->context, request.fields,
                                   request.fields_room * sizeof *request.fields);
}

static http_client *the_client(void)
{
    static uv_loop_t loop;
    static http_client *client;

    if (client)
        return client;
    haft_part_register(&haft_http_client_part);
    require(!uv_loop_init(&loop));
    client = hf_http_client_new(hf_http_client_open("", NULL), &loop, NULL, NULL);
    require(client);
    return client;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct seen whole, pieces;
    http_client *client = the_client();
    char *bytes;

    if (size < 3)
        return 0;
    bytes = malloc(size - 2); /* of its exact size, so that reading beyond it is noticed */
    memcpy(bytes, data + 2, size - 2);
    parse(client, data[0], bytes, size - 2, size - 2, &whole);
    parse(client, data[0], bytes, size - 2, data[1] % 32 + 1u, &pieces);
    require(whole.state == pieces.state && whole.complete == pieces.complete);
    require(whole.heads == pieces.heads && !strcmp(whole.head, pieces.head));
    require(whole.state == ANSWER_FAILED || (whole.body_size == pieces.body_size &&
                                             !memcmp(whole.body, pieces.body, whole.body_size)));
    require(whole.state != ANSWER_DONE || whole.used == pieces.used);
    free(bytes);
    return 0;
}
