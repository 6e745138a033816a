/* encode.c - requests as commands of Redis (RESP2). */
#include "store/redis/room.h"

/* ---- text of a command ---- */

static bool job_reserve(const struct redis_store *store, struct redis_job *job, size_t size)
{
    size_t room = job->room;
    char *data;

    job->too_big = size > REDIS_MAX_COMMAND || job->size > REDIS_MAX_COMMAND;
    if (job->too_big)
        return false;
    if (job->size + size <= room)
        return true;
    while (room < job->size + size)
        room *= 2;
    data = store->allocator->alloc(store->allocator->context, room);
    if (!data)
        return false;
    memcpy(data, job->data, job->size);
    if (job->data != job->inline_)
        redis_release(store, job->data, job->room);
    job->data = data;
    job->room = room;
    return true;
}

/* Digits of a number, right-aligned in `text`; returns the first. */
static char *job_digits(uint64_t number, char text[24])
{
    char *at = text + 24;

    do
        *--at = (char)('0' + number % 10);
    while (number /= 10);
    return at;
}

/* Adds the length of an argument, and reserves room for it. Returns where it goes; NULL without
 * memory. */
static char *job_argument(const struct redis_store *store, struct redis_job *job, size_t size)
{
    char digits[24], *first = job_digits(size, digits), *at;
    size_t n = (size_t)(digits + 24 - first);

    if (!job_reserve(store, job, 1 + n + 2 + size + 2))
        return NULL;
    at = job->data + job->size;
    *at++ = '$';
    memcpy(at, first, n);
    at += n;
    *at++ = '\r';
    *at++ = '\n';
    memcpy(at + size, "\r\n", 2);
    job->size += 1 + n + 2 + size + 2;
    job->argc++;
    return at;
}

static bool job_add(const struct redis_store *store, struct redis_job *job, haft_slice value)
{
    char *at = job_argument(store, job, value.size);

    if (at && value.size)
        memcpy(at, value.data, value.size);
    return at;
}

static bool job_add_text(const struct redis_store *store, struct redis_job *job, const char *text)
{
    return job_add(store, job, HAFT_SLICE(text));
}

static bool job_add_number(const struct redis_store *store, struct redis_job *job, uint64_t number)
{
    char digits[24], *first = job_digits(number, digits);

    return job_add(store, job, (haft_slice){first, (size_t)(digits + 24 - first)});
}

static bool job_add_key(const struct redis_store *store, struct redis_job *job, const char *space,
                        haft_slice group, haft_slice key)
{
    char *at = job_argument(store, job, hf_redis_name_key(store, space, group, key, NULL));

    if (at)
        hf_redis_name_key(store, space, group, key, at);
    return at;
}

static bool job_add_channel(const struct redis_store *store, struct redis_job *job,
                            const char *space, haft_slice channel)
{
    char *at = job_argument(store, job, hf_redis_name_channel(store, space, channel, false, NULL));

    if (at)
        hf_redis_name_channel(store, space, channel, false, at);
    return at;
}

/* ---- jobs ---- */

static struct redis_job *job_alloc(const struct redis_store *store, enum redis_script script)
{
    struct redis_job *job = store->allocator->alloc(store->allocator->context, sizeof *job);

    if (!job)
        return NULL;
    memset(job, 0, offsetof(struct redis_job, inline_));
    job->script = script;
    job->size = REDIS_HEAD;
    job->room = sizeof job->inline_;
    job->data = job->inline_;
    return job;
}

void hf_redis_job_free(struct redis_store *store, struct redis_job *job)
{
    if (job->data != job->inline_)
        redis_release(store, job->data, job->room);
    redis_release(store, job, sizeof *job);
}

/* Frees a job that could not be encoded. Returns NULL. */
static struct redis_job *job_refuse(struct redis_store *store, struct redis_job *job,
                                    int *reterr_status)
{
    *reterr_status = job->too_big ? HAFT_ETOOBIG : HAFT_ENOMEM;
    hf_redis_job_free(store, job);
    return NULL;
}

const char *hf_redis_job_command(struct redis_job *job, const char *sha, size_t *ret_size)
{
    bool is_script = job->script != REDIS_PLAIN;
    char head[REDIS_HEAD], *command;
    int n = snprintf(head, sizeof head, "*%d\r\n", job->argc + (is_script ? 2 : 0));

    if (is_script)
        n += snprintf(head + n, sizeof head - (size_t)n, "$7\r\nEVALSHA\r\n$%d\r\n%.40s\r\n",
                      REDIS_SHA, sha);
    command = job->data + REDIS_HEAD - n;
    memcpy(command, head, (size_t)n);
    *ret_size = job->size - REDIS_HEAD + (size_t)n;
    return command;
}

char *hf_redis_job_full(struct redis_store *store, const struct redis_job *job, size_t *ret_size)
{
    struct redis_script_text script = hf_redis_script(job->script);
    char head[REDIS_HEAD], *text;
    size_t n = (size_t)snprintf(head, sizeof head, "*%d\r\n$4\r\nEVAL\r\n$%zu\r\n", job->argc + 2,
                                script.size);
    size_t body = job->size - REDIS_HEAD;

    *ret_size = n + script.size + 2 + body;
    text = store->allocator->alloc(store->allocator->context, *ret_size);
    if (!text)
        return NULL;
    memcpy(text, head, n);
    memcpy(text + n, script.data, script.size);
    memcpy(text + n + script.size, "\r\n", 2);
    memcpy(text + n + script.size + 2, job->data + REDIS_HEAD, body);
    return text;
}

/* ---- requests ---- */

static const char op_letters[] = {
    [HAFT_STORE_GET] = 'g',    [HAFT_STORE_PUT] = 'p',    [HAFT_STORE_DELETE] = 'd',
    [HAFT_STORE_TAKE] = 't',   [HAFT_STORE_APPEND] = 'a', [HAFT_STORE_RANGE] = 'r',
    [HAFT_STORE_EXPIRE] = 'e', [HAFT_STORE_PUBLISH] = 'u'};

/* Numbers above it are the same to a script. */
static uint64_t op_limit(uint64_t number)
{
    return number < 1000000000 ? number : 1000000000;
}

/* A time that Redis accepts; longer ones are for ever. */
static uint64_t op_expires(const haft_store_op *op)
{
    return op->expires_ms < (int64_t)1 << 50 ? (uint64_t)op->expires_ms : 0;
}

static bool job_add_expected(const struct redis_store *store, struct redis_job *job,
                             const haft_store_op *op)
{
    return op->if_version ? job_add_number(store, job, op->version) : job_add_text(store, job, "");
}

static bool job_add_pair(const struct redis_store *store, struct redis_job *job, uint64_t first,
                         uint64_t second)
{
    return job_add_number(store, job, first) && job_add_number(store, job, second);
}

/* The four arguments after the letter. */
static bool job_add_op(const struct redis_store *store, struct redis_job *job, const char *space,
                       const haft_store_op *op)
{
    uint64_t expires = op_expires(op);

    switch (op->kind) {
    case HAFT_STORE_PUT:
    case HAFT_STORE_DELETE:
    case HAFT_STORE_EXPIRE:
        return job_add(store, job, op->kind == HAFT_STORE_PUT ? op->value : HAFT_SLICE("")) &&
               job_add_expected(store, job, op) && job_add_pair(store, job, expires, 0);
    case HAFT_STORE_TAKE:
        return job_add_pair(store, job, op->rate.calls, op->rate.per_ms) &&
               job_add_pair(store, job, expires ? expires : op->rate.per_ms, 0);
    case HAFT_STORE_APPEND:
        return job_add(store, job, op->value) &&
               job_add_pair(store, job, op_limit(op->max_records), op_limit(op->max_bytes)) &&
               job_add_number(store, job, expires);
    case HAFT_STORE_RANGE:
        return job_add_number(store, job, op->after) &&
               job_add_pair(store, job, op_limit(op->max_records), op_limit(op->max_bytes)) &&
               job_add_number(store, job, 0);
    case HAFT_STORE_PUBLISH:
        return job_add_channel(store, job, space, op->key) && job_add(store, job, op->value) &&
               job_add_pair(store, job, 0, 0);
    default:
        return job_add_pair(store, job, 0, 0) && job_add_pair(store, job, 0, 0);
    }
}

static bool job_add_request(const struct redis_store *store, struct redis_job *job,
                            const haft_store_request *request)
{
    bool ok = job_add_number(store, job, request->n_ops);

    for (size_t i = 0; i < request->n_ops && ok; i++) {
        const haft_store_op *op = &request->ops[i];

        ok = job_add_key(store, job, request->space, request->group,
                         op->kind == HAFT_STORE_PUBLISH ? (haft_slice){"", 0} : op->key);
    }
    for (size_t i = 0; i < request->n_ops && ok; i++)
        ok = job_add(store, job, (haft_slice){&op_letters[request->ops[i].kind], 1}) &&
             job_add_op(store, job, request->space, &request->ops[i]);
    return ok;
}

/* Where the key of a take begins: after the number of keys, 1. */
enum { TAKE_KEY = REDIS_HEAD + sizeof "$1\r\n1\r\n" - 1 };

/* One operation that counts a call. */
static bool job_add_take(const struct redis_store *store, struct redis_job *job,
                         const haft_store_request *request)
{
    const haft_store_op *op = request->ops;
    uint64_t expires = op_expires(op);
    bool ok = job_add_number(store, job, 1) &&
              job_add_key(store, job, request->space, request->group, op->key);

    job->arguments = job->size;
    return ok && job_add_pair(store, job, op->rate.calls, op->rate.per_ms) &&
           job_add_number(store, job, expires ? expires : op->rate.per_ms);
}

/* Notes what kind of a request it is. */
static void job_classify(struct redis_job *job, const haft_store_request *request)
{
    job->is_take = true;
    for (size_t i = 0; i < request->n_ops; i++) {
        haft_store_kind kind = request->ops[i].kind;

        job->writes |= kind != HAFT_STORE_GET && kind != HAFT_STORE_RANGE;
        job->is_take &= kind == HAFT_STORE_TAKE;
    }
    if (request->n_ops == 1 && job->is_take)
        job->script = REDIS_TAKE;
    else if (request->n_ops == 1 && request->ops[0].kind == HAFT_STORE_GET)
        job->script = REDIS_PLAIN;
}

struct redis_job *hf_redis_job_new(struct redis_store *store, haft_store_request *request,
                                   int *reterr_status)
{
    struct redis_job *job = job_alloc(store, REDIS_REQUEST);
    bool ok;

    *reterr_status = HAFT_ENOMEM;
    if (!job)
        return NULL;
    job_classify(job, request);
    job->durable =
        request->durable && job->writes && store->options.durability == HAFT_REDIS_REPLICAS;
    if (job->script == REDIS_PLAIN)
        ok = job_add_text(store, job, "GET") &&
             job_add_key(store, job, request->space, request->group, request->ops[0].key);
    else if (job->script == REDIS_TAKE)
        ok = job_add_take(store, job, request);
    else
        ok = job_add_request(store, job, request);
    if (ok) {
        job->request = request;
        return job;
    }
    return job_refuse(store, job, reterr_status);
}

static void job_add_part(struct redis_job *job, const struct redis_job *from, size_t begin,
                         size_t end)
{
    memcpy(job->data + job->size, from->data + begin, end - begin);
    job->size += end - begin;
}

struct redis_job *hf_redis_job_new_batch(struct redis_store *store, struct redis_job *first,
                                         size_t n)
{
    struct redis_job *batch = job_alloc(store, REDIS_TAKE), *job = first;
    size_t size = 0;

    for (size_t i = 0; i < n; i++, job = job->link_next)
        size += job->size - TAKE_KEY;
    if (!batch || !job_add_number(store, batch, n) || !job_reserve(store, batch, size)) {
        if (batch)
            hf_redis_job_free(store, batch);
        return NULL;
    }
    job = first;
    for (size_t i = 0; i < n; i++, job = job->link_next)
        job_add_part(batch, job, TAKE_KEY, job->arguments);
    job = first;
    for (size_t i = 0; i < n; i++, job = job->link_next)
        job_add_part(batch, job, job->arguments, job->size);
    batch->argc += (int)n * (first->argc - 1);
    batch->is_take = true;
    batch->members = first;
    return batch;
}

struct redis_job *hf_redis_job_new_scan(struct redis_store *store, haft_store_scan *scan,
                                        int *reterr_status)
{
    struct redis_job *job = job_alloc(store, REDIS_SCAN);
    char *at = NULL;

    *reterr_status = HAFT_ENOMEM;
    if (!job)
        return NULL;
    if (job_add_pair(store, job, 0, scan->cursor))
        at = job_argument(store, job, hf_redis_name_groups(store, scan->space, scan->prefix, NULL));
    if (at)
        hf_redis_name_groups(store, scan->space, scan->prefix, at);
    if (at && job_add_number(store, job, op_limit(scan->limit))) {
        job->scan = scan;
        return job;
    }
    return job_refuse(store, job, reterr_status);
}
