/* test_packet.c - what a process says to the server, and what it is taken for when it is not what it should be. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "process/isolate.h"
#include "support/test.h"

enum { LIMIT = 8, LAST = 0, MORE = 1 };

/* One packet after another, each of `size` bytes, and what the last one gives. */
static const struct row {
    struct {
        unsigned char bytes[16];
        size_t size;
    } packets[3];
    int status;
    const char *body; /* if it is a message */
} rows[] = {
    {{{{PACKET_NOTICE, LAST, 'a', 'b'}, 4}}, PACKET_NOTICE, "ab"},
    {{{{PACKET_NOTICE, LAST}, 2}}, PACKET_NOTICE, ""},
    {{{{PACKET_NOTICE, MORE, 'a'}, 3}}, 0, NULL},
    {{{{PACKET_NOTICE, MORE, 'a'}, 3}, {{PACKET_NOTICE, LAST, 'b'}, 3}}, PACKET_NOTICE, "ab"},
    {{{{PACKET_NOTICE, LAST, 'a'}, 3}, {{PACKET_LOG, LAST, 'b'}, 3}}, PACKET_LOG, "b"},
    /* no packet at all */
    {{{{PACKET_NOTICE}, 1}}, HAFT_EPARSE, NULL},
    {{{{0, LAST}, 2}}, HAFT_EPARSE, NULL},
    {{{{PACKET_KINDS, LAST}, 2}}, HAFT_EPARSE, NULL},
    {{{{255, LAST}, 2}}, HAFT_EPARSE, NULL},
    {{{{PACKET_NOTICE, 2}, 2}}, HAFT_EPARSE, NULL},
    /* the rest of one message is not another, but for the word of the fork server */
    {{{{PACKET_NOTICE, MORE, 'a'}, 3}, {{PACKET_LOG, LAST, 'b'}, 3}}, HAFT_EPARSE, NULL},
    {{{{PACKET_RESULT, MORE, 'a'}, 3}, {{PACKET_END, LAST, 'e'}, 3}}, PACKET_END, "e"},
    {{{{PACKET_RESULT, MORE, 'a'}, 3}, {{PACKET_RESULT, MORE, 'b'}, 3}, {{PACKET_END, LAST}, 2}},
     PACKET_END,
     ""},
    /* too much */
    {{{{PACKET_NOTICE, MORE, 1, 2, 3, 4, 5}, 7}, {{PACKET_NOTICE, LAST, 6, 7, 8, 9}, 6}},
     HAFT_ETOOBIG,
     NULL},
};

static void puts_messages_together(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct packet_reader reader = {.kind = 0};
        int status = 0;

        haft_buffer_init(&reader.body, NULL, LIMIT);
        for (size_t k = 0; k < 3 && rows[i].packets[k].size; k++) {
            /* By itself, so that a look behind it is seen. */
            void *packet = malloc(rows[i].packets[k].size);

            assert_non_null(packet);
            memcpy(packet, rows[i].packets[k].bytes, rows[i].packets[k].size);
            status = hf_packet_take(&reader, packet, rows[i].packets[k].size);
            free(packet);
        }
        if (status != rows[i].status)
            fail_msg("row %zu: %d, and not %d", i, status, rows[i].status);
        if (rows[i].body) {
            assert_int_equal(reader.body.size, strlen(rows[i].body));
            assert_memory_equal(reader.body.size ? reader.body.data : "", rows[i].body,
                                reader.body.size);
        }
        haft_buffer_finish(&reader.body);
    }
}

/* What a process has said is heard, though it has gone without listening. */
static void hears_who_does_not_listen(void **state)
{
    struct packet_reader reader = {.kind = 0};
    int ends[2];

    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    haft_buffer_init(&reader.body, NULL, LIMIT);
    assert_int_equal(hf_packet_send(ends[0], PACKET_CALL, "call", 4, NULL, NULL), 0);
    assert_int_equal(hf_packet_send(ends[1], PACKET_RESULT, "done", 4, NULL, NULL), 0);
    close(ends[1]);
    assert_int_equal(hf_packet_receive(ends[0], &reader, NULL, NULL), PACKET_RESULT);
    assert_memory_equal(reader.body.data, "done", 4);
    assert_int_equal(hf_packet_receive(ends[0], &reader, NULL, NULL), HAFT_ECLOSED);
    close(ends[0]);
    haft_buffer_finish(&reader.body);
}

/* A message of several packets arrives as one. */
static void carries_long_messages(void **state)
{
    enum { LONG = 3 * PACKET_SIZE };
    static char text[LONG];
    struct packet_reader reader = {.kind = 0};
    int ends[2];

    (void)state;
    for (size_t i = 0; i < LONG; i++)
        text[i] = (char)(i / 7);
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    haft_buffer_init(&reader.body, NULL, LONG);
    assert_int_equal(hf_packet_send(ends[0], PACKET_RESULT, text, LONG, NULL, NULL), 0);
    assert_int_equal(hf_packet_receive(ends[1], &reader, NULL, NULL), PACKET_RESULT);
    assert_int_equal(reader.body.size, LONG);
    assert_memory_equal(reader.body.data, text, LONG);
    close(ends[0]);
    close(ends[1]);
    haft_buffer_finish(&reader.body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(puts_messages_together),
        cmocka_unit_test(hears_who_does_not_listen),
        cmocka_unit_test(carries_long_messages),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
