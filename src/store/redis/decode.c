/* decode.c - answers of the server as the results of requests.  Nothing in them is trusted. */
#include "store/redis/room.h"

/* ---- errors ---- */

/* What the server says, by the first word. Errors that are not listed may come from the middle of a
 * script. */
static const struct {
    const char *word;
    int status;
} error_words[] = {
    {"WRONGTYPE", HAFT_EINVAL},  {"OOM", HAFT_ETOOBIG},     {"LOADING", HAFT_EBUSY},
    {"BUSY", HAFT_EBUSY},        {"TRYAGAIN", HAFT_EBUSY},  {"CLUSTERDOWN", HAFT_EBUSY},
    {"MASTERDOWN", HAFT_EBUSY},  {"READONLY", HAFT_EFAIL},  {"NOREPLICAS", HAFT_EFAIL},
    {"MISCONF", HAFT_EFAIL},     {"NOAUTH", HAFT_EDENIED},  {"NOPERM", HAFT_EDENIED},
    {"WRONGPASS", HAFT_EDENIED}, {"NOSCRIPT", HAFT_EFAIL},  {"MOVED", HAFT_EFAIL},
    {"ASK", HAFT_EFAIL},         {"CROSSSLOT", HAFT_EFAIL},
};

int hf_redis_error_status(const char *text, size_t size, bool *ret_unknown)
{
    *ret_unknown = false;
    for (size_t i = 0; i < sizeof error_words / sizeof *error_words; i++) {
        size_t n = strlen(error_words[i].word);

        if (size > n && !memcmp(text, error_words[i].word, n) && text[n] == ' ')
            return error_words[i].status;
    }
    *ret_unknown = true;
    return HAFT_EFAIL;
}

/* ---- limits of the reader ---- */

/* hiredis removes what it has parsed from its buffer, also while the answer is not complete; so what it
 * makes of an answer is counted.  Some versions also limit neither depth nor elements. */

#if HIREDIS_MAJOR >= 1
typedef size_t reader_count;
#else
typedef int reader_count;
#endif

/* Whether the answer that a task belongs to may become larger by some bytes. */
static bool reader_allows(const redisReadTask *task, size_t size)
{
    struct redis_reader *own = task->privdata;
    size_t depth = 0;

    for (const redisReadTask *at = task->parent; at; at = at->parent)
        depth++;
    if (!depth)
        own->size = 0; /* a new answer */
    own->size += size;
    own->refused = own->size > REDIS_MAX_REPLY || depth > REDIS_MAX_DEPTH;
    return !own->refused;
}

static void *reader_string(const redisReadTask *task, char *text, size_t size)
{
    const struct redis_reader *own = task->privdata;

    return reader_allows(task, size) ? own->original->createString(task, text, size) : NULL;
}

/* The elements are counted here, without their strings. */
static void *reader_array(const redisReadTask *task, reader_count count)
{
    const struct redis_reader *own = task->privdata;
    size_t size = count <= REDIS_MAX_ARRAY
                      ? (size_t)count * (sizeof(redisReply) + sizeof(redisReply *))
                      : (size_t)REDIS_MAX_REPLY + 1;

    return reader_allows(task, size) ? own->original->createArray(task, count) : NULL;
}

#if HIREDIS_MAJOR >= 1
static void *reader_double(const redisReadTask *task, double value, char *text, size_t size)
{
    const struct redis_reader *own = task->privdata;

    return reader_allows(task, size) ? own->original->createDouble(task, value, text, size) : NULL;
}
#endif

void hf_redis_reader_limit(redisReader *reader, struct redis_reader *own)
{
    *own = (struct redis_reader){.functions = *reader->fn, .original = reader->fn};
    own->functions.createString = reader_string;
    own->functions.createArray = reader_array;
#if HIREDIS_MAJOR >= 1
    own->functions.createDouble = reader_double;
#endif
    reader->fn = &own->functions;
    reader->privdata = own;
}

/* ---- operations: each returns false if the answer is not valid ---- */

static bool decode_copy(const struct redis_host *host, haft_arena *arena, const char *data,
                        size_t size, haft_slice *ret_slice, int *ret_status)
{
    char *copy = host->arena_copy(arena, data, size);

    if (!copy)
        *ret_status = HAFT_ENOMEM;
    *ret_slice = (haft_slice){copy, copy ? size : 0};
    return true;
}

/* "1VERSION:BYTES"; anything else is another format. */
static bool decode_value(const struct redis_host *host, haft_arena *arena, const redisReply *reply,
                         haft_slice *ret_value, uint64_t *ret_version, int *ret_status)
{
    uint64_t version = 0;
    size_t at = 1;

    if (reply->type != REDIS_REPLY_STRING)
        return false;
    for (; at < reply->len && at < 20 && reply->str[at] >= '0' && reply->str[at] <= '9'; at++)
        version = version * 10 + (uint64_t)(reply->str[at] - '0');
    if (!reply->len || reply->str[0] != '1' || at >= reply->len || reply->str[at] != ':' ||
        !version)
        return false;
    *ret_version = version;
    return decode_copy(host, arena, reply->str + at + 1, reply->len - at - 1, ret_value,
                       ret_status);
}

static bool decode_records(const struct redis_host *host, haft_arena *arena, haft_store_op *op,
                           const redisReply *reply)
{
    size_t n = reply->elements / 2;

    if (reply->type != REDIS_REPLY_ARRAY || reply->elements % 2 != 1 ||
        reply->element[0]->type != REDIS_REPLY_INTEGER)
        return false;
    op->ret_gap = reply->element[0]->integer;
    op->ret_records = host->arena_zalloc(arena, n ? n : 1, sizeof *op->ret_records);
    op->status = op->ret_records ? 1 : HAFT_ENOMEM;
    for (size_t i = 0; i < n && op->status > 0; i++) {
        const redisReply *number = reply->element[1 + 2 * i], *value = reply->element[2 + 2 * i];

        if (number->type != REDIS_REPLY_INTEGER || value->type != REDIS_REPLY_STRING)
            return false;
        op->ret_records[i].sequence = (uint64_t)number->integer;
        decode_copy(host, arena, value->str, value->len, &op->ret_records[i].value, &op->status);
        op->n_records = i + 1;
    }
    return true;
}

static bool decode_read(const struct redis_host *host, haft_arena *arena, haft_store_op *op,
                        const redisReply *reply)
{
    if (reply->type == REDIS_REPLY_NIL)
        return true;
    if (op->kind == HAFT_STORE_RANGE)
        return decode_records(host, arena, op, reply);
    op->status = 1;
    return decode_value(host, arena, reply, &op->ret_value, &op->ret_version, &op->status);
}

static bool decode_op(const struct redis_host *host, haft_arena *arena, haft_store_op *op,
                      const redisReply *reply)
{
    if (op->kind == HAFT_STORE_GET || op->kind == HAFT_STORE_RANGE)
        return decode_read(host, arena, op, reply);
    if (reply->type != REDIS_REPLY_INTEGER)
        return false;
    op->status = reply->integer > 0;
    if (op->kind == HAFT_STORE_PUT || op->kind == HAFT_STORE_APPEND)
        op->ret_version = op->status ? (uint64_t)reply->integer : 0;
    if (op->kind == HAFT_STORE_TAKE && !op->status)
        op->ret_wait_ms = reply->integer > -INT64_MAX ? -reply->integer : 0;
    return true;
}

/* ---- requests ---- */

static int decode_fail(const struct redis_job *job, haft_store_request *request, int status)
{
    request->is_unknown = job->writes;
    return status;
}

/* {status, number}: the script has changed nothing. */
static int decode_refusal(haft_store_request *request, const redisReply *reply)
{
    long long at = reply->elements > 1 && reply->element[1]->type == REDIS_REPLY_INTEGER
                       ? reply->element[1]->integer
                       : 0;
    int status = reply->element[0]->integer == -2 ? HAFT_EINVAL : HAFT_EPROTOCOL;

    if (at > 0 && (unsigned long long)at <= request->n_ops)
        request->ops[at - 1].status = status;
    return status;
}

static int decode_request(const struct redis_host *host, const struct redis_job *job,
                          haft_store_request *request, const redisReply *reply)
{
    long long status;
    int result;

    if (reply->type != REDIS_REPLY_ARRAY || !reply->elements ||
        reply->element[0]->type != REDIS_REPLY_INTEGER)
        return decode_fail(job, request, HAFT_EPROTOCOL);
    status = reply->element[0]->integer;
    if (status < 0)
        return decode_refusal(request, reply);
    if (status > 1 || reply->elements > request->n_ops + 1 ||
        (status && reply->elements != request->n_ops + 1))
        return decode_fail(job, request, HAFT_EPROTOCOL);
    result = (int)status;
    for (size_t i = 1; i < reply->elements; i++) {
        haft_store_op *op = &request->ops[i - 1];

        if (!decode_op(host, request->arena, op, reply->element[i]))
            return decode_fail(job, request, HAFT_EPROTOCOL);
        if (op->status < 0)
            result = decode_fail(job, request, op->status);
    }
    return result;
}

static int decode_get(const struct redis_host *host, haft_store_request *request,
                      const redisReply *reply)
{
    haft_store_op *op = request->ops;

    if (!decode_read(host, request->arena, op, reply))
        op->status = HAFT_EPROTOCOL;
    return op->status < 0 ? op->status : 1;
}

void hf_redis_decode(const struct redis_host *host, const struct redis_job *job,
                     haft_store_request *request, const redisReply *reply)
{
    bool unknown = false;

    if (reply->type == REDIS_REPLY_ERROR) {
        request->status = hf_redis_error_status(reply->str, reply->len, &unknown);
        request->is_unknown = unknown && job->writes;
        if (request->n_ops == 1)
            request->ops[0].status = request->status;
        return;
    }
    request->status = job->script == REDIS_PLAIN ? decode_get(host, request, reply)
                                                 : decode_request(host, job, request, reply);
}

/* ---- scans ---- */

static bool decode_found(const struct redis_store *store, haft_store_scan *scan,
                         redisReply **element, haft_store_found *found)
{
    const struct redis_host *host = store->host;
    const redisReply *name = element[0], *version = element[1], *value = element[2];
    uint64_t same;
    haft_slice copy;

    if (name->type != REDIS_REPLY_STRING || version->type != REDIS_REPLY_INTEGER)
        return false;
    decode_copy(host, scan->arena, name->str, name->len, &copy, &scan->status);
    if (scan->status ||
        !hf_redis_name_read(store, scan->space, name->str, name->len, (char *)(uintptr_t)copy.data,
                            &found->group, &found->key))
        return true; /* another prefix ends as this one does */
    decode_copy(host, scan->arena, found->key.data, found->key.size, &found->key, &scan->status);
    found->version = (uint64_t)version->integer;
    found->value = (haft_slice){"", 0};
    if (value->type != REDIS_REPLY_NIL &&
        !decode_value(host, scan->arena, value, &found->value, &same, &scan->status))
        return false;
    scan->n_found += !scan->status;
    return true;
}

static bool decode_cursor(const redisReply *reply, uint64_t *ret_cursor)
{
    uint64_t cursor = 0;

    if (reply->type != REDIS_REPLY_STRING || !reply->len || reply->len > 20)
        return false;
    for (size_t i = 0; i < reply->len; i++) {
        if (reply->str[i] < '0' || reply->str[i] > '9')
            return false;
        cursor = cursor * 10 + (uint64_t)(reply->str[i] - '0');
    }
    *ret_cursor = cursor;
    return true;
}

void hf_redis_decode_scan(const struct redis_store *store, haft_store_scan *scan,
                          const redisReply *reply)
{
    uint64_t cursor = 0;
    bool unknown;
    size_t n;

    if (reply->type == REDIS_REPLY_ERROR) {
        scan->status = hf_redis_error_status(reply->str, reply->len, &unknown);
        return;
    }
    scan->status = HAFT_EPROTOCOL;
    if (reply->type != REDIS_REPLY_ARRAY || reply->elements % 3 != 1 ||
        !decode_cursor(reply->element[0], &cursor))
        return;
    n = reply->elements / 3;
    scan->ret_found = store->host->arena_zalloc(scan->arena, n ? n : 1, sizeof *scan->ret_found);
    scan->status = scan->ret_found ? 0 : HAFT_ENOMEM;
    for (size_t i = 0; i < n && !scan->status; i++)
        if (!decode_found(store, scan, reply->element + 1 + 3 * i, &scan->ret_found[scan->n_found]))
            scan->status = HAFT_EPROTOCOL;
    if (!scan->status)
        scan->cursor = cursor;
}
