/* upstream.c - an upstream, whatever its kind: how it is made, started, stopped and freed. */
#include "upstream/upstream.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "config/file.h"
#include "engine/call/call.h"
#include "process/supervisor.h"
#include "schema/model/node.h"

enum {
    UPSTREAM_ARENA_LIMIT = 512 << 20,
    UPSTREAM_ITEMS_FIRST = 16,
    UPSTREAM_SECRET_LIMIT = 64 << 10,
    UPSTREAM_PROGRAMS_MS = 5000 /* until programs that have not ended are killed */
};

/* ---- making and freeing ---- */

static void upstream_release(struct module *module)
{
    struct upstream *upstream = (struct upstream *)module;

    if (upstream->kind->release)
        upstream->kind->release(upstream);
    uv_mutex_destroy(&upstream->lock);
    haft_arena_free(upstream->arena);
}

struct upstream *hf_upstream_of(const struct item *item)
{
    return item->module && item->module->release == upstream_release
               ? (struct upstream *)item->module
               : NULL;
}

int hf_upstream_keep_headers(haft_call *call)
{
    const struct upstream *upstream = call->item ? hf_upstream_of(call->item) : NULL;
    const haft_headers *headers = call->request.headers;
    haft_header *list;
    int n;

    if (!upstream || !upstream->kind->forward || !headers)
        return 0;
    n = upstream->kind->forward(upstream, headers->list, headers->n, NULL, NULL);
    if (!n)
        return 0;
    list = haft_arena_alloc(call->arena, headers->n * sizeof *list);
    n = list ? upstream->kind->forward(upstream, headers->list, headers->n, call->arena, list)
             : HAFT_ENOMEM;
    if (n < 0)
        return n;
    call->request.forwarded = list;
    call->request.n_forwarded = (size_t)n;
    return 0;
}

static const char *upstream_copy(struct upstream *upstream, const char *text, bool *memory)
{
    const char *copy = text ? haft_arena_copy(upstream->arena, text, strlen(text)) : NULL;

    *memory &= !text == !copy;
    return copy;
}

static struct upstream *upstream_alloc(struct upstream_set *set,
                                       const struct upstream_definition *definition)
{
    haft_arena *arena = haft_arena_new(set->allocator, UPSTREAM_ARENA_LIMIT);
    struct upstream *upstream = arena ? haft_arena_zalloc(arena, 1, sizeof *upstream) : NULL;
    bool memory = true;

    if (!upstream) {
        haft_arena_free(arena);
        return NULL;
    }
    upstream->arena = arena;
    upstream->set = set;
    upstream->kind = definition->kind;
    upstream->name = upstream_copy(upstream, definition->name, &memory);
    upstream->prefix = upstream_copy(upstream, definition->prefix, &memory);
    upstream->tools = upstream_copy(upstream, definition->tools, &memory);
    upstream->text = upstream_copy(upstream, definition->text, &memory);
    if (!memory || uv_mutex_init(&upstream->lock)) {
        haft_arena_free(arena);
        return NULL;
    }
    hf_module_init(&upstream->module, upstream_release);
    upstream->module.foreign = true;
    return upstream;
}

/* The first issue, at its path. */
static int upstream_refuse_options(const haft_issues *issues, haft_reason *reterr_reason)
{
    haft_buffer path;
    int status;

    haft_buffer_init(&path, NULL, sizeof reterr_reason->path);
    haft_issue_path(&issues->list[0], &path);
    haft_buffer_add(&path, "", 1);
    status = hf_error_set(reterr_reason, HAFT_EINVAL, path.status ? "" : path.data, "%s",
                          issues->list[0].message);
    haft_buffer_finish(&path);
    return status;
}

/* Copies a value, so that what the options point to lives as long as the upstream. */
static haft_value *upstream_copy_value(const struct upstream *upstream, const haft_value *value)
{
    haft_buffer text;
    haft_value *copy = NULL;

    haft_buffer_init(&text, upstream->set->allocator, UPSTREAM_ARENA_LIMIT);
    haft_json_write(value, &text);
    if (!text.status)
        copy = haft_json_read(text.data, text.size, 0, upstream->arena, NULL);
    haft_buffer_finish(&text);
    return copy;
}

static int upstream_decode(struct upstream *upstream, haft_value *value, const haft_schema *schema,
                           void **ret_options, haft_reason *reterr_reason)
{
    haft_value *copy = upstream_copy_value(upstream, value);
    haft_issues issues = {0};
    int status = HAFT_ENOMEM;

    *ret_options = haft_arena_zalloc(upstream->arena, 1, upstream->kind->options->size);
    if (copy && *ret_options)
        status = haft_schema_decode(schema, copy, upstream->arena, *ret_options, &issues);
    return issues.count ? upstream_refuse_options(&issues, reterr_reason) : status;
}

static int upstream_make(struct upstream *upstream, haft_value *value, haft_reason *reterr_reason)
{
    haft_schema_options limits =
        HAFT_INIT(haft_schema_options, .allocator = upstream->set->allocator);
    haft_schema *schema = NULL;
    void *options;
    int status = haft_schema_compile(upstream->kind->options, &limits, &schema, reterr_reason);

    if (!status)
        status = upstream_decode(upstream, value, schema, &options, reterr_reason);
    if (!status)
        status = upstream->kind->make(upstream, options, reterr_reason);
    haft_schema_free(schema);
    return status;
}

int hf_upstream_new(struct upstream_set *set, const struct upstream_definition *definition,
                    struct upstream **ret_upstream, haft_reason *reterr_reason)
{
    struct upstream *upstream = upstream_alloc(set, definition);
    int status;

    *reterr_reason = (haft_reason){.code = 0};
    if (!upstream)
        return hf_error_set(reterr_reason, HAFT_ENOMEM, "", "out of memory");
    status = upstream_make(upstream, definition->options, reterr_reason);
    if (status && !reterr_reason->code)
        hf_error_set(reterr_reason, status, "", "%s", haft_strerror(status));
    if (status)
        hf_module_drop(&upstream->module);
    else
        *ret_upstream = upstream;
    return status;
}

/* ---- starting and stopping ---- */

static void upstream_run_start(struct outbound_task *task)
{
    struct upstream *upstream = task->owner;

    upstream->started = true;
    if (upstream->kind->start)
        upstream->kind->start(upstream);
    else
        hf_upstream_set_state(upstream, UPSTREAM_READY, NULL);
    hf_module_drop(&upstream->module);
}

static void upstream_run_stop(struct outbound_task *task)
{
    struct upstream *upstream = task->owner;

    upstream->stopped = true;
    if (upstream->started && upstream->kind->stop)
        upstream->kind->stop(upstream);
    hf_upstream_set_state(upstream, UPSTREAM_STOPPED, NULL);
    hf_module_drop(&upstream->module);
}

int hf_upstream_start(struct upstream *upstream, haft_reason *reterr_reason)
{
    int status = hf_outbound_start(&upstream->set->outbound, reterr_reason);

    if (status)
        return status;
    hf_module_take(&upstream->module);
    upstream->start_task = (struct outbound_task){.run = upstream_run_start, .owner = upstream};
    hf_outbound_post(&upstream->set->outbound, &upstream->start_task);
    return 0;
}

void hf_upstream_stop(struct upstream *upstream)
{
    if (!hf_outbound_is_running(&upstream->set->outbound)) /* none has been started */
        return;
    hf_module_take(&upstream->module);
    upstream->stop_task = (struct outbound_task){.run = upstream_run_stop, .owner = upstream};
    hf_outbound_post(&upstream->set->outbound, &upstream->stop_task);
}

/* ---- its state ---- */

static void upstream_log_state(const struct upstream *upstream, enum upstream_state before,
                               enum upstream_state state, const haft_reason *reason)
{
    if (state == UPSTREAM_FAILING)
        hf_server_log(upstream->set->server, HAFT_WARNING, "upstream %s: %s", upstream->name,
                      reason ? reason->text : "failing");
    else if (state == UPSTREAM_READY && before == UPSTREAM_FAILING)
        hf_server_log(upstream->set->server, HAFT_NOTICE, "upstream %s: ready again",
                      upstream->name);
}

void hf_upstream_set_state(struct upstream *upstream, enum upstream_state state,
                           const haft_reason *reason)
{
    struct upstream_set *set = upstream->set;
    enum upstream_state before;

    uv_mutex_lock(&upstream->lock);
    before = upstream->state;
    upstream->state = state;
    upstream->failure = reason ? *reason : (haft_reason){.code = 0};
    uv_mutex_unlock(&upstream->lock);
    if (state == before)
        return;
    upstream_log_state(upstream, before, state, reason);
    uv_mutex_lock(&set->lock);
    uv_cond_broadcast(&set->settled);
    uv_mutex_unlock(&set->lock);
}

enum upstream_state hf_upstream_state(struct upstream *upstream, haft_reason *ret_failure)
{
    enum upstream_state state;

    uv_mutex_lock(&upstream->lock);
    state = upstream->state;
    if (ret_failure)
        *ret_failure = upstream->failure;
    uv_mutex_unlock(&upstream->lock);
    return state;
}

/* ---- what it offers ---- */

bool hf_upstream_offers(const struct upstream *upstream, const char *tool)
{
    return hf_upstream_offers_either(upstream, tool, tool);
}

bool hf_upstream_offers_either(const struct upstream *upstream, const char *tool, const char *other)
{
    return !upstream->tools || hf_glob_list_allows_either(upstream->tools, tool, other);
}

int hf_upstream_items_add(struct upstream_items *items, struct item *item)
{
    if (items->n == items->room) {
        size_t room = items->room ? items->room * 2 : UPSTREAM_ITEMS_FIRST;
        struct item **list = haft_arena_zalloc(items->arena, room, sizeof *list);

        if (!list) {
            hf_item_drop(item);
            return HAFT_ENOMEM;
        }
        if (items->n)
            memcpy(list, items->list, items->n * sizeof *list);
        items->list = list;
        items->room = room;
    }
    items->list[items->n++] = item;
    return 0;
}

/* ---- files and secrets that the configuration names ---- */

const char *hf_upstream_path(const struct upstream *upstream, const char *file)
{
    const char *directory = upstream->set->directory;

    return *file == '/' || !directory
               ? file
               : haft_arena_printf(upstream->arena, "%s/%s", directory, file);
}

static int upstream_refuse_file(const char *file, int status, haft_reason *reterr_reason)
{
    return hf_error_set(reterr_reason, status, "", "cannot read %s: %s", file,
                        status == HAFT_EINVAL ? strerror(errno) : haft_strerror(status));
}

int hf_upstream_file(const struct upstream *upstream, const char *file, const char **ret_path,
                     haft_reason *reterr_reason)
{
    *ret_path = hf_upstream_path(upstream, file);
    if (*ret_path && !access(*ret_path, R_OK))
        return 0;
    return upstream_refuse_file(file, *ret_path ? HAFT_EINVAL : HAFT_ENOMEM, reterr_reason);
}

/* Reads a file to the arena, with a NUL at the end. */
static int upstream_read(const struct upstream *upstream, const char *file, size_t limit,
                         bool secret, struct text *ret_text, haft_reason *reterr_reason)
{
    const char *path = hf_upstream_path(upstream, file);
    haft_buffer buffer;
    int status = HAFT_ENOMEM;

    haft_buffer_init(&buffer, upstream->set->allocator, limit);
    if (path)
        status = secret ? hf_file_read_secret(path, upstream->set->server, &buffer)
                        : hf_file_read(path, &buffer);
    if (!status) {
        ret_text->size = buffer.size;
        ret_text->data =
            haft_arena_copy(upstream->arena, buffer.data ? buffer.data : "", buffer.size);
        status = ret_text->data ? 0 : HAFT_ENOMEM;
    }
    if (status)
        upstream_refuse_file(file, status, reterr_reason);
    haft_buffer_finish(&buffer);
    return status;
}

int hf_upstream_read(const struct upstream *upstream, const char *file, size_t limit,
                     struct text *ret_text, haft_reason *reterr_reason)
{
    return upstream_read(upstream, file, limit, false, ret_text, reterr_reason);
}

int hf_upstream_secret(const struct upstream *upstream, const char *written,
                       const char **ret_secret, haft_reason *reterr_reason)
{
    struct text text;
    int status;

    *ret_secret = written;
    if (!written || *written != '@')
        return 0;
    status =
        upstream_read(upstream, written + 1, UPSTREAM_SECRET_LIMIT, true, &text, reterr_reason);
    if (status)
        return status;
    while (text.size && (text.data[text.size - 1] == '\n' || text.data[text.size - 1] == '\r'))
        text.size--;
    *ret_secret = haft_arena_copy(upstream->arena, text.data, text.size);
    if (!*ret_secret)
        return hf_error_set(reterr_reason, HAFT_ENOMEM, "", "out of memory");
    return text.size && strlen(*ret_secret) == text.size
               ? 0
               : hf_error_set(reterr_reason, HAFT_EINVAL, "", "%s is empty or not text",
                              written + 1);
}

/* ---- the set ---- */

static int upstream_set_init_locks(struct upstream_set *set)
{
    if (uv_mutex_init(&set->lock))
        return HAFT_ENOMEM;
    if (uv_mutex_init(&set->offers_lock)) {
        uv_mutex_destroy(&set->lock);
        return HAFT_ENOMEM;
    }
    if (!uv_cond_init(&set->settled))
        return 0;
    uv_mutex_destroy(&set->lock);
    uv_mutex_destroy(&set->offers_lock);
    return HAFT_ENOMEM;
}

int hf_upstream_set_init(struct upstream_set *set, haft_server *server)
{
    *set = (struct upstream_set){.allocator = server->allocator, .server = server};
    if (hf_outbound_init(&set->outbound))
        return HAFT_ENOMEM;
    if (!upstream_set_init_locks(set))
        return 0;
    hf_outbound_finish(&set->outbound);
    return HAFT_ENOMEM;
}

static void *upstream_set_lend_loop(void *context)
{
    struct upstream_set *set = context;

    return hf_outbound_lend(&set->outbound);
}

static void upstream_set_return_loop(void *context)
{
    struct upstream_set *set = context;

    hf_outbound_return(&set->outbound);
}

void hf_upstream_set_offer_loop(struct upstream_set *set, haft_server *server)
{
    server->process.lend_loop = upstream_set_lend_loop;
    server->process.return_loop = upstream_set_return_loop;
    server->process.loop_context = set;
}

void hf_upstream_set_wait(struct upstream_set *set, struct upstream *const *upstreams, size_t n,
                          unsigned ms)
{
    uint64_t end = uv_hrtime() + (uint64_t)ms * 1000000, now;

    uv_mutex_lock(&set->lock);
    for (size_t i = 0; i < n; i++)
        while (hf_upstream_state(upstreams[i], NULL) == UPSTREAM_STARTING &&
               (now = uv_hrtime()) < end)
            uv_cond_timedwait(&set->settled, &set->lock, end - now);
    uv_mutex_unlock(&set->lock);
}

static void upstream_set_close(struct outbound_task *task)
{
    struct upstream_set *set = task->owner;

    hf_supervisor_close(set->supervisor, UPSTREAM_PROGRAMS_MS, NULL, NULL);
    set->supervisor = NULL;
}

void hf_upstream_set_finish(struct upstream_set *set)
{
    struct outbound_task close = {.run = upstream_set_close, .owner = set};

    /* After the upstreams, whose ends have been posted before. */
    if (hf_outbound_is_running(&set->outbound))
        hf_outbound_post(&set->outbound, &close);
    hf_outbound_finish(&set->outbound);
    uv_cond_destroy(&set->settled);
    uv_mutex_destroy(&set->offers_lock);
    uv_mutex_destroy(&set->lock);
}
