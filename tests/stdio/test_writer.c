/* test_writer.c - what is added comes out, whole and in order, however slowly it is read. */
#define _POSIX_C_SOURCE 200809L
#include "stdio/writer.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "support/failing.h"
#include "support/test.h"

static void make_pipe(int fds[2])
{
    assert_int_equal(pipe(fds), 0);
    fcntl(fds[0], F_SETFL, O_NONBLOCK);
    fcntl(fds[1], F_SETFL, O_NONBLOCK);
}

static void drain(int fd, haft_buffer *seen)
{
    char bytes[4096];
    ssize_t n;

    while ((n = read(fd, bytes, sizeof bytes)) > 0)
        haft_buffer_add(seen, bytes, (size_t)n);
}

static void sizes_of_every_kind_come_out_in_order(void **state)
{
    static const size_t sizes[] = {0, 1, 100, 65535, 65536, 65537, 5, 300000, 0, 131072, 7};
    static char bytes[300000];
    struct failing memory;
    struct writer writer;
    haft_buffer seen, expected;
    int fds[2], status = 0;

    (void)state;
    failing_init(&memory, 0);
    haft_buffer_init(&seen, NULL, 4 << 20);
    haft_buffer_init(&expected, NULL, 4 << 20);
    make_pipe(fds);
    hf_writer_init(&writer, &memory.allocator, fds[1], 1 << 30, 1000);
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        memset(bytes, 'a' + (int)i, sizeof bytes);
        assert_int_equal(hf_writer_add(&writer, bytes, sizes[i]), 0);
        haft_buffer_add(&expected, bytes, sizes[i]);
        haft_buffer_add(&expected, "\n", 1);
    }
    assert_int_equal(writer.bytes, expected.size);
    while (!status) {
        status = hf_writer_flush(&writer);
        drain(fds[0], &seen);
    }
    assert_int_equal(status, 1);
    assert_int_equal(writer.bytes, 0);
    assert_int_equal(writer.messages, 0);
    assert_int_equal(seen.size, expected.size);
    assert_memory_equal(seen.data, expected.data, seen.size);
    hf_writer_finish(&writer);
    failing_check(&memory);
    haft_buffer_finish(&seen);
    haft_buffer_finish(&expected);
    close(fds[0]);
    close(fds[1]);
}

static void is_full_at_its_limit_and_not_before_half_is_left(void **state)
{
    static const struct {
        size_t max_bytes, max_messages, size, fills_at; /* messages of that size */
    } rows[] = {
        {1000, 1000, 9, 100},
        {1 << 20, 10, 9, 10},
        {10, 10, 99, 1},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char bytes[100] = {0};
        struct writer writer;
        haft_buffer seen;
        int fds[2];
        size_t n = 0;

        haft_buffer_init(&seen, NULL, 1 << 20);
        make_pipe(fds);
        hf_writer_init(&writer, NULL, fds[1], rows[i].max_bytes, rows[i].max_messages);
        while (!hf_writer_is_full(&writer)) {
            hf_writer_add(&writer, bytes, rows[i].size);
            n++;
        }
        assert_int_equal(n, rows[i].fills_at);
        writer.bytes -= writer.bytes / 4;
        assert_true(hf_writer_is_full(&writer));
        writer.bytes = n * (rows[i].size + 1);
        assert_int_equal(hf_writer_flush(&writer), 1);
        assert_false(hf_writer_is_full(&writer));
        hf_writer_finish(&writer);
        haft_buffer_finish(&seen);
        close(fds[0]);
        close(fds[1]);
    }
}

static void without_memory_nothing_of_a_message_is_added(void **state)
{
    struct failing memory;
    struct writer writer;
    char bytes[70000] = {0};

    (void)state;
    failing_init(&memory, 2);
    hf_writer_init(&writer, &memory.allocator, -1, 1 << 20, 10);
    assert_int_equal(hf_writer_add(&writer, "first", 5), 0);
    assert_int_equal(hf_writer_add(&writer, bytes, sizeof bytes), HAFT_ENOMEM);
    assert_int_equal(writer.bytes, 6);
    assert_int_equal(writer.messages, 1);
    hf_writer_finish(&writer);
    failing_check(&memory);
}

static void a_reader_that_is_gone_is_noticed(void **state)
{
    struct writer writer;
    int fds[2];

    (void)state;
    signal(SIGPIPE, SIG_IGN);
    make_pipe(fds);
    close(fds[0]);
    hf_writer_init(&writer, NULL, fds[1], 1 << 20, 10);
    hf_writer_add(&writer, "x", 1);
    assert_int_equal(hf_writer_flush(&writer), HAFT_ECLOSED);
    hf_writer_finish(&writer);
    close(fds[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_of_every_kind_come_out_in_order),
        cmocka_unit_test(is_full_at_its_limit_and_not_before_half_is_left),
        cmocka_unit_test(without_memory_nothing_of_a_message_is_added),
        cmocka_unit_test(a_reader_that_is_gone_is_noticed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
