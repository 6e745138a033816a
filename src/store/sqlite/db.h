/* store/sqlite/db.h - a connection with its statements, and what a transaction knows.
 *
 * Only one thread at a time uses a connection: the one that opens it, then the writer. The first error of
 * SQLite in a transaction is remembered in `error`; afterwards every function fails, and the
 * transaction is rolled back. */
#ifndef HAFT_SRC_SQLITE_DB_H
#define HAFT_SRC_SQLITE_DB_H

#include <sqlite3.h>

#include "store/sqlite/sqlite.h"

enum {
    DB_APPLICATION = 0x68616674, /* PRAGMA application_id: "haft" */
    DB_SCHEMA = 1,               /* PRAGMA user_version */
    DB_MAX_SPACES = 64,
    DB_CACHED_SPACES = 8,
    DB_MAX_VALUE = 128 << 20, /* bytes of a value */
    DB_KEPT_MESSAGES = 1000,  /* for other processes */
    DB_MAX_MESSAGE = 16 << 10 /* larger ones are a gap for other processes */
};

/* Statements, as X(name, SQL). */
#define DB_STATEMENTS(X)                                                                           \
    X(DB_BEGIN_READ, "BEGIN")                                                                      \
    X(DB_BEGIN_WRITE, "BEGIN IMMEDIATE")                                                           \
    X(DB_COMMIT, "COMMIT")                                                                         \
    X(DB_SAVE, "SAVEPOINT request")                                                                \
    X(DB_RELEASE, "RELEASE request")                                                               \
    X(DB_UNDO, "ROLLBACK TO request")                                                              \
    X(DB_DATA_VERSION, "PRAGMA data_version")                                                      \
    X(DB_STATE, "SELECT s.clock, s.message, ifnull(m.clock, 0), ifnull(m.message, 0) "             \
                "FROM state s LEFT JOIN state m ON m.id = 2 WHERE s.id = 1")                       \
    X(DB_SET_STATE, "INSERT OR REPLACE INTO state (id, clock, message) "                           \
                    "VALUES (1, ?1, ?2), (2, ?3, ?4)")                                             \
    X(DB_SPACE, "SELECT id, entries, bytes, version, used FROM space WHERE name = ?1")             \
    X(DB_SPACES, "SELECT count(*) FROM space")                                                     \
    X(DB_ADD_SPACE, "INSERT INTO space (name, entries, bytes, version, used) "                     \
                    "VALUES (?1, 0, 0, 1, 0)")                                                     \
    X(DB_SET_SPACE, "UPDATE space SET entries = ?2, bytes = ?3, version = ?4, used = ?5 "          \
                    "WHERE id = ?1")                                                               \
    X(DB_SHRINK_SPACE, "UPDATE space SET entries = max(entries - 1, 0), "                          \
                       "bytes = max(bytes - ?2, 0) WHERE id = ?1")                                 \
    X(DB_FIND, "SELECT id, type, version, expires, size, total, bytes, last, calls, per_ms, "      \
               "value FROM entry WHERE space = ?1 AND owner = ?2 AND key = ?3")                    \
    X(DB_ADD, "INSERT INTO entry (space, owner, key, type, version, expires, used, size, total, "  \
              "bytes, last, calls, per_ms, value) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, "    \
              "?10, ?11, ?12, ?13, ?14)")                                                          \
    X(DB_SET, "UPDATE entry SET type = ?2, version = ?3, expires = ?4, used = ?5, size = ?6, "     \
              "total = ?7, bytes = ?8, last = ?9, calls = ?10, per_ms = ?11, value = ?12 "         \
              "WHERE id = ?1")                                                                     \
    X(DB_SET_EXPIRES, "UPDATE entry SET expires = ?2, used = ?3 WHERE id = ?1")                    \
    X(DB_TOUCH, "UPDATE entry SET used = ?2 WHERE id = ?1")                                        \
    X(DB_REMOVE, "DELETE FROM entry WHERE id = ?1")                                                \
    X(DB_REMOVE_RECORDS, "DELETE FROM record WHERE entry = ?1")                                    \
    X(DB_REMOVE_CALLS, "DELETE FROM call WHERE entry = ?1 AND at <= ?2")                           \
    X(DB_OLDEST, "SELECT id, type, size FROM entry WHERE space = ?1 AND used > 0 "                 \
                 "AND owner <> ?2 ORDER BY used LIMIT 1")                                          \
    X(DB_EXPIRED, "SELECT id, type, size, space FROM entry WHERE expires > 0 "                     \
                  "AND expires <= ?1 LIMIT 1")                                                     \
    X(DB_COUNT_CALLS, "SELECT sum(n) FROM call WHERE entry = ?1 AND at <= ?2")                     \
    X(DB_FIRST_CALL, "SELECT at FROM call WHERE entry = ?1 AND at > ?2 ORDER BY at LIMIT 1")       \
    X(DB_ADD_CALL, "INSERT INTO call (entry, at, n) VALUES (?1, ?2, 1) "                           \
                   "ON CONFLICT DO UPDATE SET n = n + 1")                                          \
    X(DB_RANGE, "SELECT sequence, value FROM record WHERE entry = ?1 AND sequence > ?2 "           \
                "ORDER BY sequence LIMIT ?3")                                                      \
    X(DB_ADD_RECORD, "INSERT INTO record (entry, sequence, value) VALUES (?1, ?2, ?3)")            \
    X(DB_FIRST_RECORD, "SELECT sequence, length(value) FROM record WHERE entry = ?1 "              \
                       "ORDER BY sequence LIMIT 1")                                                \
    X(DB_REMOVE_RECORD, "DELETE FROM record WHERE entry = ?1 AND sequence = ?2")                   \
    X(DB_SCAN, "SELECT id, owner, key, version, expires, type, value FROM entry INDEXED BY "       \
               "entry_space WHERE space = ?1 AND id > ?2 ORDER BY id LIMIT ?3")                    \
    X(DB_ADD_MESSAGE, "INSERT INTO message (id, origin, space, channel, value) "                   \
                      "VALUES (?1, ?2, ?3, ?4, ?5)")                                               \
    X(DB_TRIM_MESSAGES, "DELETE FROM message WHERE id <= ?1")                                      \
    X(DB_MESSAGES, "SELECT space, channel, value FROM message WHERE id > ?1 AND origin <> ?2 "     \
                   "ORDER BY id")

enum db_statement {
#define DB_STATEMENT_(name, sql) name,
    DB_STATEMENTS(DB_STATEMENT_)
#undef DB_STATEMENT_
        DB_STATEMENT_COUNT
};

/* Times and counts are below these, so that sums of some do not overflow. */
#define DB_MAX_TIME (INT64_MAX / 4096)
#define DB_MAX_COUNT (INT64_MAX / 16)

enum db_type { DB_NONE, DB_VALUE, DB_WINDOW, DB_LOG };

/* A namespace in the current transaction: its row is read once, and written before the commit. */
struct db_space {
    const char *name;
    int64_t id; /* 0 if it does not exist yet */
    int64_t entries, bytes;
    int64_t version; /* latest version in the namespace */
    int64_t used;    /* counts uses, if it evicts */
    haft_store_space limits;
    bool changed;
};

struct db {
    sqlite3 *handle;
    sqlite3_stmt *statements[DB_STATEMENT_COUNT];
    const struct sqlite_host *host;
    const haft_allocator *allocator;
    haft_store_space *limits; /* of namespaces, with their names */
    size_t n_limits;
    int64_t origin;   /* identifies this store among those that use the file */
    int64_t deadline; /* of the current transaction, in milliseconds of the monotonic clock */
    int64_t boot; /* identifies the run of the machine, whose processes share a monotonic clock */
    bool is_aligned; /* the first request has been compared with the clock in the file */
    bool is_full;    /* PRAGMA synchronous is FULL */

    int error;            /* first error of SQLite in this transaction, with its extended code */
    bool writes;          /* this transaction may write */
    bool met_expired;     /* it read an entry that has expired */
    int64_t clock;        /* latest time that this process knows of */
    int64_t stored_clock; /* in the file; written when it is a second late, */
    int64_t stored_time;  /* monotonic time when it was written; 0 if that was in another run */
    int64_t shift;        /* what this process adds to the time of its requests */
    int64_t now;          /* time of the current request */
    int64_t message;      /* number of the latest message */
    bool state_changed;   /* and when this is set */
    struct db_space spaces[DB_CACHED_SPACES]; /* those of this transaction */
    size_t n_spaces;
};

/* Milliseconds of the monotonic clock. */
int64_t hf_db_time(void);

/* Runs a statement. `types` has a letter for each argument: i for int64_t, b for haft_slice. The first
 * returns the statement before its first row, NULL after an error. */
sqlite3_stmt *hf_db_start(struct db *db, enum db_statement id, const char *types, ...);
/* Returns 1 for a row, 0 at the end, or -1; resets the statement unless there is a row. */
int hf_db_step(struct db *db, sqlite3_stmt *statement);
/* Resets a statement whose row has been read. */
void hf_db_end(sqlite3_stmt *statement);
/* Runs a statement without rows; returns 0 or -1. */
int hf_db_run(struct db *db, enum db_statement id, const char *types, ...);
/* As hf_db_start and hf_db_step for a statement with at most one row. */
int hf_db_first(struct db *db, sqlite3_stmt **ret_row, enum db_statement id, const char *types,
                ...);

/* Fails the transaction because of a number that a store does not write; returns -1. */
int hf_db_damaged(struct db *db);
/* Reads a number that counts something; sets *damaged if it cannot be one. */
int64_t hf_db_count(sqlite3_stmt *row, int column, bool *damaged);
/* Bytes of a column, valid until the statement goes on. */
haft_slice hf_db_slice(sqlite3_stmt *row, int column);

/* ---- transactions ---- */

/* Begins a transaction and reads the state; returns 0 or -1. With `durable`, the commit is synchronized. */
int hf_db_begin(struct db *db, bool writes, bool durable);
/* Returns 0, or -1 after rolling everything back; db->error has the reason. */
int hf_db_commit(struct db *db);
void hf_db_rollback(struct db *db);
/* Sets db->now from the time of a request: it never goes back. */
void hf_db_set_now(struct db *db, int64_t now);

#endif
