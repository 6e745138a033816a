/* test_part.c - optional parts: there, not there, of another version, not parts at all. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "part/http_client.h"
#include "part/part.h"
#include "support/test.h"

/* Whether a shared object whose name has this in it is loaded. */
static bool is_loaded(const char *name)
{
    char line[1024];
    FILE *maps = fopen("/proc/self/maps", "r");
    bool found = false;

    assert_non_null(maps);
    while (!found && fgets(line, sizeof line, maps))
        found = strstr(line, name);
    fclose(maps);
    return found;
}

static void judges_files(void **state)
{
    static const struct {
        const char *file, *error; /* NULL: it is a part */
        bool missing;
    } rows[] = {
        {PARTS_DIR "part-none.so", NULL, false},
        {PARTS_DIR "part-magic.so", "it is not a part of haft", false},
        {PARTS_DIR "part-abi.so", "it has part interface version 2; libhaft has 1", false},
        {PARTS_DIR "part-version.so", "it belongs to haft 9.8.7; this is haft " HAFT_VERSION,
         false},
        {PARTS_DIR "part-other.so", "it is a different part: sqlite", false},
        {PARTS_DIR "part-empty.so", "it has no functions", false},
        {PARTS_DIR "part-nameless.so",
         "it is not a part of haft: symbol haft_http_client_part is missing", false},
        {PARTS_DIR "part-unresolved.so", "haft_no_such_function", false},
        {PARTS_DIR "nothing.so", "nothing.so: cannot open shared object file", true},
        {"/etc/passwd", "/etc/passwd: ", false},
        {"/tmp", "/tmp: ", false},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_reason reason = {0};
        bool missing = false;
        const haft_part *part = hf_part_load(rows[i].file, "http-client", &missing, &reason);

        if (!part != !!rows[i].error || missing != rows[i].missing ||
            (rows[i].error && (!strstr(reason.text, rows[i].error) ||
                               !strstr(reason.text, rows[i].file) || !reason.code)))
            fail_msg("row %zu: %d: %s: %s", i, reason.code, reason.path, reason.text);
        /* What is refused is not kept. */
        if (strstr(rows[i].file, ".so"))
            assert_int_equal(is_loaded(rows[i].file), !rows[i].error);
    }
}

static void finds_its_home(void **state)
{
    char path[PART_PATH];

    (void)state;
    /* Beside the directory of the program, as in an installed tree. */
    assert_true(hf_part_find_home(path));
    assert_int_equal(path[0], '/');
    assert_non_null(strstr(path, "/tests/part/../lib"));
}

/* In a process of its own, since a part stays. */
static void in_process(int (*function)(void))
{
    pid_t pid = fork();
    int status;

    assert_true(pid >= 0);
    if (!pid)
        _exit(function());
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

static int open_it(void)
{
    haft_reason reason = {0};
    const struct http_client_functions *http;

    if (is_loaded("libcurl") || is_loaded("libhaft-http-client"))
        return 1;
    http = hf_http_client_open("--otlp", &reason);
    if (!http)
        fprintf(stderr, "%s: %s\n", reason.path, reason.text);
    if (!http || http != hf_http_client_open("--otlp", &reason))
        return 2;
    if (!is_loaded("libcurl") || !is_loaded("libhaft-http-client"))
        return 3;
    return strcmp(http->error_text(HTTP_CANCELLED), "the request was cancelled") ? 4 : 0;
}

/* Not before it is needed. */
static void opens_what_is_there(void **state)
{
    (void)state;
    in_process(open_it);
}

static int register_it(void)
{
    static const int functions = 1;
    haft_part part = {HAFT_PART_MAGIC, HAFT_PART_ABI, "http-client", HAFT_VERSION, &functions};
    haft_part other = part, wrong[] = {part, part, part, part};

    wrong[0].magic++;
    wrong[1].abi++;
    wrong[2].name = "http-klient";
    wrong[3].version = "0.0.1";
    if (haft_part_register(NULL) != HAFT_EINVAL)
        return 1;
    for (size_t i = 0; i < COUNT_OF(wrong); i++)
        if (haft_part_register(&wrong[i]) != HAFT_EINVAL)
            return 2;
    if (haft_part_register(&part) || haft_part_register(&part))
        return 3;
    if (haft_part_register(&other) != HAFT_EEXISTS)
        return 4;
    return hf_part_open(PART_HTTP_CLIENT, "x", NULL) != &functions || is_loaded("libcurl") ? 5 : 0;
}

static void takes_what_is_linked_in(void **state)
{
    (void)state;
    in_process(register_it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(judges_files),
        cmocka_unit_test(finds_its_home),
        cmocka_unit_test(opens_what_is_there),
        cmocka_unit_test(takes_what_is_linked_in),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
