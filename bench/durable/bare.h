/* bare.h - the entries of tasks with bare SQLite, as bare_tasks.c and task_server.c write them: durable commits in WAL mode.
 * Entries have the sizes that haft writes for a call of `job`. */
#ifndef HAFT_BENCH_BARE_H
#define HAFT_BENCH_BARE_H

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct bare_entry {
    const char *space, *key;
    int size;
} bare_entries[] = {{"task.index", "task", 17},
                    {"task", "call", 430},
                    {"task", "task", 170},
                    {"task", "lease", 16}};

static void bare_check(sqlite3 *db, int status, int wanted)
{
    if (status == wanted)
        return;
    fprintf(stderr, "SQLite: %s\n", sqlite3_errmsg(db));
    exit(1);
}

static void bare_run(sqlite3 *db, const char *sql)
{
    bare_check(db, sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
}

static void bare_insert(sqlite3 *db, sqlite3_stmt *insert, const char *id)
{
    static const char value[512];

    for (size_t i = 0; i < sizeof bare_entries / sizeof *bare_entries; i++) {
        const struct bare_entry *entry = &bare_entries[i];

        sqlite3_bind_text(insert, 1, entry->space, -1, SQLITE_STATIC);
        sqlite3_bind_text(insert, 2, id, -1, SQLITE_STATIC);
        sqlite3_bind_text(insert, 3, entry->key, -1, SQLITE_STATIC);
        sqlite3_bind_blob(insert, 4, value, entry->size, SQLITE_STATIC);
        bare_check(db, sqlite3_step(insert), SQLITE_DONE);
        sqlite3_reset(insert);
    }
}

/* A new file, with the statement that inserts an entry. */
static void bare_open(const char *file, sqlite3 **ret_db, sqlite3_stmt **ret_insert)
{
    bare_check(NULL, sqlite3_open(file, ret_db), SQLITE_OK);
    bare_run(*ret_db, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
                      "CREATE TABLE entry (space TEXT, name TEXT, key TEXT, value BLOB,"
                      " PRIMARY KEY (space, name, key)) WITHOUT ROWID");
    bare_check(*ret_db,
               sqlite3_prepare_v2(*ret_db, "INSERT INTO entry VALUES (?1, ?2, ?3, ?4)", -1,
                                  ret_insert, NULL),
               SQLITE_OK);
}

/* Inserts n tasks in one transaction; `total` is the number of those before. */
static void bare_commit(sqlite3 *db, sqlite3_stmt *insert, long n, long total)
{
    bare_run(db, "BEGIN IMMEDIATE");
    for (long i = 0; i < n; i++, total++) {
        char id[48];

        /* Ids are in no order, as those of tasks. */
        snprintf(id, sizeof id, "%016llx%024lx", (unsigned long long)total * 0x9e3779b97f4a7c15ULL,
                 total);
        bare_insert(db, insert, id);
    }
    bare_run(db, "COMMIT");
}

#endif
