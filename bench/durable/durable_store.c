/* durable_store.c - durable creates per second through the store, with N in flight, beside transactions of N inserts with
 * bare SQLite; and what 100,000 entries cost.
 *
 *     durable-store [quick] [DIRECTORY]
 *
 * Both write the same names and 512 bytes to files of the same directory, and wait for the disk after each
 * commit. They take turns, and the best turn of each counts. */
#include <haft/part.h>
#include <haft/sqlite.h>
#include <malloc.h>
#include <semaphore.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { VALUE = 512, TURNS = 3, MANY = 100000, MAX_IN_FLIGHT = 256 };

static char directory[512];
static char value[VALUE];

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void give_up(const char *what)
{
    fprintf(stderr, "durable: %s\n", what);
    exit(1);
}

static const char *path_of(const char *name)
{
    static char path[600];

    snprintf(path, sizeof path, "%s/%s", directory, name);
    return path;
}

static void remove_files(void)
{
    static const char *const names[] = {"bare.db",  "bare.db-wal",  "bare.db-shm",
                                        "store.db", "store.db-wal", "store.db-shm"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unlink(path_of(names[i]));
}

/* ---- bare SQLite ---- */

static void run_sql(sqlite3 *db, const char *sql)
{
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
        give_up(sqlite3_errmsg(db));
}

/* Inserts per second, in transactions of n. */
static double measure_bare(int n, double duration)
{
    sqlite3 *db;
    sqlite3_stmt *insert;
    double start, end;
    long total = 0;

    if (sqlite3_open(path_of("bare.db"), &db) != SQLITE_OK)
        give_up("bare.db cannot be opened");
    run_sql(db, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
                "CREATE TABLE entry (name BLOB PRIMARY KEY, version INTEGER, value BLOB)");
    if (sqlite3_prepare_v2(db, "INSERT INTO entry VALUES (?1, ?2, ?3)", -1, &insert, NULL) !=
        SQLITE_OK)
        give_up(sqlite3_errmsg(db));
    start = seconds();
    do {
        run_sql(db, "BEGIN IMMEDIATE");
        for (int i = 0; i < n; i++, total++) {
            char name[32];

            snprintf(name, sizeof name, "task-%ld", total);
            sqlite3_bind_blob(insert, 1, name, (int)strlen(name), SQLITE_TRANSIENT);
            sqlite3_bind_int64(insert, 2, total);
            sqlite3_bind_blob(insert, 3, value, VALUE, SQLITE_STATIC);
            if (sqlite3_step(insert) != SQLITE_DONE)
                give_up(sqlite3_errmsg(db));
            sqlite3_reset(insert);
        }
        run_sql(db, "COMMIT");
        end = seconds();
    } while (end - start < duration);
    sqlite3_finalize(insert);
    sqlite3_close(db);
    return (double)total / (end - start);
}

/* ---- the store ---- */

struct create {
    haft_store *store;
    haft_store_op op;
    haft_store_request request;
};

static atomic_long created;
static atomic_int in_flight;
static atomic_bool stops;
static bool is_durable;
static sem_t over;

static void create_next(struct create *create);

static void on_created(haft_store_request *request)
{
    if (request->status != 1 || request->is_durable != is_durable)
        give_up("a request failed");
    if (!stops)
        create_next(request->context);
    else if (--in_flight == 0)
        sem_post(&over);
}

static void create_next(struct create *create)
{
    char name[32];

    snprintf(name, sizeof name, "task-%ld", created++);
    create->op = (haft_store_op){.kind = HAFT_STORE_PUT,
                                 .key = HAFT_SLICE("task"),
                                 .value = {value, VALUE},
                                 .if_version = true};
    create->request = (haft_store_request){.space = "tasks",
                                           .group = HAFT_SLICE(name),
                                           .ops = &create->op,
                                           .n_ops = 1,
                                           .now = 1000,
                                           .durable = is_durable,
                                           .done = on_created,
                                           .context = create};
    if (haft_store_submit(create->store, &create->request) != HAFT_PENDING)
        give_up("a request was not accepted");
    if (created >= MANY && !is_durable)
        stops = true;
}

static haft_store *open_store(void)
{
    static const haft_store_space space = {
        .name = "tasks", .max_entries = 10000000, .max_bytes = (size_t)4 << 30};
    haft_reason reason = {0};
    haft_store *store = haft_sqlite_store_new(
        path_of("store.db"), HAFT_WITH(haft_sqlite_options, .spaces = &space, .n_spaces = 1),
        &reason);

    if (!store)
        give_up(reason.text);
    return store;
}

/* Creates entries with n in flight, for that time or until there are MANY; returns creates per second. */
static double measure_store(int n, double duration)
{
    static struct create creates[MAX_IN_FLIGHT];
    haft_store *store = open_store();
    double start;

    created = 0;
    stops = false;
    in_flight = n;
    sem_init(&over, 0, 0);
    start = seconds();
    for (int i = 0; i < n; i++) {
        creates[i].store = store;
        create_next(&creates[i]);
    }
    if (duration > 0) {
        usleep((useconds_t)(duration * 1e6));
        stops = true;
    }
    while (sem_wait(&over))
        ;
    duration = seconds() - start;
    haft_store_free(store);
    return (double)created / duration;
}

/* ---- both ---- */

static long resident_kb(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    long pages = 0, resident = 0;

    if (!file || fscanf(file, "%ld %ld", &pages, &resident) != 2)
        give_up("/proc/self/statm cannot be read");
    fclose(file);
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

static void compare(int n, double duration)
{
    double bare = 0, store = 0, rate;

    is_durable = true;
    for (int turn = 0; turn < TURNS; turn++) {
        remove_files();
        rate = measure_bare(n, duration);
        bare = rate > bare ? rate : bare;
        remove_files();
        rate = measure_store(n, duration);
        store = rate > store ? rate : store;
    }
    printf("%4d in flight: store %8.0f/s, SQLite %8.0f/s, ratio %.2f\n", n, store, bare,
           store / bare);
    fflush(stdout);
}

static void measure_many(void)
{
    haft_store *store;
    double start;
    long before;

    remove_files();
    is_durable = false;
    printf("%d entries, not durable: %.0f/s\n", MANY, measure_store(MAX_IN_FLIGHT, 0));
    malloc_trim(0);
    before = resident_kb();
    start = seconds();
    store = open_store();
    printf("%d entries: opened in %.0f ms, %ld KB of memory\n", MANY, (seconds() - start) * 1e3,
           resident_kb() - before);
    haft_store_free(store);
}

int main(int argc, char **argv)
{
    bool quick = argc > 1 && !strcmp(argv[1], "quick");
    const char *parent = argc > 1 + quick ? argv[1 + quick] : "/tmp";

    haft_part_register(&haft_sqlite_part);
    memset(value, 'v', sizeof value);
    snprintf(directory, sizeof directory, "%s/haft-durable-XXXXXX", parent);
    if (!mkdtemp(directory))
        give_up("the directory cannot be created");
    for (int n = 1; n <= MAX_IN_FLIGHT; n *= 4)
        compare(n, quick ? 0.3 : 2);
    measure_many();
    remove_files();
    rmdir(directory);
    return 0;
}
