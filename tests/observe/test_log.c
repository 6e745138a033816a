/* test_log.c - lines of the log: their shape, their size, and what becomes of them when nobody
 * takes them. */
#define _DEFAULT_SOURCE
#include "observe/log.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <yyjson.h>

#include "support/gate.h"
#include "support/test.h"

static char directory[] = "/tmp/haft-log-XXXXXX";
static char path[64], moved[64];

static int make_directory(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "%s/log", mkdtemp(directory));
    snprintf(moved, sizeof moved, "%s/log.1", directory);
    return 0;
}

static int remove_directory(void **state)
{
    (void)state;
    unlink(path);
    unlink(moved);
    return rmdir(directory);
}

/* What the file holds, and then it is gone. */
static size_t take(const char *name, char *text, size_t size)
{
    int fd = open(name, O_RDONLY);
    ssize_t n = read(fd, text, size - 1);

    close(fd);
    unlink(name);
    assert_true(n >= 0);
    text[n] = '\0';
    return (size_t)n;
}

static void opens(struct logger *logger, enum log_format format, haft_level level)
{
    haft_reason reason = {0};

    assert_int_equal(hf_logger_open(logger, &(struct log_options){format, path, level}, &reason),
                     0);
}

static void line(struct logger *logger, haft_level level, const char *text, size_t size)
{
    hf_logger_record(logger, &(haft_record){.level = level, .text = text, .size = size});
}

struct shape_row {
    enum log_format format;
    haft_record record;
    const char *after; /* the time */
};

#define RECORD(level_, text_, ...)                                                                 \
    {                                                                                              \
        .level = level_, .text = text_, .size = sizeof text_ - 1, __VA_ARGS__                      \
    }

static const struct shape_row shape_rows[] = {
    {LOG_TEXT, RECORD(HAFT_WARNING, "plain", ), " warning plain\n"},
    {LOG_TEXT,
     RECORD(HAFT_ERROR, "all of it", .request_id = "7", .tool = "search", .client = "claude",
            .principal = "eve", .trace_id = "4bf92f3577b34da6a3ce929d0e0e4736"),
     " error [7] search (claude) principal=eve trace=4bf92f3577b34da6a3ce929d0e0e4736 all of it\n"},
    {LOG_TEXT, RECORD(HAFT_INFO, "a\nb\tc\x1b[2J\x7f\xc2\x9b \"q\" \\ \xc3\xa9", .client = ""),
     " info a\\nb\\tc\\u001b[2J\\u007f\\u009b \"q\" \\ \xc3\xa9\n"},
    {LOG_TEXT, RECORD(HAFT_INFO, "x", .tool = "a\nwarning forged"), " info a\\nwarning forged x\n"},
    {LOG_TEXT, RECORD(HAFT_INFO, "x", .principal = "https://i\nerror forged"),
     " info principal=https://i\\nerror forged x\n"},
    {LOG_JSON, RECORD(HAFT_INFO, "x", .principal = "https://i\nsub"),
     "\",\"level\":\"info\",\"principal\":\"https://i\\nsub\",\"text\":\"x\"}\n"},
    {LOG_TEXT, RECORD(HAFT_INFO, "a\0b", ), " info a\\u0000b\n"},
    {LOG_TEXT, RECORD(HAFT_INFO, "cut \xc3", ), " info cut \xef\xbf\xbd\n"},
    /* Marks of direction, a separator of lines, a tag */
    {LOG_TEXT,
     RECORD(HAFT_INFO, "a\xe2\x80\xae\xd8\x9c\xe2\x81\xa9 \xe2\x80\xa8 \xf3\xa0\x81\x81",
            .tool = "\xe2\x80\xae"),
     " info \\u202e a\\u202e\\u061c\\u2069 \\u2028 \\udb40\\udc41\n"},
    {LOG_JSON, RECORD(HAFT_INFO, "a\xe2\x80\xae\xf3\xa0\x81\x81", ),
     "\",\"level\":\"info\",\"text\":\"a\\u202e\\udb40\\udc41\"}\n"},
    {LOG_JSON, RECORD(HAFT_WARNING, "plain", ), "\",\"level\":\"warning\",\"text\":\"plain\"}\n"},
    {LOG_JSON,
     RECORD(HAFT_ERROR, "say \"no\"\\\n", .request_id = "7", .tool = "search", .client = "a\"b",
            .trace_id = "4bf92f3577b34da6a3ce929d0e0e4736"),
     "\",\"level\":\"error\",\"request\":\"7\",\"tool\":\"search\",\"client\":\"a\\\"b\",\"trace\":"
     "\"4bf92f3577b34da6a3ce929d0e0e4736\",\"text\":\"say \\\"no\\\"\\\\\\n\"}\n"},
    {LOG_JSON, RECORD(HAFT_INFO, "\xff\x01", ),
     "\",\"level\":\"info\",\"text\":\"\xef\xbf\xbd\\u0001\"}\n"},
};

static void has_its_shape(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof shape_rows / sizeof *shape_rows; i++) {
        const struct shape_row *row = &shape_rows[i];
        size_t before = row->format == LOG_JSON ? strlen("{\"time\":\"") : 0;
        struct logger logger;
        char text[1024];

        opens(&logger, row->format, HAFT_DEBUG);
        hf_logger_record(&logger, &row->record);
        hf_logger_finish(&logger);
        take(path, text, sizeof text);
        assert_int_equal(text[before + 4], '-');
        assert_int_equal(text[before + 10], 'T');
        assert_int_equal(text[before + 23], 'Z');
        assert_string_equal(text + before + 24, row->after);
    }
}

static void has_a_least_level(void **state)
{
    struct logger logger;
    char text[1024];

    (void)state;
    opens(&logger, LOG_TEXT, HAFT_NOTICE);
    line(&logger, HAFT_INFO, "one", 3);
    line(&logger, HAFT_NOTICE, "two", 3);
    hf_logger_set_level(&logger, HAFT_ERROR);
    line(&logger, HAFT_WARNING, "three", 5);
    line(&logger, HAFT_ALERT, "four", 4);
    hf_logger_finish(&logger);
    take(path, text, sizeof text);
    assert_null(strstr(text, "one"));
    assert_non_null(strstr(text, " notice two\n"));
    assert_null(strstr(text, "three"));
    assert_non_null(strstr(text, " alert four\n"));
}

/* However much is said, a line ends within its limit, is one line, and as JSON is JSON. */
static void is_cut_to_its_limit(void **state)
{
    static char long_text[20000], text[20000];
    char word[2000];

    (void)state;
    memset(word, '\x01', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    for (size_t i = 0; i < sizeof long_text; i++)
        long_text[i] = "\xe2\x82\xac\n"[i % 4];
    for (int format = LOG_TEXT; format <= LOG_JSON; format++) {
        struct logger logger;
        yyjson_doc *doc;
        size_t n;

        opens(&logger, (enum log_format)format, HAFT_DEBUG);
        hf_logger_record(&logger, &(haft_record){.level = HAFT_INFO,
                                                 .text = long_text,
                                                 .size = sizeof long_text,
                                                 .request_id = word,
                                                 .tool = word,
                                                 .client = word,
                                                 .trace_id = word});
        hf_logger_finish(&logger);
        n = take(path, text, sizeof text);
        assert_in_range(n, LOG_LINE_MAX - 16, LOG_LINE_MAX);
        assert_ptr_equal(strchr(text, '\n'), text + n - 1);
        assert_int_equal(haft_utf8_valid(text, n), n);
        if (format == LOG_TEXT) {
            assert_non_null(strstr(text, " ...\n"));
            continue;
        }
        doc = yyjson_read(text, n, 0);
        assert_non_null(doc);
        assert_true(yyjson_get_bool(yyjson_obj_get(yyjson_doc_get_root(doc), "cut")));
        yyjson_doc_free(doc);
    }
}

static void is_reopened_after_rotation(void **state)
{
    struct logger logger;
    haft_reason reason = {0};
    char text[1024];

    (void)state;
    opens(&logger, LOG_TEXT, HAFT_DEBUG);
    line(&logger, HAFT_INFO, "one", 3);
    assert_int_equal(rename(path, moved), 0);
    line(&logger, HAFT_INFO, "two", 3);
    assert_int_equal(hf_logger_reopen(&logger, &reason), 0);
    line(&logger, HAFT_INFO, "three", 5);
    take(moved, text, sizeof text);
    assert_non_null(strstr(text, "one\n"));
    assert_non_null(strstr(text, "two\n"));
    take(path, text, sizeof text);
    assert_non_null(strstr(text, "three\n"));
    /* The name is a directory's now: the old file is kept. */
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(hf_logger_reopen(&logger, &reason), HAFT_EINVAL);
    assert_string_equal(reason.path, path);
    assert_int_equal(rmdir(path), 0);
    line(&logger, HAFT_INFO, "four", 4);
    assert_int_equal(logger.lost, 0);
    hf_logger_finish(&logger);
}

static void refuses_a_file_that_cannot_be(void **state)
{
    struct logger logger;
    haft_reason reason = {0};

    (void)state;
    assert_int_equal(
        hf_logger_open(&logger, &(struct log_options){.file = "/nowhere/at/all"}, &reason),
        HAFT_EINVAL);
    assert_string_equal(reason.path, "/nowhere/at/all");
    /* A pipe that nobody reads is not waited for. */
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(hf_logger_open(&logger, &(struct log_options){.file = path}, &reason),
                     HAFT_EINVAL);
    unlink(path);
}

static void counts_what_a_full_disk_refuses(void **state)
{
    struct logger logger;
    char text[1024];
    int file;

    (void)state;
    if (access("/dev/full", W_OK))
        skip();
    assert_int_equal(hf_logger_open(&logger, &(struct log_options){.file = "/dev/full"}, NULL), 0);
    for (int i = 0; i < 3; i++)
        line(&logger, HAFT_INFO, "one", 3);
    assert_int_equal(logger.lost, 3);
    /* There is room again. */
    file = open(path, O_WRONLY | O_APPEND | O_CREAT, 0600);
    assert_true(file >= 0);
    assert_int_equal(dup2(file, logger.fd), logger.fd);
    close(file);
    line(&logger, HAFT_INFO, "two", 3);
    assert_int_equal(logger.lost, 0);
    hf_logger_finish(&logger);
    take(path, text, sizeof text);
    assert_non_null(strstr(text, " warning 3 log lines were lost here\n"));
    assert_non_null(strstr(text, " info two\n"));
}

static void limit_files(rlim_t most)
{
    struct rlimit limit;

    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = most;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* Half a line, of a disk that has filled up, ends before the next begins. */
static void a_torn_line_stands_alone(void **state)
{
    struct logger logger;
    char text[1024], *at;

    (void)state;
    unlink(path);
    opens(&logger, LOG_TEXT, HAFT_INFO);
    limit_files(10);
    line(&logger, HAFT_INFO, "one", 3);
    limit_files(RLIM_INFINITY);
    line(&logger, HAFT_INFO, "two", 3);
    hf_logger_finish(&logger);
    take(path, text, sizeof text);
    at = strchr(text, '\n');
    assert_true(at && at - text == 10);
    assert_null(strstr(text, "one"));
    at = strchr(at + 1, '\n');
    assert_non_null(at);
    assert_non_null(strstr(text, "\n2"));
    assert_non_null(strstr(text, " info two\n"));
}

/* Whoever logs between a failure and the look at its reason still finds that. */
static void leaves_errno_alone(void **state)
{
    struct logger logger;
    int ends[2];

    (void)state;
    signal(SIGPIPE, SIG_IGN);
    opens(&logger, LOG_TEXT, HAFT_INFO);
    assert_int_equal(pipe(ends), 0);
    close(ends[0]);
    assert_int_equal(dup2(ends[1], logger.fd), logger.fd);
    close(ends[1]);
    errno = ENOTTY;
    line(&logger, HAFT_INFO, "one", 3);
    assert_int_equal(errno, ENOTTY);
    assert_int_equal(logger.lost, 1);
    hf_logger_finish(&logger);
    unlink(path);
}

static void never_waits_for_a_reader(void **state)
{
    static char long_text[LOG_LINE_MAX], text[1 << 17];
    struct logger logger;
    ssize_t n, all = 0;
    int reader;

    (void)state;
    memset(long_text, 'x', sizeof long_text);
    assert_int_equal(mkfifo(path, 0600), 0);
    reader = open(path, O_RDONLY | O_NONBLOCK);
    opens(&logger, LOG_TEXT, HAFT_DEBUG);
    for (int i = 0; i < 100; i++)
        line(&logger, HAFT_INFO, long_text, sizeof long_text);
    assert_true(logger.lost > 0);
    while ((n = read(reader, text, sizeof text)) > 0)
        all += n;
    /* Whole lines only. */
    assert_int_equal(all % LOG_PIPE_MAX, 0);
    line(&logger, HAFT_INFO, "two", 3);
    assert_int_equal(logger.lost, 0);
    close(reader);
    hf_logger_finish(&logger);
    unlink(path);
}

/* Nobody who has something to say waits, and lines are there when it goes on. */
static void never_waits_for_a_disk(void **state)
{
    enum { LINES = 500, SIZE = 4000 }; /* together more than the queue */
    static char text[4 << 20], word[SIZE];
    struct logger logger;
    size_t lines = 0, lost;
    const char *note;

    (void)state;
    memset(word, 'x', sizeof word);
    opens(&logger, LOG_TEXT, HAFT_DEBUG);
    assert_int_equal(hf_logger_start(&logger, NULL), 0);
    gate_set(true);
    line(&logger, HAFT_INFO, "first", 5);
    gate_wait();
    for (int i = 0; i < LINES; i++)
        line(&logger, HAFT_INFO, word, sizeof word);
    gate_set(false);
    hf_logger_finish(&logger);
    take(path, text, sizeof text);
    for (const char *at = text; (at = strchr(at, '\n')); at++)
        lines++;
    note = strstr(text, " log lines were lost here\n");
    assert_non_null(note);
    while (note[-1] >= '0' && note[-1] <= '9')
        note--;
    lost = strtoul(note, NULL, 10);
    assert_true(lost > 0);
    assert_int_equal(lines + lost, 1 + LINES + 1);
}

static void is_reopened_while_a_thread_writes(void **state)
{
    struct logger logger;
    char text[1024];

    (void)state;
    opens(&logger, LOG_TEXT, HAFT_DEBUG);
    assert_int_equal(hf_logger_start(&logger, NULL), 0);
    line(&logger, HAFT_INFO, "one", 3);
    hf_logger_flush(&logger);
    assert_int_equal(rename(path, moved), 0);
    line(&logger, HAFT_INFO, "two", 3);
    assert_int_equal(hf_logger_reopen(&logger, NULL), 0);
    line(&logger, HAFT_INFO, "three", 5);
    hf_logger_flush(&logger);
    take(moved, text, sizeof text);
    assert_non_null(strstr(text, "one\n"));
    assert_non_null(strstr(text, "two\n"));
    take(path, text, sizeof text);
    assert_non_null(strstr(text, "three\n"));
    /* The name is a directory's now: the old file, which has no name any more, is kept. */
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(hf_logger_reopen(&logger, NULL), 0);
    line(&logger, HAFT_INFO, "four", 4);
    hf_logger_finish(&logger);
    assert_int_equal(rmdir(path), 0);
}

static void outlives_a_closed_descriptor(void **state)
{
    struct logger logger;

    (void)state;
    opens(&logger, LOG_TEXT, HAFT_DEBUG);
    close(logger.fd);
    line(&logger, HAFT_INFO, "one", 3);
    assert_int_equal(logger.lost, 1);
    assert_int_equal(open(path, O_WRONLY | O_APPEND), logger.fd);
    line(&logger, HAFT_INFO, "two", 3);
    assert_int_equal(logger.lost, 0);
    hf_logger_finish(&logger);
    unlink(path);
}

static void knows_its_names(void **state)
{
    (void)state;
    assert_string_equal(hf_log_format_names[LOG_TEXT], "text");
    assert_string_equal(hf_log_format_names[LOG_JSON], "json");
    assert_null(hf_log_format_names[LOG_JSON + 1]);
    assert_string_equal(hf_level_names[HAFT_DEBUG], "debug");
    assert_string_equal(hf_level_names[HAFT_WARNING], "warning");
    assert_string_equal(hf_level_names[HAFT_EMERGENCY], "emergency");
    assert_null(hf_level_names[HAFT_EMERGENCY + 1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(has_its_shape),
        cmocka_unit_test(has_a_least_level),
        cmocka_unit_test(is_cut_to_its_limit),
        cmocka_unit_test(is_reopened_after_rotation),
        cmocka_unit_test(refuses_a_file_that_cannot_be),
        cmocka_unit_test(counts_what_a_full_disk_refuses),
        cmocka_unit_test(a_torn_line_stands_alone),
        cmocka_unit_test(leaves_errno_alone),
        cmocka_unit_test(never_waits_for_a_reader),
        cmocka_unit_test(never_waits_for_a_disk),
        cmocka_unit_test(is_reopened_while_a_thread_writes),
        cmocka_unit_test(outlives_a_closed_descriptor),
        cmocka_unit_test(knows_its_names),
    };

    gate_init();
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
