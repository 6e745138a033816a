/* test_audit_file.c - the file of an audit when there is no room for it, or nobody who reads it: the
 * log says so, calls go on, and what is written can be read. */
#define _DEFAULT_SOURCE
#include "observe/audit_file.h"

#include <fcntl.h>
#include <haft.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uv.h>
#include <yyjson.h>

#include "support/test.h"

#define PATIENCE_NS (20 * UINT64_C(1000000000))

static int add(haft_call *call)
{
    return haft_text(call, "added");
}
HAFT_TOOL_BARE(add, "Adds");

/* The log, which any thread writes. */
static struct {
    uv_mutex_t lock;
    uv_cond_t written;
    haft_buffer text;
} heard;

static void note(void *context, haft_level level, const char *text, size_t size)
{
    (void)context;
    (void)level;
    uv_mutex_lock(&heard.lock);
    haft_buffer_add(&heard.text, text, size);
    haft_buffer_add(&heard.text, "\n", 1);
    uv_cond_broadcast(&heard.written);
    uv_mutex_unlock(&heard.lock);
}

/* Waits until the log is that. */
static void await_log(const char *expected)
{
    bool timely = true;

    uv_mutex_lock(&heard.lock);
    while (timely && heard.text.size < strlen(expected))
        timely = !uv_cond_timedwait(&heard.written, &heard.lock, PATIENCE_NS);
    haft_buffer_add(&heard.text, "", 1);
    assert_string_equal(heard.text.data, expected);
    heard.text.size--;
    uv_mutex_unlock(&heard.lock);
}

/* ---- a server whose calls are lines of a file ---- */

struct bench {
    char directory[32], path[64];
    struct audit_file file;
    haft_server *server;
    haft_client *client;
};

static void begin(struct bench *bench, bool fifo)
{
    *bench = (struct bench){.directory = "/tmp/haft-audit-XXXXXX"};
    assert_non_null(mkdtemp(bench->directory));
    snprintf(bench->path, sizeof bench->path, "%s/audit", bench->directory);
    if (fifo)
        assert_int_equal(mkfifo(bench->path, 0600), 0);
    haft_buffer_init(&heard.text, NULL, 1 << 16);
    bench->server = haft_server_new_with("test", "1", HAFT_WITH(haft_server_options, .log = note));
    assert_int_equal(haft_add(bench->server, &add_tool), 0);
    assert_int_equal(hf_audit_file_open(&bench->file, bench->server, bench->path), 0);
    assert_int_equal(hf_audit_file_take(&bench->file, bench->server), 0);
    assert_int_equal(hf_audit_file_start(&bench->file, NULL), 0);
    bench->client = haft_client_new(bench->server, NULL);
}

static void call(struct bench *bench, int times)
{
    haft_result result;

    while (times--)
        assert_int_equal(haft_client_call(bench->client, "add", NULL, &result), 0);
}

static void end(struct bench *bench)
{
    haft_client_free(bench->client);
    hf_audit_file_close(&bench->file);
    haft_server_free(bench->server);
    haft_buffer_finish(&heard.text);
    unlink(bench->path);
    rmdir(bench->directory);
}

static rlim_t size_of(const char *path)
{
    struct stat about;

    assert_int_equal(stat(path, &about), 0);
    return (rlim_t)about.st_size;
}

static void limit_files(rlim_t bytes)
{
    struct rlimit limit;

    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes == RLIM_INFINITY ? limit.rlim_max : bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* Lines that are JSON, and those that are not; closes it. */
static void count_open_lines(int fd, size_t *ret_good, size_t *ret_bad)
{
    char line[4096];
    FILE *file = fdopen(fd, "r");

    assert_non_null(file);
    for (*ret_good = *ret_bad = 0; fgets(line, sizeof line, file);) {
        yyjson_doc *doc = yyjson_read(line, strlen(line), 0);

        ++*(doc ? ret_good : ret_bad);
        yyjson_doc_free(doc);
    }
    fclose(file);
}

static void count_lines(const char *path, size_t *ret_good, size_t *ret_bad)
{
    count_open_lines(open(path, O_RDONLY), ret_good, ret_bad);
}

static void a_torn_line_stands_alone(void **state)
{
    /* Bytes that the file may have when it fills up, after a whole line. */
    static const rlim_t rooms[] = {1, 2, 40, 100};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rooms); i++) {
        struct bench bench;
        size_t good, bad;

        begin(&bench, false);
        call(&bench, 1);
        hf_audit_file_flush(&bench.file);
        limit_files(size_of(bench.path) + rooms[i]);
        call(&bench, 3);
        await_log("cannot write the audit file: File too large\n");
        limit_files(RLIM_INFINITY);
        call(&bench, 2);
        await_log("cannot write the audit file: File too large\n"
                  "writing the audit file again; lines lost: 0\n");
        call(&bench, 1);
        hf_audit_file_flush(&bench.file);
        count_lines(bench.path, &good, &bad);
        assert_int_equal(good, 7);
        assert_int_equal(bad, 1);
        end(&bench);
    }
}

static void says_why_it_cannot_be_opened(void **state)
{
    haft_server *server = haft_server_new("test", "1");
    struct audit_file file = {0};

    (void)state;
    assert_int_equal(hf_audit_file_open(&file, server, "/nowhere/audit"), HAFT_EINVAL);
    assert_string_equal(haft_server_error(server)->path, "/nowhere/audit");
    assert_string_equal(haft_server_error(server)->text, "No such file or directory");
    haft_server_free(server);
}

static void calls_go_on_while_nobody_reads(void **state)
{
    struct bench bench;
    size_t good, bad;
    int fd;

    (void)state;
    begin(&bench, true);
    call(&bench, 100);
    await_log("cannot write the audit file: no process reads it\n");
    hf_audit_file_reopen(&bench.file);
    call(&bench, 100);
    fd = open(bench.path, O_RDONLY | O_NONBLOCK);
    await_log("cannot write the audit file: no process reads it\n"
              "writing the audit file again; lines lost: 0\n");
    count_open_lines(fd, &good, &bad);
    assert_int_equal(good, 200);
    assert_int_equal(bad, 0);
    end(&bench);
}

static void what_nobody_has_read_is_told_at_the_end(void **state)
{
    struct bench bench;

    (void)state;
    begin(&bench, true);
    call(&bench, 3);
    await_log("cannot write the audit file: no process reads it\n");
    hf_audit_file_close(&bench.file);
    await_log("cannot write the audit file: no process reads it\n"
              "audit lines lost: 3\n");
    end(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_torn_line_stands_alone),
        cmocka_unit_test(says_why_it_cannot_be_opened),
        cmocka_unit_test(calls_go_on_while_nobody_reads),
        cmocka_unit_test(what_nobody_has_read_is_told_at_the_end),
    };

    if (uv_mutex_init(&heard.lock) || uv_cond_init(&heard.written))
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
