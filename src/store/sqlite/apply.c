/* apply.c - the operations of a request, in two passes as in the store in memory: the first checks
 * conditions and reads the group as it was, the second writes. If a limit stops the second one after it has written, a
 * savepoint undoes it. */
#include "store/sqlite/apply.h"

#include <string.h>

#include "store/slice.h"
#include "store/sqlite/entry.h"

enum { APPLY_MAX_OPS = 64, APPLY_RECORD = 32, APPLY_CALL = 24 };

/* What the first pass has found for an operation. */
struct plan {
    struct db_entry entry;
    int64_t call;    /* TAKE: time or slice of this call, */
    int64_t cutoff;  /* calls up to here have left the window, */
    int64_t dropped; /* and their number */
};

struct apply {
    struct db *db;
    haft_store_request *request;
    const struct apply_names *names;
    struct db_space *space;
    struct plan plans[APPLY_MAX_OPS];
};

bool hf_apply_writes(const struct db *db, const haft_store_request *request)
{
    /* Reading changes the order of eviction. */
    if (db->host->limits(db->limits, db->n_limits, request->space).evicts)
        return true;
    for (size_t i = 0; i < request->n_ops; i++)
        if (request->ops[i].kind != HAFT_STORE_GET && request->ops[i].kind != HAFT_STORE_RANGE)
            return true;
    return false;
}

/* ---- first pass: 1 if possible, 0 if not, or an error ---- */

static int apply_get(haft_store_op *op, const struct db_entry *entry)
{
    if (!entry->id)
        return 0;
    if (entry->type != DB_VALUE)
        return HAFT_EINVAL;
    op->ret_version = (uint64_t)entry->version;
    return 1;
}

static bool apply_version_holds(const haft_store_op *op, const struct db_entry *entry)
{
    return !op->if_version || op->version == (entry->id ? (uint64_t)entry->version : 0);
}

static bool apply_is_sliced(const haft_store_op *op)
{
    return op->rate.calls > WINDOW_EXACT;
}

/* When the oldest call in the window leaves it. */
static int apply_wait(struct apply *apply, haft_store_op *op, const struct plan *plan)
{
    int64_t per_ms = op->rate.per_ms, at;
    sqlite3_stmt *row;
    int status = hf_db_first(apply->db, &row, DB_FIRST_CALL, "ii", plan->entry.id, plan->cutoff);

    if (status < 0)
        return -1;
    at = status ? sqlite3_column_int64(row, 0) : plan->call;
    if (status)
        hf_db_end(row);
    if (at < 0 || at > plan->call)
        at = plan->call;
    op->ret_wait_ms = apply_is_sliced(op)
                          ? slice_begin(per_ms, at + WINDOW_SLICES + 1) - apply->db->now
                          : at + per_ms - apply->db->now;
    return 0;
}

static int apply_take(struct apply *apply, haft_store_op *op, struct plan *plan)
{
    struct db_entry *entry = &plan->entry;
    int64_t per_ms = op->rate.per_ms;
    sqlite3_stmt *row;

    if (entry->id && entry->type != DB_WINDOW)
        return HAFT_EINVAL;
    if (!op->rate.calls) {
        op->ret_wait_ms = per_ms;
        return 0;
    }
    plan->call = apply_is_sliced(op) ? slice_at(per_ms, apply->db->now) : apply->db->now;
    plan->cutoff = plan->call - (apply_is_sliced(op) ? WINDOW_SLICES + 1 : per_ms);
    if (!entry->id)
        return 1;
    if (entry->calls != op->rate.calls || entry->per_ms != per_ms) { /* starts again */
        plan->cutoff = INT64_MAX;
        plan->dropped = entry->total;
        return 1;
    }
    if (hf_db_first(apply->db, &row, DB_COUNT_CALLS, "ii", entry->id, plan->cutoff) < 1)
        return -1;
    plan->dropped = sqlite3_column_int64(row, 0);
    hf_db_end(row);
    if (plan->dropped < 0 || plan->dropped > entry->total)
        return hf_db_damaged(apply->db);
    if (entry->total - plan->dropped < (int64_t)op->rate.calls)
        return 1;
    return apply_wait(apply, op, plan) ? -1 : 0;
}

static int apply_append(const haft_store_op *op, const struct db_entry *entry, haft_slice value)
{
    if (entry->id && entry->type != DB_LOG)
        return HAFT_EINVAL;
    return value.size > op->max_bytes ? HAFT_ETOOBIG : 1;
}

static int apply_copy_record(struct apply *apply, haft_store_op *op, sqlite3_stmt *row)
{
    haft_slice value = hf_db_slice(row, 1);
    char *copy = apply->db->host->alloc(apply->request->arena, value.size + 1);

    if (!copy)
        return HAFT_ENOMEM;
    if (value.size)
        memcpy(copy, value.data, value.size);
    copy[value.size] = '\0';
    op->ret_records[op->n_records++] =
        (haft_store_record){(uint64_t)sqlite3_column_int64(row, 0), {copy, value.size}};
    return 0;
}

/* Reads rows until one does not fit. */
static int apply_read_records(struct apply *apply, haft_store_op *op, sqlite3_stmt *rows,
                              size_t max)
{
    size_t bytes = 0;
    bool first = true;
    int status;

    while ((status = hf_db_step(apply->db, rows)) > 0) {
        haft_slice value = hf_db_slice(rows, 1);

        if (first)
            op->ret_gap = (uint64_t)sqlite3_column_int64(rows, 0) > op->after + 1;
        first = false;
        if (op->n_records >= max || value.size > op->max_bytes - bytes)
            break;
        bytes += value.size;
        status = apply_copy_record(apply, op, rows);
        if (status)
            break;
    }
    if (status)
        hf_db_end(rows);
    if (first)
        op->ret_gap = true; /* the caller knows whether anything is missing */
    return status < 0 ? status : 1;
}

static int apply_range(struct apply *apply, haft_store_op *op, const struct db_entry *entry)
{
    uint64_t after = op->after < INT64_MAX ? op->after : INT64_MAX;
    uint64_t total = entry->total > 0 ? (uint64_t)entry->total : 0;
    size_t max = op->max_records < total ? op->max_records : (size_t)total;
    sqlite3_stmt *rows;
    int status;

    if (!entry->id)
        return 0;
    if (entry->type != DB_LOG)
        return HAFT_EINVAL;
    if (max > SIZE_MAX / sizeof *op->ret_records - 1)
        return HAFT_ENOMEM;
    op->ret_records =
        apply->db->host->alloc(apply->request->arena, (max + 1) * sizeof *op->ret_records);
    if (!op->ret_records)
        return HAFT_ENOMEM;
    rows = hf_db_start(apply->db, DB_RANGE, "iii", entry->id, (int64_t)after, (int64_t)max + 1);
    status = rows ? apply_read_records(apply, op, rows, max) : -1;
    if (!op->n_records && op->ret_gap)
        op->ret_gap = (uint64_t)entry->last > op->after;
    return status;
}

static int apply_prepare(struct apply *apply, size_t i)
{
    haft_store_op *op = &apply->request->ops[i];
    struct plan *plan = &apply->plans[i];
    bool reads = op->kind == HAFT_STORE_GET;
    int status;

    if (op->kind == HAFT_STORE_PUBLISH)
        return 1;
    status = hf_entry_find(apply->db, apply->space, apply->names->group, apply->names->keys[i],
                           reads ? apply->request->arena : NULL, &plan->entry, &op->ret_value);
    if (status)
        return status;
    switch (op->kind) {
    case HAFT_STORE_GET:
        return apply_get(op, &plan->entry);
    case HAFT_STORE_PUT:
        return apply_version_holds(op, &plan->entry);
    case HAFT_STORE_TAKE:
        return apply_take(apply, op, plan);
    case HAFT_STORE_APPEND:
        return apply_append(op, &plan->entry, apply->names->values[i]);
    case HAFT_STORE_RANGE:
        return apply_range(apply, op, &plan->entry);
    default: /* DELETE, EXPIRE */
        return plan->entry.id && apply_version_holds(op, &plan->entry);
    }
}

/* ---- second pass: 0 or an error ---- */

static int64_t apply_end(const struct apply *apply, int64_t expires_ms)
{
    int64_t now = apply->db->now;

    return expires_ms && expires_ms < INT64_MAX - now ? now + expires_ms : 0;
}

static int apply_clear(struct apply *apply, const struct db_entry *entry)
{
    if (entry->id && entry->type == DB_LOG)
        return hf_db_run(apply->db, DB_REMOVE_RECORDS, "i", entry->id);
    if (entry->id && entry->type == DB_WINDOW)
        return hf_db_run(apply->db, DB_REMOVE_CALLS, "ii", entry->id, INT64_MAX);
    return 0;
}

static int apply_save(struct apply *apply, size_t i, struct db_entry *entry, haft_slice value)
{
    return hf_entry_save(apply->db, apply->space, apply->names->group, apply->names->keys[i], entry,
                         apply->plans[i].entry.size, value);
}

static int apply_write_value(struct apply *apply, size_t i)
{
    haft_store_op *op = &apply->request->ops[i];
    const struct db_entry *old = &apply->plans[i].entry;
    haft_slice value = apply->names->values[i];
    struct db_entry entry = {.id = old->id,
                             .type = DB_VALUE,
                             .expires = apply_end(apply, op->expires_ms),
                             .size = hf_entry_base(apply->names->group, apply->names->keys[i]) +
                                     (int64_t)value.size};
    int status = value.size > DB_MAX_VALUE ? HAFT_ETOOBIG : apply_clear(apply, old);

    if (!status)
        status = apply_save(apply, i, &entry, value);
    op->ret_version = (uint64_t)entry.version;
    return status;
}

static int apply_trim_log(struct apply *apply, const haft_store_op *op, struct db_entry *entry)
{
    while ((uint64_t)entry->total > op->max_records || (uint64_t)entry->bytes > op->max_bytes) {
        sqlite3_stmt *row;
        int64_t sequence, size;
        int status = hf_db_first(apply->db, &row, DB_FIRST_RECORD, "i", entry->id);

        if (status < 1)
            return status;
        sequence = sqlite3_column_int64(row, 0);
        size = sqlite3_column_int64(row, 1);
        hf_db_end(row);
        if (hf_db_run(apply->db, DB_REMOVE_RECORD, "ii", entry->id, sequence))
            return -1;
        entry->total--;
        entry->bytes = size < entry->bytes ? entry->bytes - size : 0;
    }
    return 0;
}

/* The record of a new entry needs its id, so it is added last, and the entry counts it already. */
static int apply_write_record(struct apply *apply, size_t i)
{
    haft_store_op *op = &apply->request->ops[i];
    haft_slice value = apply->names->values[i], none = {"", 0};
    struct db_entry entry = apply->plans[i].entry;
    int64_t base = hf_entry_base(apply->names->group, apply->names->keys[i]);
    int status;

    if (value.size > DB_MAX_VALUE || entry.last == DB_MAX_COUNT)
        return HAFT_ETOOBIG;
    entry.type = DB_LOG;
    entry.total++;
    entry.bytes += (int64_t)value.size;
    entry.last++;
    if (op->expires_ms)
        entry.expires = apply_end(apply, op->expires_ms);
    if (entry.id && apply_trim_log(apply, op, &entry))
        return -1;
    entry.size = base + entry.bytes + entry.total * APPLY_RECORD;
    status = apply_save(apply, i, &entry, none);
    op->ret_version = (uint64_t)entry.last;
    return status ? status
                  : hf_db_run(apply->db, DB_ADD_RECORD, "iib", entry.id, entry.last, value);
}

static int apply_write_call(struct apply *apply, size_t i)
{
    haft_store_op *op = &apply->request->ops[i];
    const struct plan *plan = &apply->plans[i];
    struct db_entry entry = plan->entry;
    int64_t rows, most = apply_is_sliced(op) ? WINDOW_SLICES + 1 : WINDOW_EXACT;
    haft_slice none = {"", 0};
    int status;

    entry.type = DB_WINDOW;
    entry.total = entry.total - plan->dropped + 1;
    entry.calls = op->rate.calls;
    entry.per_ms = op->rate.per_ms;
    entry.expires = apply_end(apply, op->expires_ms ? op->expires_ms : (int64_t)op->rate.per_ms);
    apply->db->state_changed = true; /* no process counts a later call at an earlier time */
    rows = entry.total < most ? entry.total : most;
    entry.size = hf_entry_base(apply->names->group, apply->names->keys[i]) + rows * APPLY_CALL;
    if (plan->dropped && hf_db_run(apply->db, DB_REMOVE_CALLS, "ii", entry.id, plan->cutoff))
        return -1;
    status = apply_save(apply, i, &entry, none);
    return status ? status : hf_db_run(apply->db, DB_ADD_CALL, "ii", entry.id, plan->call);
}

/* Other processes read messages from the file. */
static int apply_write_message(struct apply *apply, size_t i)
{
    struct db *db = apply->db;
    haft_slice space = {apply->names->space, strlen(apply->names->space)};
    haft_slice value = apply->names->values[i];

    db->state_changed = true;
    db->message++;
    if (value.size > DB_MAX_MESSAGE) { /* NULL: there was one */
        sqlite3_stmt *statement = hf_db_start(db, DB_ADD_MESSAGE, "iibb", db->message, db->origin,
                                              space, apply->names->keys[i]);

        if (hf_db_step(db, statement) < 0)
            return -1;
    } else if (hf_db_run(db, DB_ADD_MESSAGE, "iibbb", db->message, db->origin, space,
                         apply->names->keys[i], value)) {
        return -1;
    }
    return hf_db_run(db, DB_TRIM_MESSAGES, "i", db->message - DB_KEPT_MESSAGES);
}

static int apply_write(struct apply *apply, size_t i)
{
    const haft_store_op *op = &apply->request->ops[i];
    const struct db_entry *entry = &apply->plans[i].entry;

    if (!op->status)
        return 0;
    switch (op->kind) {
    case HAFT_STORE_PUT:
        return apply_write_value(apply, i);
    case HAFT_STORE_DELETE:
        return hf_entry_remove(apply->db, apply->space, entry);
    case HAFT_STORE_EXPIRE:
        return hf_db_run(apply->db, DB_SET_EXPIRES, "iii", entry->id,
                         apply_end(apply, op->expires_ms), hf_space_use(apply->space));
    case HAFT_STORE_TAKE:
        return apply_write_call(apply, i);
    case HAFT_STORE_APPEND:
        return apply_write_record(apply, i);
    case HAFT_STORE_PUBLISH:
        return apply_write_message(apply, i);
    default: /* GET, RANGE */
        return apply->space->limits.evicts
                   ? hf_db_run(apply->db, DB_TOUCH, "ii", entry->id, hf_space_use(apply->space))
                   : 0;
    }
}

/* ---- a request ---- */

static void apply_reset(haft_store_request *request)
{
    for (size_t i = 0; i < request->n_ops; i++) {
        haft_store_op *op = &request->ops[i];

        op->status = 0;
        op->ret_value = (haft_slice){NULL, 0};
        op->ret_version = 0;
        op->ret_wait_ms = 0;
        op->ret_records = NULL;
        op->n_records = 0;
        op->ret_gap = false;
    }
}

static int apply_check(struct apply *apply)
{
    haft_store_request *request = apply->request;
    int status = hf_space_load(apply->db, apply->names->space, &apply->space);

    if (status)
        return status;
    for (size_t i = 0; i < request->n_ops; i++) {
        haft_store_op *op = &request->ops[i];

        op->status = apply_prepare(apply, i);
        if (op->status < 0 || (!op->status && (op->if_version || op->kind == HAFT_STORE_TAKE)))
            return op->status;
    }
    return 1;
}

/* Whether an operation of the second pass cannot stop because of a limit; adds what a value needs. */
static bool apply_is_certain(const struct apply *apply, size_t i, int64_t *entries, int64_t *bytes)
{
    const haft_store_op *op = &apply->request->ops[i];
    const struct db_entry *entry = &apply->plans[i].entry;
    haft_slice value = apply->names->values[i];

    if (op->kind != HAFT_STORE_PUT)
        return op->kind != HAFT_STORE_TAKE && op->kind != HAFT_STORE_APPEND;
    *entries += !entry->id;
    *bytes += hf_entry_base(apply->names->group, apply->names->keys[i]) + (int64_t)value.size;
    return value.size <= DB_MAX_VALUE;
}

/* Whether the second pass can stop after it has written something: not if it is one statement, or if all values have
 * room. A savepoint copies each page that is written. */
static bool apply_needs_savepoint(const struct apply *apply)
{
    const haft_store_op *op = apply->request->ops;
    const struct db_entry *entry = &apply->plans[0].entry;
    int64_t entries = 0, bytes = 0;
    bool is_certain = !apply->space->limits.evicts;

    if (is_certain && apply->request->n_ops == 1 && op->kind == HAFT_STORE_PUT &&
        (!entry->id || entry->type == DB_VALUE))
        return false;
    for (size_t i = 0; i < apply->request->n_ops && is_certain; i++)
        is_certain = apply_is_certain(apply, i, &entries, &bytes);
    return !is_certain || !hf_space_has_room(apply->space, entries, bytes);
}

static int apply_all(struct apply *apply)
{
    haft_store_request *request = apply->request;
    int status = 0;

    for (size_t i = 0; i < request->n_ops && !status; i++) {
        status = apply_write(apply, i);
        if (status)
            request->ops[i].status = status;
        for (size_t later = i + 1; status && later < request->n_ops; later++)
            request->ops[later].status = 0;
    }
    return status ? status : 1;
}

/* The counts of namespaces are restored with the savepoint. */
static int apply_or_undo(struct apply *apply)
{
    struct db *db = apply->db;
    struct db_space before[DB_CACHED_SPACES];
    int64_t message = db->message;
    int status;

    memcpy(before, db->spaces, sizeof before);
    if (hf_db_run(db, DB_SAVE, ""))
        return -1;
    status = apply_all(apply);
    if (status < 1 && !db->error && !hf_db_run(db, DB_UNDO, "")) {
        memcpy(db->spaces, before, sizeof before);
        db->message = message;
    }
    if (!db->error)
        hf_db_run(db, DB_RELEASE, "");
    return status;
}

int hf_apply(struct db *db, haft_store_request *request, const struct apply_names *names)
{
    struct apply apply;
    int status;

    apply.db = db;
    apply.request = request;
    apply.names = names;
    memset(apply.plans, 0, request->n_ops * sizeof *apply.plans);
    apply_reset(request);
    hf_db_set_now(db, request->now);
    status = apply_check(&apply);
    if (status < 1 || !db->writes)
        return status;
    return apply_needs_savepoint(&apply) ? apply_or_undo(&apply) : apply_all(&apply);
}
