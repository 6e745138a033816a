/* db.c - statements and transactions. */
#include "store/sqlite/db.h"

#include <stdarg.h>
#include <time.h>

enum {
    DB_CLOCK_TOLERANCE = 60000, /* differences between the clocks of processes, in milliseconds */
    DB_CLOCK_LEAD = 3000,       /* of a process that starts: much less than leases of tasks last */
    DB_CLOCK_STEP = 1000,       /* the clock in the file may be late by less than this */
    DB_TRANSACTION_MS = 30000   /* time limit of a transaction, besides waiting for locks */
};

int64_t hf_db_time(void)
{
    struct timespec now = {0, 0};

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ---- statements ---- */

static void db_failed(struct db *db, int code)
{
    if (!db->error)
        db->error = code;
}

static int db_bind(sqlite3_stmt *statement, const char *types, va_list args)
{
    int status = SQLITE_OK;

    for (int i = 1; *types && status == SQLITE_OK; types++, i++)
        if (*types == 'i') {
            status = sqlite3_bind_int64(statement, i, va_arg(args, int64_t));
        } else {
            haft_slice slice = va_arg(args, haft_slice);

            status = sqlite3_bind_blob64(statement, i, slice.size ? slice.data : "", slice.size,
                                         SQLITE_STATIC);
        }
    return status;
}

static sqlite3_stmt *db_start(struct db *db, enum db_statement id, const char *types, va_list args)
{
    sqlite3_stmt *statement = db->statements[id];
    int status = db->error ? db->error : db_bind(statement, types, args);

    if (status == SQLITE_OK)
        return statement;
    db_failed(db, status);
    return NULL;
}

sqlite3_stmt *hf_db_start(struct db *db, enum db_statement id, const char *types, ...)
{
    sqlite3_stmt *statement;
    va_list args;

    va_start(args, types);
    statement = db_start(db, id, types, args);
    va_end(args);
    return statement;
}

int hf_db_step(struct db *db, sqlite3_stmt *statement)
{
    int status;

    if (!statement)
        return -1;
    status = sqlite3_step(statement);
    if (status == SQLITE_ROW)
        return 1;
    if (status != SQLITE_DONE)
        db_failed(db, status);
    hf_db_end(statement);
    return status == SQLITE_DONE ? 0 : -1;
}

void hf_db_end(sqlite3_stmt *statement)
{
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
}

int hf_db_run(struct db *db, enum db_statement id, const char *types, ...)
{
    sqlite3_stmt *statement;
    va_list args;
    int status;

    va_start(args, types);
    statement = db_start(db, id, types, args);
    va_end(args);
    status = hf_db_step(db, statement);
    if (status > 0)
        hf_db_end(statement);
    return status < 0 ? -1 : 0;
}

int hf_db_first(struct db *db, sqlite3_stmt **ret_row, enum db_statement id, const char *types, ...)
{
    va_list args;

    va_start(args, types);
    *ret_row = db_start(db, id, types, args);
    va_end(args);
    return hf_db_step(db, *ret_row);
}

int hf_db_damaged(struct db *db)
{
    db_failed(db, SQLITE_CORRUPT);
    return -1;
}

int64_t hf_db_count(sqlite3_stmt *row, int column, bool *damaged)
{
    int64_t count = sqlite3_column_int64(row, column);

    *damaged = *damaged || count < 0 || count > DB_MAX_COUNT;
    return count;
}

haft_slice hf_db_slice(sqlite3_stmt *row, int column)
{
    const void *data = sqlite3_column_blob(row, column);
    int size = sqlite3_column_bytes(row, column);

    return (haft_slice){data ? data : "", data && size > 0 ? (size_t)size : 0};
}

/* ---- time ---- */

/* The clocks of processes do not follow changes of the time of day, so one that starts after such a change is ahead of
 * the others, and leases that they hold would have expired. If a process of this run of the machine has written the
 * clock, the monotonic clock tells what it is now: the first request is not later than that. */
static void db_align(struct db *db, int64_t now)
{
    int64_t passed = db->stored_time ? hf_db_time() - db->stored_time : -1;
    int64_t expected = db->stored_clock + passed;

    if (!db->is_aligned && passed >= 0 && now > expected && now - expected > DB_CLOCK_LEAD)
        db->shift = expected - now;
    db->is_aligned = true;
}

/* Requests wait in queues, and each process has its own clock, so small differences are normal: time
 * stands still meanwhile. A large one means that the clock was set back; then this process adds the
 * difference, so that time goes on from where it was. */
void hf_db_set_now(struct db *db, int64_t now)
{
    db_align(db, now);
    if (now > DB_MAX_TIME - db->shift)
        now = DB_MAX_TIME - db->shift;
    now += db->shift;
    if (now < db->clock && db->clock - now > DB_CLOCK_TOLERANCE)
        db->shift += db->clock - now;
    if (now > db->clock)
        db->clock = now;
    if (db->clock - db->stored_clock >= DB_CLOCK_STEP)
        db->state_changed = true;
    db->now = db->clock;
}

/* ---- transactions ---- */

/* In WAL mode, NORMAL commits survive the end of the process, and FULL ones also a power failure. It can
 * only be changed between transactions. */
static int db_set_sync(struct db *db, bool full)
{
    int status;

    if (db->is_full == full)
        return 0;
    status =
        sqlite3_exec(db->handle, full ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL",
                     NULL, NULL, NULL);
    if (status != SQLITE_OK) {
        db_failed(db, sqlite3_extended_errcode(db->handle));
        return -1;
    }
    db->is_full = full;
    return 0;
}

static int db_read_state(struct db *db)
{
    sqlite3_stmt *row;
    int status = hf_db_first(db, &row, DB_STATE, "");
    bool damaged = false;

    if (status < 1)
        return status ? -1 : hf_db_damaged(db);
    db->stored_clock = hf_db_count(row, 0, &damaged);
    db->message = hf_db_count(row, 1, &damaged);
    db->stored_time = hf_db_count(row, 3, &damaged) == db->boot ? hf_db_count(row, 2, &damaged) : 0;
    hf_db_end(row);
    if (damaged || db->stored_clock > DB_MAX_TIME)
        return hf_db_damaged(db);
    if (db->stored_clock > db->clock)
        db->clock = db->stored_clock;
    return 0;
}

int hf_db_begin(struct db *db, bool writes, bool durable)
{
    db->error = 0;
    db->writes = writes;
    db->state_changed = db->met_expired = false;
    db->n_spaces = 0;
    db->deadline = INT64_MAX; /* waiting for locks has its own limit */
    if (writes && db_set_sync(db, durable))
        return -1;
    if (hf_db_run(db, writes ? DB_BEGIN_WRITE : DB_BEGIN_READ, ""))
        return -1;
    db->deadline = hf_db_time() + DB_TRANSACTION_MS;
    if (!db_read_state(db))
        return 0;
    hf_db_rollback(db);
    return -1;
}

void hf_db_rollback(struct db *db)
{
    for (size_t i = 0; i < DB_STATEMENT_COUNT; i++)
        sqlite3_reset(db->statements[i]);
    if (!sqlite3_get_autocommit(db->handle))
        sqlite3_exec(db->handle, "ROLLBACK", NULL, NULL, NULL);
}

int hf_db_commit(struct db *db)
{
    if (db->writes && db->state_changed)
        hf_db_run(db, DB_SET_STATE, "iiii", db->clock, db->message, hf_db_time(), db->boot);
    db->deadline = INT64_MAX;
    if (!db->error && !hf_db_run(db, DB_COMMIT, ""))
        return 0;
    hf_db_rollback(db);
    return -1;
}
