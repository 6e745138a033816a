/* fuzz_sqlite.c - any bytes as the file of a store: it is refused with a reason, or every request is answered.
 *
 * An input that begins with 'f' is the file. Any other changes bytes of a good file: for each, two bytes of the offset, one
 * that chooses a run of it, and the byte. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <haft/part.h>
#include <haft/sqlite.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "store/sqlite_shim.h" /* does not wait for the disk */
#include "support/store_cases.h"

enum { MAX_FILE = 1 << 20, ARENA = 4 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char directory[] = "/tmp/haft-fuzz-XXXXXX", file[64];

static void clear(void)
{
    static const char *const ends[] = {"", "-wal", "-shm", "-journal"};
    char name[80];

    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        snprintf(name, sizeof name, "%s%s", file, ends[i]);
        unlink(name);
    }
}

static void leave(void)
{
    clear();
    rmdir(directory);
}

static void write_file(const uint8_t *data, size_t size)
{
    int fd;

    clear();
    fd = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    close(fd);
}

/* Every kind of operation, on entries that the seeds have and on others. */
static void use(haft_store *store, haft_arena *arena)
{
    haft_store_op ops[] = {GET("a"),
                           RANGE("l", 0),
                           PUT("b", "value"),
                           APPEND("l", "r"),
                           TAKE("t", 3, 5),
                           EXPIRE("a", 100),
                           DELETE("c"),
                           PUT_IF("d", "", 0),
                           {.kind = HAFT_STORE_PUBLISH, .key = S("x"), .value = S("y")}};
    haft_store_scan scan = {.space = "s", .prefix = S(""), .arena = arena, .now = 2000};

    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        haft_store_request request = {.space = i % 2 ? "s" : "events",
                                      .group = S("g"),
                                      .ops = &ops[i],
                                      .n_ops = 1,
                                      .now = 1000 + (int64_t)i,
                                      .arena = arena};

        store_submit(store, &request);
        request.space = i % 2 ? "events" : "s";
        store_submit(store, &request);
    }
    for (int i = 0; i < 20 && !store_scan(store, &scan) && scan.cursor; i++)
        haft_arena_reset(arena);
}

static uint8_t *good; /* a file with entries of each type */
static size_t good_size;

static void read_good(void)
{
    FILE *from = fopen(file, "rb");

    good = malloc(MAX_FILE);
    if (!from || !good)
        abort();
    good_size = fread(good, 1, MAX_FILE, from);
    fclose(from);
    if (!good_size)
        abort();
}

static void set_up(void)
{
    haft_arena *arena = haft_arena_new(NULL, ARENA);
    haft_store *store;

    haft_part_register(&haft_sqlite_part);
    shim_install();
    if (!arena || !mkdtemp(directory))
        abort();
    snprintf(file, sizeof file, "%s/f.db", directory);
    atexit(leave);
    store = haft_sqlite_store_new(file, NULL, NULL);
    if (!store)
        abort();
    use(store, arena);
    haft_store_free(store);
    haft_arena_free(arena);
    read_good();
}

static void write_changed(const uint8_t *data, size_t size)
{
    uint8_t *changed = malloc(good_size);

    if (!changed)
        abort();
    memcpy(changed, good, good_size);
    for (; size >= 4; data += 4, size -= 4) {
        size_t at = ((size_t)data[0] << 8 | data[1]) % good_size, n = data[2] % 8 + 1u;

        for (size_t i = 0; i < n && at + i < good_size; i++)
            changed[at + i] = data[3];
    }
    write_file(changed, good_size);
    free(changed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    haft_reason reason = {0};
    haft_arena *arena;
    haft_store *store;

    if (size > MAX_FILE)
        return 0;
    if (!file[0])
        set_up();
    if (size && data[0] == 'f')
        write_file(data + 1, size - 1);
    else
        write_changed(data, size);
    arena = haft_arena_new(NULL, ARENA);
    store =
        haft_sqlite_store_new(file, HAFT_WITH(haft_sqlite_options, .busy_timeout_ms = 50), &reason);
    if (!arena || (!store && (!reason.code || !*reason.text)))
        abort();
    if (store)
        use(store, arena);
    haft_store_free(store);
    haft_arena_free(arena);
    return 0;
}
