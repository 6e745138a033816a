/* test_audit_file.c - the file of an audit when there is no room for it: what is lost is told, and
 * what comes later can be read. */
#define _DEFAULT_SOURCE
#include "runtime/audit_file.h"

#include <haft.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <yyjson.h>

#include "support/test.h"

static int add(haft_call *call)
{
    return haft_text(call, "added");
}
HAFT_TOOL_BARE(add, "Adds");

static void note(void *context, haft_level level, const char *text, size_t size)
{
    (void)level;
    haft_buffer_add(context, text, size);
    haft_buffer_add(context, "\n", 1);
}

static void limit_files(rlim_t bytes)
{
    struct rlimit limit;

    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes == RLIM_INFINITY ? limit.rlim_max : bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* Lines of the file that are JSON, and those that are not. */
static void count_lines(const char *path, size_t *ret_good, size_t *ret_bad)
{
    char line[4096];
    FILE *file = fopen(path, "r");

    assert_non_null(file);
    for (*ret_good = *ret_bad = 0; fgets(line, sizeof line, file);) {
        yyjson_doc *doc = yyjson_read(line, strlen(line), 0);

        ++*(doc ? ret_good : ret_bad);
        yyjson_doc_free(doc);
    }
    fclose(file);
}

static void a_torn_line_stands_alone(void **state)
{
    /* Bytes that the file may have when it fills up, after a whole line. */
    static const rlim_t rooms[] = {1, 2, 40, 100};

    (void)state;
    signal(SIGXFSZ, SIG_IGN);
    for (size_t i = 0; i < COUNT_OF(rooms); i++) {
        char path[] = "/tmp/haft-audit-XXXXXX";
        struct audit_file file = {.fd = -1};
        size_t good, bad;
        haft_buffer log;
        haft_server *server;
        haft_client *client;
        haft_result result;

        close(mkstemp(path));
        haft_buffer_init(&log, NULL, 1 << 16);
        server = haft_server_new_with("test", "1",
                                      &(haft_server_options){.log = note, .log_context = &log});
        assert_int_equal(haft_add(server, &add_tool), 0);
        assert_int_equal(audit_file_open(&file, server, path), 0);
        assert_int_equal(audit_file_take(&file, server), 0);
        client = haft_connect(server, NULL);

        haft_client_call(client, "add", NULL, &result);
        limit_files((rlim_t)lseek(file.fd, 0, SEEK_END) + rooms[i]);
        for (int calls = 0; calls < 3; calls++)
            assert_int_equal(haft_client_call(client, "add", NULL, &result), 0);
        limit_files(RLIM_INFINITY);
        for (int calls = 0; calls < 2; calls++)
            haft_client_call(client, "add", NULL, &result);

        count_lines(path, &good, &bad);
        assert_int_equal(good, 3);
        assert_int_equal(bad, 1);
        haft_buffer_add(&log, "", 1);
        assert_string_equal(log.data, "the audit cannot be written: the disk is full\n"
                                      "the audit is written again; lost: 3\n");
        haft_client_free(client);
        haft_server_free(server);
        audit_file_close(&file);
        haft_buffer_finish(&log);
        unlink(path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_torn_line_stands_alone)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
