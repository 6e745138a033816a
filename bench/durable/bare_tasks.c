/* bare_tasks.c - what SQLite alone does with the entries of tasks: the peer of task-server.
 *
 *     bare-tasks FILE N SECONDS
 *
 * Inserts the four entries of each task into a new file, in transactions of N tasks, waits for the disk after each
 * commit, and prints the number of tasks per second. Entries have the sizes that haft writes for a call of `job`. */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const struct bare_entry {
    const char *space, *key;
    int size;
} bare_entries[] = {{"task.index", "task", 17},
                    {"task", "call", 430},
                    {"task", "task", 170},
                    {"task", "lease", 16}};

static double bare_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void bare_check(sqlite3 *db, int status, int wanted)
{
    if (status == wanted)
        return;
    fprintf(stderr, "bare-tasks: %s\n", sqlite3_errmsg(db));
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

int main(int argc, char **argv)
{
    sqlite3 *db;
    sqlite3_stmt *insert;
    double start, end;
    long n = argc == 4 ? strtol(argv[2], NULL, 10) : 0, total = 0;

    if (n < 1) {
        fputs("usage: bare-tasks FILE N SECONDS\n", stderr);
        return 2;
    }
    bare_check(NULL, sqlite3_open(argv[1], &db), SQLITE_OK);
    bare_run(db, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
                 "CREATE TABLE entry (space TEXT, name TEXT, key TEXT, value BLOB,"
                 " PRIMARY KEY (space, name, key)) WITHOUT ROWID");
    bare_check(
        db, sqlite3_prepare_v2(db, "INSERT INTO entry VALUES (?1, ?2, ?3, ?4)", -1, &insert, NULL),
        SQLITE_OK);
    start = bare_seconds();
    do {
        bare_run(db, "BEGIN IMMEDIATE");
        for (long i = 0; i < n; i++, total++) {
            char id[48];

            /* Ids are in no order, as those of tasks. */
            snprintf(id, sizeof id, "%016llx%024lx",
                     (unsigned long long)total * 0x9e3779b97f4a7c15ULL, total);
            bare_insert(db, insert, id);
        }
        bare_run(db, "COMMIT");
        end = bare_seconds();
    } while (end - start < strtod(argv[3], NULL));
    printf("%.1f\n", (double)total / (end - start));
    sqlite3_finalize(insert);
    sqlite3_close(db);
    return 0;
}
