/* fuzz_redis.c - any bytes as the answer of a Redis server, and as a URL: results within their bounds, or an error. */
#include <haft/redis.h>
#include <stdlib.h>

#include "base/base.h"
#include "part/redis.h"
#include "store/redis/room.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fuzz_done(haft_store_request *request)
{
    (void)request;
}

/* One request of each kind, by the first byte. */
static void fuzz_request(struct redis_store *store, unsigned kind, const redisReply *reply,
                         haft_arena *arena)
{
    haft_store_op ops[] = {
        {.kind = (haft_store_kind)(kind % HAFT_STORE_OP_COUNT_), .key = {"k", 1}, .rate = {1, 1}},
        {.kind = HAFT_STORE_RANGE, .key = {"l", 1}}};
    haft_store_request request = {.space = "s",
                                  .group = {"g", 1},
                                  .ops = ops,
                                  .n_ops = 1 + kind / 128,
                                  .arena = arena,
                                  .done = fuzz_done};
    int status;
    struct redis_job *job = hf_redis_job_new(store, &request, &status);

    if (!job)
        abort();
    hf_redis_decode(store->host, job, &request, reply);
    if (request.status > 1 || (request.is_unknown && request.status >= 0))
        abort();
    for (size_t i = 0; i < request.n_ops; i++)
        for (size_t n = 0; n < ops[i].n_records; n++)
            if (ops[i].ret_records[n].value.size > 1 << 20)
                abort();
    hf_redis_job_free(store, job);
}

static void fuzz_answer(struct redis_store *store, const uint8_t *data, size_t size)
{
    struct redis_reader own;
    redisReader *reader = redisReaderCreate();
    haft_arena *arena = haft_arena_new(NULL, 1 << 24);
    haft_store_scan scan = {.space = "s", .prefix = {"", 0}, .arena = arena};
    void *reply = NULL;

    hf_redis_reader_limit(reader, &own);
    redisReaderFeed(reader, (const char *)data + 1, size - 1);
    while (redisReaderGetReply(reader, &reply) == REDIS_OK && reply) {
        fuzz_request(store, data[0], reply, arena);
        scan.status = 0;
        scan.n_found = 0;
        hf_redis_decode_scan(store, &scan, reply);
        if (scan.status > 0)
            abort();
        freeReplyObject(reply);
        reply = NULL;
    }
    redisReaderFree(reader);
    haft_arena_free(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    haft_redis_options options = {.struct_size = sizeof options,
                                  .allocator = hf_allocator_or_default(NULL)};
    haft_reason reason = {0};
    haft_store *store = hf_redis_create("redis://localhost", &options, hf_redis_host(), &reason);
    char *url = malloc(size + 1);
    struct redis_url parsed;

    if (!store || !url)
        abort();
    if (size)
        memcpy(url, data, size);
    url[size] = '\0';
    if (!hf_redis_url_parse(url, hf_redis_host(), &parsed, &reason) && !parsed.n_hosts)
        abort();
    if (size > 1)
        fuzz_answer((struct redis_store *)store, data, size);
    free(url);
    haft_store_free(store);
    return 0;
}
