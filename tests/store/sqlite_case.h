/* store/sqlite_case.h - a directory for SQLite files, and stores in it. */
#ifndef HAFT_TESTS_SQLITE_CASE_H
#define HAFT_TESTS_SQLITE_CASE_H

#include <dirent.h>
#include <fcntl.h>
#include <haft/part.h>
#include <haft/sqlite.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "support/store_cases.h"
#include "support/test.h"

static char sqlite_dir[64];
static char sqlite_lines[8192]; /* of the log */

HAFT_MAYBE_UNUSED_ static void sqlite_on_log(void *context, haft_level level, const char *text,
                                             size_t size)
{
    size_t n = strlen(sqlite_lines);

    (void)context;
    (void)level;
    (void)size;
    snprintf(sqlite_lines + n, sizeof sqlite_lines - n, "%s\n", text);
}

/* The path of a file in the directory; valid until the fourth call after this one. */
static const char *sqlite_path(const char *name)
{
    static char paths[4][128];
    static unsigned next;
    char *path = paths[next++ % 4];

    snprintf(path, sizeof *paths, "%s/%s", sqlite_dir, name);
    return path;
}

HAFT_MAYBE_UNUSED_ static void sqlite_empty(void)
{
    DIR *directory = opendir(sqlite_dir);
    struct dirent *entry;

    while (directory && (entry = readdir(directory)))
        if (entry->d_name[0] != '.')
            unlink(sqlite_path(entry->d_name));
    if (directory)
        closedir(directory);
    sqlite_lines[0] = '\0';
}

HAFT_MAYBE_UNUSED_ static int sqlite_set_up(void **state)
{
    (void)state;
    snprintf(sqlite_dir, sizeof sqlite_dir, "/tmp/haft-sqlite-XXXXXX");
    haft_part_register(&haft_sqlite_part);
    return mkdtemp(sqlite_dir) ? 0 : -1;
}

HAFT_MAYBE_UNUSED_ static int sqlite_tear_down(void **state)
{
    (void)state;
    sqlite_empty();
    return rmdir(sqlite_dir);
}

HAFT_MAYBE_UNUSED_ static haft_store *sqlite_open_with(const char *name,
                                                       const haft_sqlite_options *options)
{
    haft_reason reason = {0};
    haft_store *store = haft_sqlite_store_new(sqlite_path(name), options, &reason);

    if (!store)
        fail_msg("%s: %s", name, reason.text);
    return store;
}

HAFT_MAYBE_UNUSED_ static haft_store *sqlite_open(const char *name)
{
    return sqlite_open_with(
        name, HAFT_WITH(haft_sqlite_options, .log = sqlite_on_log, .busy_timeout_ms = 200));
}

/* An empty store. */
HAFT_MAYBE_UNUSED_ static haft_store *sqlite_make(const haft_store_space *spaces, size_t n_spaces)
{
    sqlite_empty();
    return sqlite_open_with("store.db", HAFT_WITH(haft_sqlite_options, .spaces = spaces,
                                                  .n_spaces = n_spaces, .log = sqlite_on_log));
}

/* Runs SQL on a file, as another program would. */
HAFT_MAYBE_UNUSED_ static void sqlite_run(const char *name, const char *sql)
{
    sqlite3 *db;

    assert_int_equal(sqlite3_open(sqlite_path(name), &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    sqlite3_close(db);
    chmod(sqlite_path(name), 0600);
}

/* One operation; returns its status, or the error of the request. */
HAFT_MAYBE_UNUSED_ static int sqlite_one(haft_store *store, const char *group, int64_t now,
                                         haft_store_op *op, bool durable, bool *ret_durable)
{
    haft_arena *arena = haft_arena_new(NULL, 1 << 24);
    haft_store_request request = {.space = "s",
                                  .group = HAFT_SLICE(group),
                                  .ops = op,
                                  .n_ops = 1,
                                  .now = now,
                                  .arena = arena,
                                  .durable = durable};
    int status = store_submit(store, &request);

    if (ret_durable)
        *ret_durable = request.is_durable;
    haft_arena_free(arena);
    return status ? status : op->status;
}

HAFT_MAYBE_UNUSED_ static void sqlite_sleep(int ms)
{
    struct timespec pause = {ms / 1000, ms % 1000 * 1000000L};

    nanosleep(&pause, NULL);
}

#endif
