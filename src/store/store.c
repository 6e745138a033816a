/* store.c - common to all stores: checks requests before an implementation sees them. */
#include <haft/store.h>

#include "base/base.h"

enum {
    MAX_OPS = 64,
    STORE_MAX_NAME = 1024, /* size of a group or a key */
    DEFAULT_RECORDS = 256,
    DEFAULT_LOG_BYTES = 1 << 20,
    DEFAULT_STEP = 100
};

/* A method, or NULL if the implementation was compiled before it existed. */
#define STORE_METHOD(store, name)                                                                  \
    (offsetof(haft_store_methods, name) < (store)->methods->struct_size ? (store)->methods->name   \
                                                                        : NULL)

const char *haft_store_op_name(haft_store_kind kind)
{
    static const char *const names[] = {
#define HAFT_STORE_OP_(name, text) text,
        HAFT_STORE_OPS(HAFT_STORE_OP_)
#undef HAFT_STORE_OP_
    };

    return (unsigned)kind < HAFT_STORE_OP_COUNT_ ? names[kind] : "unknown";
}

/* ---- requests ---- */

/* An empty name is "", not NULL. */
static bool slice_is_name(haft_slice slice)
{
    return slice.size <= STORE_MAX_NAME && slice.data;
}

static bool op_is_valid(const haft_store_op *op)
{
    if ((unsigned)op->kind >= HAFT_STORE_OP_COUNT_ || !slice_is_name(op->key) ||
        (op->value.size && !op->value.data) || op->expires_ms < 0)
        return false;
    return op->kind != HAFT_STORE_TAKE || op->rate.per_ms;
}

static bool op_reads(const haft_store_op *op)
{
    return op->kind == HAFT_STORE_GET || op->kind == HAFT_STORE_RANGE;
}

static bool op_writes(const haft_store_op *op)
{
    return !op_reads(op) && op->kind != HAFT_STORE_PUBLISH;
}

/* Two writes of one entry have no order in a request that is applied atomically. */
static bool request_writes_twice(const haft_store_request *request)
{
    const haft_store_op *ops = request->ops;

    for (size_t i = 1; i < request->n_ops; i++)
        for (size_t j = 0; j < i; j++)
            if (op_writes(&ops[i]) && op_writes(&ops[j]) && ops[i].key.size == ops[j].key.size &&
                !memcmp(ops[i].key.data, ops[j].key.data, ops[i].key.size))
                return true;
    return false;
}

static bool request_is_valid(const haft_store_request *request)
{
    if (!request->space || !*request->space || !slice_is_name(request->group) || !request->ops ||
        !request->n_ops || request->n_ops > MAX_OPS || request->now < 0)
        return false;
    for (size_t i = 0; i < request->n_ops; i++)
        if (!op_is_valid(&request->ops[i]) || (op_reads(&request->ops[i]) && !request->arena))
            return false;
    return !request_writes_twice(request);
}

static void op_prepare(haft_store_op *op)
{
    op->max_records = op->max_records ? op->max_records : DEFAULT_RECORDS;
    op->max_bytes = op->max_bytes ? op->max_bytes : DEFAULT_LOG_BYTES;
    op->status = 0;
    op->ret_value = (haft_slice){NULL, 0};
    op->ret_version = 0;
    op->ret_wait_ms = 0;
    op->ret_records = NULL;
    op->n_records = 0;
    op->ret_gap = false;
}

int haft_store_submit(haft_store *store, haft_store_request *request)
{
    if (!store || !request)
        return HAFT_EINVAL;
    request->status = HAFT_EINVAL;
    request->is_durable = false;
    request->is_unknown = false;
    if (!request_is_valid(request))
        return HAFT_EINVAL;
    for (size_t i = 0; i < request->n_ops; i++)
        op_prepare(&request->ops[i]);
    return STORE_METHOD(store, submit) ? store->methods->submit(store, request) : HAFT_EINVAL;
}

bool haft_store_cancel(haft_store *store, haft_store_request *request)
{
    return STORE_METHOD(store, cancel) && STORE_METHOD(store, cancel)(store, request);
}

/* ---- other functions ---- */

int haft_store_scan_step(haft_store *store, haft_store_scan *scan)
{
    if (!store || !scan || !scan->space || !*scan->space || !scan->arena ||
        !slice_is_name(scan->prefix))
        return HAFT_EINVAL;
    scan->limit = scan->limit ? scan->limit : DEFAULT_STEP;
    scan->status = 0;
    scan->ret_found = NULL;
    scan->n_found = 0;
    return STORE_METHOD(store, scan) ? STORE_METHOD(store, scan)(store, scan) : HAFT_EINVAL;
}

int haft_store_subscribe(haft_store *store, haft_store_subscriber *subscriber)
{
    if (!store || !subscriber || !subscriber->space || !*subscriber->space ||
        !subscriber->message || !slice_is_name(subscriber->channel))
        return HAFT_EINVAL;
    return STORE_METHOD(store, subscribe) ? STORE_METHOD(store, subscribe)(store, subscriber)
                                          : HAFT_EINVAL;
}

void haft_store_unsubscribe(haft_store *store, haft_store_subscriber *subscriber)
{
    if (STORE_METHOD(store, unsubscribe))
        STORE_METHOD(store, unsubscribe)(store, subscriber);
}

void haft_store_free(haft_store *store)
{
    if (store && STORE_METHOD(store, free))
        STORE_METHOD(store, free)(store);
}

/* ---- loops and availability ---- */

int haft_store_attach(haft_store *store, void *loop)
{
    if (!store || !loop)
        return HAFT_EINVAL;
    return STORE_METHOD(store, attach) ? STORE_METHOD(store, attach)(store, loop) : 0;
}

void haft_store_detach(haft_store *store, void *loop)
{
    if (store && loop && STORE_METHOD(store, detach))
        STORE_METHOD(store, detach)(store, loop);
}

int haft_store_get_status(haft_store *store, haft_store_status *ret_status)
{
    haft_store_status status = HAFT_INIT(haft_store_status, .available = true);
    size_t size = ret_status ? ret_status->struct_size : 0;

    if (!store || size < sizeof size)
        return HAFT_EINVAL;
    if (STORE_METHOD(store, get_status))
        STORE_METHOD(store, get_status)(store, &status);
    status.struct_size = size;
    memcpy(ret_status, &status, size < sizeof status ? size : sizeof status);
    return 0;
}

void haft_store_watch(haft_store *store, haft_store_watcher *watcher)
{
    if (store && watcher && STORE_METHOD(store, watch))
        STORE_METHOD(store, watch)(store, watcher);
}

void haft_store_unwatch(haft_store *store, haft_store_watcher *watcher)
{
    if (store && watcher && STORE_METHOD(store, unwatch))
        STORE_METHOD(store, unwatch)(store, watcher);
}
