/* fuzz_front.c - any body that comes too often, any path, any address of a collector: the refusal
 * is JSON and has an id only if the message has that id. */
#define _DEFAULT_SOURCE
#include <stdlib.h>
#include <string.h>

#include "endpoint/mux.h"
#include "observe/otlp.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

struct refusal {
    int status;
    haft_arena *arena;
    yyjson_val *root;
};

static void on_respond(void *context, const haft_response *response)
{
    struct refusal *refusal = context;

    require(response->n_headers);
    refusal->status = response->status;
    refusal->root = haft_json_read(response->body, response->size, 0, refusal->arena, NULL);
}

static void refuse(struct mux *mux, const char *path, const char *body, size_t size)
{
    static const haft_responder responder = {.respond = on_respond};
    struct haft_header_index index;
    haft_request request = {.method = "POST",
                            .path = path,
                            .query = "",
                            .headers = &(haft_header){"host", "localhost"},
                            .n_headers = 1,
                            .body = body,
                            .body_size = size,
                            .index_ = &index};
    struct refusal refusal = {.arena = haft_arena_new(NULL, 16 << 20)};
    haft_arena *arena = haft_arena_new(NULL, 16 << 20);
    yyjson_val *message, *id;

    hf_headers_index(request.headers, request.n_headers, &index);
    if (refusal.arena && arena) {
        require(!hf_mux_handle(mux, &request, &responder, &refusal, 1).by);
        require(refusal.status == 429 || refusal.status == 404);
        require(refusal.root);
        message = haft_json_read(body, size, 0, arena, NULL);
        id = yyjson_obj_get(refusal.root, "id");
        if (id && message)
            require(hf_rpc_same_id(id, yyjson_obj_get(message, "id")));
    }
    haft_arena_free(refusal.arena);
    haft_arena_free(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    haft_http_options options =
        HAFT_INIT(haft_http_options, .path = "/mcp", .total_rate = {1, 60000});
    haft_server *server = haft_server_new("fuzz", "1");
    char *text = malloc(size + 1), *body = malloc(size ? size : 1);
    struct limiter *limiter = NULL;
    struct otlp_address address;
    struct mux mux;
    int64_t wait;

    if (server && text && body &&
        !hf_mux_init(&mux, &options, &(haft_http_loop){.server = server, .n = 1}, NULL)) {
        memcpy(text, data, size);
        text[size] = '\0';
        memcpy(body, data, size); /* with nothing behind it */
        hf_limit_new(&options, NULL, &limiter);
        mux.limiter = limiter;
        hf_limiter_take(limiter, "http:all", 8, (haft_rate){1, 60000}, 1, &wait);
        refuse(&mux, "/mcp", body, size);
        /* Probes, and OPTIONS *, are answered to anybody. */
        if (!hf_path_is(text, "/healthz") && !hf_path_is(text, "/readyz") && strcmp(text, "*") != 0)
            refuse(&mux, text, "", 0);
        if (!hf_otlp_read_url(text, &address, NULL))
            require(address.host[0] && address.port[0] && address.path[0] == '/');
        hf_mux_finish(&mux);
        hf_limiter_free(limiter);
    }
    free(text);
    free(body);
    haft_server_free(server);
    return 0;
}
