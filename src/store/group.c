/* group.c - applies a request to a table: prepare first, then write. */
#include "store/group.h"

enum { MAX_STAGED = 64 };

/* What an operation will write: prepared in the first pass, used in the second. */
struct staged {
    struct entry *entry;   /* NULL if it writes nothing */
    struct record *record; /* for PUT and APPEND */
    bool added;            /* the entry is new */
};

struct group {
    struct table *table;
    haft_store_request *request;
    struct staged staged[MAX_STAGED];
};

/* ---- preparing ---- */

/* Finds or adds the entry to write to. */
static int stage_entry(struct group *group, struct staged *staged, struct entry *entry,
                       haft_slice key, size_t bytes)
{
    struct table *table = group->table;
    haft_slice name = group->request->group;
    size_t own = entry ? 0 : sizeof *entry + name.size + key.size;

    if (!hf_table_make_room(table, entry ? 0 : 1, own + bytes, name, group->request->now))
        return HAFT_ETOOBIG;
    staged->added = !entry;
    staged->entry = entry ? entry : hf_table_add(table, name, key);
    return staged->entry ? 0 : HAFT_ENOMEM;
}

static int stage_record(struct group *group, struct staged *staged, haft_slice value)
{
    const haft_allocator *allocator = group->table->allocator;
    struct record *record = NULL;

    if (value.size < SIZE_MAX - sizeof *record)
        record = allocator->alloc(allocator->context, sizeof *record + value.size);
    if (!record)
        return HAFT_ENOMEM;
    *record = (struct record){.size = value.size};
    if (value.size)
        memcpy(record->data, value.data, value.size);
    staged->record = record;
    return 0;
}

static bool version_holds(const haft_store_op *op, const struct entry *entry)
{
    return !op->if_version || op->version == (entry ? entry->version : 0);
}

/* ---- operations: 1 if possible, 0 if not, or an error ---- */

static int op_get(struct group *group, haft_store_op *op, struct entry *entry)
{
    const struct record *value;
    char *copy;

    if (!entry || entry->type != ENTRY_VALUE)
        return entry && entry->type != ENTRY_EMPTY ? HAFT_EINVAL : 0;
    value = entry->as.value;
    copy = haft_arena_copy(group->request->arena, value->data, value->size);
    if (!copy)
        return HAFT_ENOMEM;
    op->ret_value = (haft_slice){copy, value->size};
    op->ret_version = entry->version;
    hf_table_touch(group->table, entry);
    return 1;
}

static int op_put(struct group *group, haft_store_op *op, struct entry *entry,
                  struct staged *staged)
{
    int status;

    if (!version_holds(op, entry))
        return 0;
    status = stage_entry(group, staged, entry, op->key, sizeof(struct record) + op->value.size);
    if (!status)
        status = stage_record(group, staged, op->value);
    return status ? status : 1;
}

static int op_remove_or_expire(const haft_store_op *op, struct entry *entry, struct staged *staged)
{
    if (!entry || !version_holds(op, entry))
        return 0;
    staged->entry = entry;
    return 1;
}

static int op_take(struct group *group, haft_store_op *op, struct entry *entry,
                   struct staged *staged)
{
    struct table *table = group->table;
    bool allowed;
    size_t before;
    int status = 0;

    if (entry && entry->type != ENTRY_WINDOW && entry->type != ENTRY_EMPTY)
        return HAFT_EINVAL;
    if (!entry)
        status = stage_entry(group, staged, NULL, op->key, 0);
    else
        staged->entry = entry;
    if (status)
        return status;
    entry = staged->entry;
    before = entry->bytes;
    entry->type = ENTRY_WINDOW;
    hf_window_set_rate(&entry->as.window, op->rate, table->allocator, &entry->bytes);
    allowed = hf_window_allows(&entry->as.window, group->request->now, &op->ret_wait_ms);
    if (allowed)
        status = hf_window_reserve(&entry->as.window, table->allocator, &entry->bytes);
    hf_entry_resized(table, entry, before);
    if (status)
        return status;
    if (allowed)
        op->ret_wait_ms = 0;
    return hf_table_make_room(table, 0, 0, group->request->group, group->request->now)
               ? allowed
               : HAFT_ETOOBIG;
}

static int op_append(struct group *group, haft_store_op *op, struct entry *entry,
                     struct staged *staged)
{
    int status;

    if (entry && entry->type != ENTRY_LOG && entry->type != ENTRY_EMPTY)
        return HAFT_EINVAL;
    if (op->value.size > op->max_bytes)
        return HAFT_ETOOBIG;
    status = stage_entry(group, staged, entry, op->key, sizeof(struct record) + op->value.size);
    if (!status)
        status = stage_record(group, staged, op->value);
    return status ? status : 1;
}

/* Returns the first record after a sequence number; NULL if there is none. */
static const struct record *range_first(const struct log *log, uint64_t after)
{
    const struct record *record = log->first;

    while (record && record->sequence <= after)
        record = record->next;
    return record;
}

static int op_range(struct group *group, haft_store_op *op, struct entry *entry)
{
    haft_arena *arena = group->request->arena;
    const struct record *first, *record;
    size_t n = 0, bytes = 0;

    if (!entry || entry->type != ENTRY_LOG)
        return entry && entry->type != ENTRY_EMPTY ? HAFT_EINVAL : 0;
    first = record = range_first(&entry->as.log, op->after);
    op->ret_gap = first ? first->sequence > op->after + 1 : entry->as.log.sequence > op->after;
    for (; record && n < op->max_records && bytes + record->size <= op->max_bytes; n++) {
        bytes += record->size;
        record = record->next;
    }
    op->ret_records = haft_arena_zalloc(arena, n ? n : 1, sizeof *op->ret_records);
    if (!op->ret_records)
        return HAFT_ENOMEM;
    for (record = first; op->n_records < n; record = record->next) {
        char *copy = haft_arena_copy(arena, record->data, record->size);

        if (!copy)
            return HAFT_ENOMEM;
        op->ret_records[op->n_records++] =
            (haft_store_record){record->sequence, {copy, record->size}};
    }
    hf_table_touch(group->table, entry);
    return 1;
}

static int prepare_op(struct group *group, haft_store_op *op, struct staged *staged)
{
    struct entry *entry =
        op->kind == HAFT_STORE_PUBLISH
            ? NULL
            : hf_table_find(group->table, group->request->group, op->key, group->request->now);

    switch (op->kind) {
    case HAFT_STORE_GET:
        return op_get(group, op, entry);
    case HAFT_STORE_PUT:
        return op_put(group, op, entry, staged);
    case HAFT_STORE_DELETE:
    case HAFT_STORE_EXPIRE:
        return op_remove_or_expire(op, entry, staged);
    case HAFT_STORE_TAKE:
        return op_take(group, op, entry, staged);
    case HAFT_STORE_APPEND:
        return op_append(group, op, entry, staged);
    case HAFT_STORE_RANGE:
        return op_range(group, op, entry);
    default:
        return 1;
    }
}

/* Whether a failed operation prevents the others. */
static bool is_condition(const haft_store_op *op)
{
    return op->if_version || op->kind == HAFT_STORE_TAKE;
}

/* ---- writing ---- */

static int64_t ends_at(const haft_store_request *request, int64_t expires_ms)
{
    return expires_ms && expires_ms < INT64_MAX - request->now ? request->now + expires_ms : 0;
}

static void group_write_value(struct group *group, struct staged *staged)
{
    struct entry *entry = staged->entry;
    size_t before;

    hf_entry_clear(group->table, entry);
    before = entry->bytes;
    entry->type = ENTRY_VALUE;
    entry->as.value = staged->record;
    entry->bytes += sizeof *staged->record + staged->record->size;
    hf_entry_resized(group->table, entry, before);
}

static void log_drop_first(struct group *group, struct entry *entry)
{
    const haft_allocator *allocator = group->table->allocator;
    struct log *log = &entry->as.log;
    struct record *record = log->first;

    log->first = record->next;
    if (!log->first)
        log->last = NULL;
    log->n--;
    log->bytes -= record->size;
    entry->bytes -= sizeof *record + record->size;
    allocator->release(allocator->context, record, sizeof *record + record->size);
}

static void group_write_record(struct group *group, haft_store_op *op, struct staged *staged)
{
    struct entry *entry = staged->entry;
    struct record *record = staged->record;
    struct log *log = &entry->as.log;
    size_t before = entry->bytes;

    entry->type = ENTRY_LOG;
    record->sequence = ++log->sequence;
    if (log->last)
        log->last->next = record;
    else
        log->first = record;
    log->last = record;
    log->n++;
    log->bytes += record->size;
    entry->bytes += sizeof *record + record->size;
    while (log->n > op->max_records || log->bytes > op->max_bytes)
        log_drop_first(group, entry);
    hf_entry_resized(group->table, entry, before);
    op->ret_version = record->sequence;
}

static void write_op(struct group *group, haft_store_op *op, struct staged *staged)
{
    const haft_store_request *request = group->request;
    struct entry *entry = staged->entry;
    int64_t ends = ends_at(request, op->expires_ms);

    if (!entry)
        return;
    if (op->kind == HAFT_STORE_DELETE) {
        hf_table_remove(group->table, entry);
        return;
    }
    if (op->kind == HAFT_STORE_PUT)
        group_write_value(group, staged);
    else if (op->kind == HAFT_STORE_APPEND)
        group_write_record(group, op, staged);
    else if (op->kind == HAFT_STORE_TAKE)
        hf_window_count(&entry->as.window, request->now);
    if (op->kind == HAFT_STORE_TAKE)
        ends = ends_at(request, op->expires_ms ? op->expires_ms : (int64_t)op->rate.per_ms);
    if (ends || op->kind != HAFT_STORE_APPEND)
        entry->expires = ends;
    if (op->kind != HAFT_STORE_EXPIRE)
        entry->version = ++group->table->version;
    if (op->kind == HAFT_STORE_PUT)
        op->ret_version = entry->version;
    hf_table_touch(group->table, entry);
}

/* ---- undoing the first pass ---- */

static void unstage(struct group *group, struct staged *staged)
{
    const haft_allocator *allocator = group->table->allocator;

    if (staged->record)
        allocator->release(allocator->context, staged->record,
                           sizeof *staged->record + staged->record->size);
    if (staged->entry && staged->added)
        hf_table_remove(group->table, staged->entry);
}

int hf_group_apply(struct table *table, haft_store_request *request)
{
    struct group group = {.table = table, .request = request};
    int status = 1;
    size_t n = 0;

    for (; n < request->n_ops && status > 0; n++) {
        haft_store_op *op = &request->ops[n];

        op->status = prepare_op(&group, op, &group.staged[n]);
        if (op->status < 0 || (!op->status && is_condition(op)))
            status = op->status;
    }
    for (size_t i = 0; i < n; i++)
        if (status > 0)
            write_op(&group, &request->ops[i], &group.staged[i]);
        else
            unstage(&group, &group.staged[i]);
    return status;
}
