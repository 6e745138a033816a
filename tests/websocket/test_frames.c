/* test_frames.c - what a connection makes of frames, in both roles and however they are cut. */
#include "websocket/link.h"
#include "websocket/peer.h"

/* ---- the table ---- */

enum { FIN = 0x80, MORE = 0, TEXT_FRAME = 1, BINARY_FRAME = 2, CLOSE = 8, PING = 9, PONG = 10 };

#define F(first, literal)                                                                          \
    {                                                                                              \
        first, literal, sizeof(literal) - 1, 0                                                     \
    }
#define F_WITH(first, literal, flags)                                                              \
    {                                                                                              \
        first, literal, sizeof(literal) - 1, flags                                                 \
    }
#define X25 "xxxxxxxxxxxxxxxxxxxxxxxxx"
#define X125 X25 X25 X25 X25 X25

/* A connection of at most 1,000 bytes and 4 frames a message. */
static const struct row {
    const char *name;
    struct frame frames[6];
    const char *log;    /* what is reported */
    const char *output; /* what is sent */
} rows[] = {
    {"a text", {F(FIN | TEXT_FRAME, "hello")}, "text:hello ", ""},
    {"an empty text", {F(FIN | TEXT_FRAME, "")}, "text: ", ""},
    {"an empty binary message", {F(FIN | BINARY_FRAME, "")}, "binary: ", ""},
    {"bytes that are not UTF-8", {F(FIN | BINARY_FRAME, "\xFF\xFE")}, "binary:\xFF\xFE ", ""},
    {"two messages",
     {F(FIN | TEXT_FRAME, "a"), F(FIN | BINARY_FRAME, "b")},
     "text:a binary:b ",
     ""},
    {"126 bytes", {F(FIN | TEXT_FRAME, X125 "x")}, "text(126) ", ""},
    {"several sizes",
     {F(FIN | TEXT_FRAME, X125 X125), F(FIN | TEXT_FRAME, X125)},
     "text(250) text(125) ",
     ""},
    {"fragments", {F(TEXT_FRAME, "he"), F(MORE, "l"), F(FIN | MORE, "lo")}, "text:hello ", ""},
    {"an empty last fragment", {F(TEXT_FRAME, "he"), F(FIN | MORE, "")}, "text:he ", ""},
    {"a ping", {F(FIN | PING, "are you there")}, "", "pong:are you there "},
    {"an empty ping", {F(FIN | PING, "")}, "", "pong: "},
    {"the longest ping", {F(FIN | PING, X125)}, "", "pong:" X125 " "},
    {"a pong", {F(FIN | PONG, "here")}, "pong:here ", ""},
    {"control frames between fragments",
     {F(TEXT_FRAME, "he"), F(FIN | PING, "1"), F(MORE, "l"), F(FIN | PONG, "2"),
      F(FIN | MORE, "lo")},
     "pong:2 text:hello ",
     "pong:1 "},
    {"a close frame between fragments",
     {F(TEXT_FRAME, "he"), F(FIN | CLOSE, "\x03\xE8")},
     "end 1000 by peer clean",
     "close 1000: "},

    {"close without a code", {F(FIN | CLOSE, "")}, "end 1005 by peer clean", "close: "},
    {"close", {F(FIN | CLOSE, "\x03\xE8")}, "end 1000 by peer clean", "close 1000: "},
    {"close with a reason",
     {F(FIN | CLOSE, "\x03\xE9gone")},
     "end 1001 by peer clean gone",
     "close 1001: "},
    {"a code of a registry",
     {F(FIN | CLOSE, "\x0B\xB8")},
     "end 3000 by peer clean",
     "close 3000: "},
    {"a private code", {F(FIN | CLOSE, "\x13\x87")}, "end 4999 by peer clean", "close 4999: "},
    {"nothing after close",
     {F(FIN | CLOSE, "\x03\xE8"), F(FIN | TEXT_FRAME, "a")},
     "end 1000 by peer clean",
     "close 1000: "},
    {"half a code",
     {F(FIN | CLOSE, "\x03")},
     "end 1002 a close frame has an invalid code",
     "close 1002:a close frame has an invalid code "},
    {"code 999",
     {F(FIN | CLOSE, "\x03\xE7")},
     "end 1002 a close frame has an invalid code",
     "close 1002:a close frame has an invalid code "},
    {"code 1004",
     {F(FIN | CLOSE, "\x03\xEC")},
     "end 1002 a close frame has an invalid code",
     "close 1002:a close frame has an invalid code "},
    {"code 1005",
     {F(FIN | CLOSE, "\x03\xED")},
     "end 1002 a close frame has an invalid code",
     "close 1002:a close frame has an invalid code "},
    {"code 1006",
     {F(FIN | CLOSE, "\x03\xEE")},
     "end 1002 a close frame has an invalid code",
     "close 1002:a close frame has an invalid code "},
    {"code 1015",
     {F(FIN | CLOSE, "\x03\xF7")},
     "end 1002 a close frame has an invalid code",
     "close 1002:a close frame has an invalid code "},
    {"code 2999",
     {F(FIN | CLOSE, "\x0B\xB7")},
     "end 1002 a close frame has an invalid code",
     "close 1002:a close frame has an invalid code "},
    {"code 5000",
     {F(FIN | CLOSE, "\x13\x88")},
     "end 1002 a close frame has an invalid code",
     "close 1002:a close frame has an invalid code "},
    {"a reason that is not UTF-8",
     {F(FIN | CLOSE, "\x03\xE8 \xC3(")},
     "end 1007 a close reason is not valid UTF-8",
     "close 1007:a close reason is not valid UTF-8 "},
    {"a reason that is cut",
     {F(FIN | CLOSE, "\x03\xE8 \xC3")},
     "end 1007 a close reason is not valid UTF-8",
     "close 1007:a close reason is not valid UTF-8 "},

    {"text with letters of all sizes",
     {F(FIN | TEXT_FRAME, "a\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80")},
     "text:a\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80 ",
     ""},
    {"letters cut by fragments",
     {F(TEXT_FRAME, "\xC3"), F(MORE, "\xA4\xE2\x82"), F(MORE, "\xAC\xF0"),
      F(FIN | MORE, "\x9F\x98\x80")},
     "text:\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80 ",
     ""},
    {"text that is not UTF-8",
     {F(FIN | TEXT_FRAME, "a\xFF")},
     "end 1007 a text is not valid UTF-8",
     "close 1007:a text is not valid UTF-8 "},
    {"a letter that is never finished",
     {F(FIN | TEXT_FRAME, "a\xE2\x82")},
     "end 1007 a text is not valid UTF-8",
     "close 1007:a text is not valid UTF-8 "},
    {"one that is never finished in fragments",
     {F(TEXT_FRAME, "\xE2"), F(FIN | MORE, "")},
     "end 1007 a text is not valid UTF-8",
     "close 1007:a text is not valid UTF-8 "},
    {"invalid across fragments",
     {F(TEXT_FRAME, "\xE2"), F(MORE, "\x82("), F(FIN | PING, "")},
     "end 1007 a text is not valid UTF-8",
     "close 1007:a text is not valid UTF-8 "},
    {"an overlong form, before its end",
     {F(TEXT_FRAME, "\xE0\x80"), F(FIN | PING, "")},
     "end 1007 a text is not valid UTF-8",
     "close 1007:a text is not valid UTF-8 "},
    {"a surrogate, before its end",
     {F(TEXT_FRAME, "\xED\xA0"), F(FIN | PING, "")},
     "end 1007 a text is not valid UTF-8",
     "close 1007:a text is not valid UTF-8 "},
    {"above U+10FFFF, before its end",
     {F(TEXT_FRAME, "\xF4\x90"), F(FIN | PING, "")},
     "end 1007 a text is not valid UTF-8",
     "close 1007:a text is not valid UTF-8 "},
    {"the last code point",
     {F(TEXT_FRAME, "\xF4\x8F"), F(FIN | MORE, "\xBF\xBF")},
     "text:\xF4\x8F\xBF\xBF ",
     ""},

    {"the wrong mask", {F_WITH(FIN | TEXT_FRAME, "a", WRONG_MASK)}, NULL, NULL},
    {"the wrong mask of a ping", {F_WITH(FIN | PING, "", WRONG_MASK)}, NULL, NULL},
    {"the wrong mask inside a message",
     {F(TEXT_FRAME, "a"), F_WITH(FIN | MORE, "b", WRONG_MASK)},
     NULL,
     NULL},
    {"the first reserved bit",
     {F(FIN | 0x40 | TEXT_FRAME, "a")},
     "end 1002 a reserved bit is set",
     "close 1002:a reserved bit is set "},
    {"the second reserved bit",
     {F(FIN | 0x20 | PING, "a")},
     "end 1002 a reserved bit is set",
     "close 1002:a reserved bit is set "},
    {"the third reserved bit",
     {F(TEXT_FRAME, "a"), F(FIN | 0x10 | MORE, "a")},
     "end 1002 a reserved bit is set",
     "close 1002:a reserved bit is set "},
    {"opcode 3", {F(FIN | 3, "a")}, "end 1002 unknown opcode", "close 1002:unknown opcode "},
    {"opcode 7", {F(FIN | 7, "a")}, "end 1002 unknown opcode", "close 1002:unknown opcode "},
    {"opcode 11", {F(FIN | 11, "a")}, "end 1002 unknown opcode", "close 1002:unknown opcode "},
    {"opcode 15", {F(FIN | 15, "a")}, "end 1002 unknown opcode", "close 1002:unknown opcode "},
    {"a ping that is too long",
     {F(FIN | PING, X125 "x")},
     "end 1002 invalid frame header",
     "close 1002:invalid frame header "},
    {"a close frame that is too long",
     {F(FIN | CLOSE, X125 "x")},
     "end 1002 invalid frame header",
     "close 1002:invalid frame header "},
    {"a ping in fragments",
     {F(PING, "a")},
     "end 1002 invalid frame header",
     "close 1002:invalid frame header "},
    {"a size in too many bytes",
     {F_WITH(FIN | TEXT_FRAME, "a", LONG_SIZE)},
     "end 1002 invalid frame header",
     "close 1002:invalid frame header "},
    {"a small size in two bytes",
     {F_WITH(FIN | TEXT_FRAME, "a", MEDIUM_SIZE)},
     "end 1002 invalid frame header",
     "close 1002:invalid frame header "},
    {"a continuation of nothing",
     {F(FIN | MORE, "a")},
     "end 1002 a continuation frame without a message",
     "close 1002:a continuation frame without a message "},
    {"a continuation after the end",
     {F(FIN | TEXT_FRAME, "a"), F(FIN | MORE, "a")},
     "text:a end 1002 a continuation frame without a message",
     "close 1002:a continuation frame without a message "},
    {"a message inside another",
     {F(TEXT_FRAME, "a"), F(FIN | TEXT_FRAME, "b")},
     "end 1002 a message began inside another",
     "close 1002:a message began inside another "},

    {"too large",
     {F(FIN | TEXT_FRAME, X125 X125 X125 X125 X125 X125 X125 X125 "x")},
     "end 1009 the message exceeds the limit",
     "close 1009:the message exceeds the limit "},
    {"just large enough",
     {F(FIN | TEXT_FRAME, X125 X125 X125 X125 X125 X125 X125 X125)},
     "text(1000) ",
     ""},
    {"too large in fragments",
     {F(TEXT_FRAME, X125 X125 X125 X125 X125 X125 X125 X125), F(MORE, ""), F(FIN | MORE, "x")},
     "end 1009 the message exceeds the limit",
     "close 1009:the message exceeds the limit "},
    {"as many fragments as are allowed",
     {F(TEXT_FRAME, "a"), F(MORE, ""), F(MORE, ""), F(FIN | MORE, "")},
     "text:a ",
     ""},
    {"too many fragments",
     {F(TEXT_FRAME, "a"), F(MORE, ""), F(MORE, ""), F(MORE, ""), F(FIN | MORE, "")},
     "end 1009 the message has too many fragments",
     "close 1009:the message has too many fragments "},
};

/* ---- running it ---- */

static const enum websocket_role both[] = {WEBSOCKET_SERVER, WEBSOCKET_CLIENT};

static void check_row(const struct row *row, enum websocket_role role, const char *bytes,
                      size_t size, size_t first, size_t step)
{
    static const char *const wrong[] = {"a frame of the client is not masked",
                                        "a frame of the server is masked"};
    char log_text[128], output[512], wanted[128];
    struct logged log = {.size = 0};
    struct websocket_options options = log_options(&log, role);
    const char *wanted_log = row->log, *wanted_output = row->output;

    options.max_message = 1000;
    options.max_fragments = 4;
    if (!wanted_log) {
        snprintf(log_text, sizeof log_text, "end 1002 %s", wrong[role]);
        snprintf(wanted, sizeof wanted, "close 1002:%s ", wrong[role]);
        wanted_log = log_text;
        wanted_output = wanted;
    }
    log.ws = hf_websocket_new(&options);
    assert_non_null(log.ws);
    for (size_t at = 0, n = first; at < size; at += n, n = step) {
        n = n < size - at ? n : size - at;
        if (hf_websocket_receive(log.ws, bytes + at, n, 5) == HAFT_ECLOSED)
            break;
        assert_int_equal(hf_websocket_heard(log.ws), 5);
    }
    output_describe(log.ws, role, output, sizeof output);
    if (strcmp(log.text, wanted_log) != 0 || strcmp(output, wanted_output) != 0)
        print_error("%s, role %d, cut at %zu\n", row->name, role, first);
    assert_string_equal(log.text, wanted_log);
    assert_string_equal(output, wanted_output);
    hf_websocket_free(log.ws);
}

static void reads_frames(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        for (size_t r = 0; r < COUNT_OF(both); r++) {
            char *bytes = NULL;
            size_t size = 0;

            for (size_t k = 0; k < COUNT_OF(rows[i].frames) && rows[i].frames[k].payload; k++)
                frame_put(&bytes, &size, both[r], &rows[i].frames[k]);
            for (size_t cut = 1; cut <= size; cut++)
                check_row(&rows[i], both[r], bytes, size, cut, size);
            check_row(&rows[i], both[r], bytes, size, 1, 1);
            free(bytes);
        }
    }
}

/* A frame may say that it has 2^63 bytes, or more. */
static void refuses_giants(void **state)
{
    static const struct {
        const char *bytes;
        const char *log;
    } giants[] = {
        {"\x82\x7F\x7F\xFF\xFF\xFF\xFF\xFF\xFF\xFFx", "end 1009 the message exceeds the limit"},
        {"\x82\x7F\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFFx", "end 1002 invalid frame header"},
        {"\x82\x7F\x00\x00\x00\x00\x01\x00\x00\x01x", "end 1009 the message exceeds the limit"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(giants); i++) {
        struct logged log = {.size = 0};
        struct websocket_options options = log_options(&log, WEBSOCKET_CLIENT);

        log.ws = hf_websocket_new(&options);
        assert_int_equal(hf_websocket_receive(log.ws, giants[i].bytes, 11, 0), HAFT_ECLOSED);
        assert_string_equal(log.text, giants[i].log);
        assert_true(hf_websocket_has_ended(log.ws));
        hf_websocket_free(log.ws);
    }
}

/* ---- sending ---- */

/* Moves what either sends to the other until nothing is left. */
static void exchange(struct logged *left, struct logged *right)
{
    struct logged *from = left, *to = right, *swap;
    size_t size, quiet = 0;

    while (quiet < 2) {
        const char *bytes = hf_websocket_output(from->ws, &size);

        quiet = size ? 0 : quiet + 1;
        /* A piece at a time, since an output may be of any size. */
        size = size < 1000 ? size : 1000;
        hf_websocket_receive(to->ws, bytes, size, 7);
        hf_websocket_sent(from->ws, size);
        swap = from;
        from = to;
        to = swap;
    }
}

static void roles_understand_each_other(void **state)
{
    static const size_t sizes[] = {0, 1, 39, 125, 126, 4096, 65535, 65536, 300000};
    struct logged server = {.answers = true}, client = {.size = 0};
    struct websocket_options options = log_options(&server, WEBSOCKET_SERVER);
    char *bytes = calloc(1, 300000), wanted[64];

    (void)state;
    server.ws = hf_websocket_new(&options);
    options = log_options(&client, WEBSOCKET_CLIENT);
    client.ws = hf_websocket_new(&options);
    for (size_t i = 0; i < 300000; i++)
        bytes[i] = (char)('a' + i % 26);
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        client.size = server.size = 0;
        client.text[0] = '\0';
        assert_int_equal(hf_websocket_send(client.ws, i % 2, bytes, sizes[i]), 0);
        exchange(&client, &server);
        if (sizes[i] > 40)
            snprintf(wanted, sizeof wanted, "%s(%zu) ", i % 2 ? "text" : "binary", sizes[i]);
        else
            snprintf(wanted, sizeof wanted, "%s:%.*s ", i % 2 ? "text" : "binary", (int)sizes[i],
                     bytes);
        assert_string_equal(client.text, wanted);
    }
    client.size = 0;
    assert_int_equal(hf_websocket_ping(client.ws, "now", 3), 0);
    exchange(&client, &server);
    assert_string_equal(client.text, "pong:now ");
    client.size = server.size = 0;
    assert_int_equal(hf_websocket_close(client.ws, 4000, "bye", 10), 0);
    exchange(&client, &server);
    assert_string_equal(client.text, "end 4000 clean bye");
    assert_string_equal(server.text, "end 4000 by peer clean bye");
    hf_websocket_free(server.ws);
    hf_websocket_free(client.ws);
    free(bytes);
}

static void refuses_to_send(void **state)
{
    struct logged log = {.size = 0};
    struct websocket_options options = log_options(&log, WEBSOCKET_SERVER);
    size_t size;

    (void)state;
    options.max_queued = 10;
    log.ws = hf_websocket_new(&options);
    assert_int_equal(hf_websocket_send(log.ws, true, "\xC3", 1), HAFT_EUTF8);
    assert_int_equal(hf_websocket_send(log.ws, false, "01234567890", 11), HAFT_ETOOBIG);
    assert_int_equal(hf_websocket_ping(log.ws, X125 "x", 126), HAFT_ETOOBIG);
    hf_websocket_output(log.ws, &size);
    assert_int_equal(size, 0);
    assert_int_equal(hf_websocket_send(log.ws, false, "0123456789", 10), 0);
    /* Twelve bytes wait: more does not, whatever it is. */
    assert_int_equal(hf_websocket_send(log.ws, false, "", 0), HAFT_ETOOBIG);
    hf_websocket_sent(log.ws, 8);
    assert_int_equal(hf_websocket_send(log.ws, false, "0123456", 7), HAFT_ETOOBIG);
    assert_int_equal(hf_websocket_send(log.ws, false, "012345", 6), 0);
    hf_websocket_output(log.ws, &size);
    assert_int_equal(size, 12);
    assert_int_equal(hf_websocket_close(log.ws, 1000, NULL, 0), 0);
    assert_int_equal(hf_websocket_send(log.ws, false, "", 0), HAFT_ECLOSED);
    assert_int_equal(hf_websocket_ping(log.ws, "", 0), HAFT_ECLOSED);
    hf_websocket_free(log.ws);
}

/* A peer that pings all the time and never reads does not fill the queue. */
static void answers_the_latest_ping(void **state)
{
    struct logged log = {.size = 0};
    struct websocket_options options = log_options(&log, WEBSOCKET_CLIENT);
    char *bytes = NULL, output[512];
    size_t size = 0, pending;

    (void)state;
    log.ws = hf_websocket_new(&options);
    frame_put(&bytes, &size, WEBSOCKET_CLIENT, &(struct frame)F(FIN | PING, X125));
    for (size_t i = 0; i < 2000; i++)
        assert_int_equal(hf_websocket_receive(log.ws, bytes, size, 0), 0);
    hf_websocket_output(log.ws, &pending);
    assert_in_range(pending, 64 << 10, 66 << 10);
    assert_int_equal(hf_websocket_receive(log.ws, "\x89\x04last", 6, 0), 0);
    hf_websocket_sent(log.ws, pending);
    output_describe(log.ws, WEBSOCKET_CLIENT, output, sizeof output);
    assert_string_equal(output, "pong:last ");
    hf_websocket_free(log.ws);
    free(bytes);
}

/* ---- closing ---- */

static void closes(void **state)
{
    static const struct {
        int code;
        const char *reason;
        int status;
        const char *output;
    } closings[] = {
        {1000, NULL, 0, "close 1000: "},
        {1001, "later", 0, "close 1001:later "},
        {0, "not sent", 0, "close: "},
        {4000, X125, 0, "close 4000:" X25 X25 X25 X25 "xxxxxxxxxxxxxxxxxxxxxxx "},
        {4000, X25 X25 X25 X25 "xxxxxxxxxxxxxxxxxxxxxx\xC3\xA4", 0,
         "close 4000:" X25 X25 X25 X25 "xxxxxxxxxxxxxxxxxxxxxx "},
        {1005, NULL, HAFT_EINVAL, ""},
        {1006, NULL, HAFT_EINVAL, ""},
        {1015, NULL, HAFT_EINVAL, ""},
        {999, NULL, HAFT_EINVAL, ""},
        {5000, NULL, HAFT_EINVAL, ""},
        {1000, "\xFF", HAFT_EINVAL, ""},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(closings); i++) {
        struct logged log = {.size = 0};
        struct websocket_options options = log_options(&log, WEBSOCKET_CLIENT);
        char output[512];

        log.ws = hf_websocket_new(&options);
        assert_int_equal(hf_websocket_close(log.ws, closings[i].code, closings[i].reason, 100),
                         closings[i].status);
        output_describe(log.ws, WEBSOCKET_CLIENT, output, sizeof output);
        assert_string_equal(output, closings[i].output);
        assert_int_equal(hf_websocket_is_open(log.ws), closings[i].status != 0);
        assert_string_equal(log.text, "");
        hf_websocket_free(log.ws);
    }
}

/* After our close frame only the peer's is waited for. */
static void waits_for_close(void **state)
{
    struct logged log = {.size = 0};
    struct websocket_options options = log_options(&log, WEBSOCKET_CLIENT);
    char output[64];

    (void)state;
    options.close_ms = 50;
    log.ws = hf_websocket_new(&options);
    assert_true(hf_websocket_tick(log.ws, 1000) == INT64_MAX);
    assert_int_equal(hf_websocket_close(log.ws, 1000, "done", 1000), 0);
    assert_int_equal(hf_websocket_close(log.ws, 1000, "done", 1000), HAFT_ECLOSED);
    output_describe(log.ws, WEBSOCKET_CLIENT, output, sizeof output);
    assert_int_equal(hf_websocket_receive(log.ws, "\x81\x01x\x89\x01p", 6, 1010), 0);
    output_describe(log.ws, WEBSOCKET_CLIENT, output, sizeof output);
    assert_string_equal(output, "");
    assert_int_equal(hf_websocket_tick(log.ws, 1049), 1050);
    assert_string_equal(log.text, "");
    assert_true(hf_websocket_tick(log.ws, 1050) == INT64_MAX);
    assert_string_equal(log.text, "end 1000 done");
    hf_websocket_lost(log.ws, "again");
    assert_int_equal(hf_websocket_receive(log.ws, "\x88\x00", 2, 1060), HAFT_ECLOSED);
    assert_string_equal(log.text, "end 1000 done");
    hf_websocket_free(log.ws);
}

/* The reason of a transport may be long; it stays UTF-8. */
static void keeps_reasons_whole(void **state)
{
    static const struct {
        const char *character;
        size_t n, kept; /* characters */
    } reasons[] = {{"x", 0, 0},
                   {"x", 200, 200},
                   {"x", 511, 511},
                   {"x", 600, 511},
                   {"\xc3\xa4", 100, 100},
                   {"\xc3\xa4", 300, 255},
                   {"\xe2\x82\xac", 300, 170}};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(reasons); i++) {
        size_t size = strlen(reasons[i].character);
        struct websocket_link link = {.ended = false};
        char reason[1024] = "";

        for (size_t k = 0; k < reasons[i].n; k++)
            memcpy(reason + k * size, reasons[i].character, size + 1);
        hf_websocket_link_keep_end(
            &link, &(struct websocket_end){.code = WEBSOCKET_ABNORMAL, .reason = reason});
        assert_true(link.ended);
        assert_int_equal(strlen(link.end.reason), reasons[i].kept * size);
        assert_memory_equal(link.end.reason, reason, reasons[i].kept * size);
    }
}

static void ends_with_its_transport(void **state)
{
    struct logged log = {.size = 0};
    struct websocket_options options = log_options(&log, WEBSOCKET_SERVER);

    (void)state;
    log.ws = hf_websocket_new(&options);
    hf_websocket_lost(log.ws, "reset");
    assert_string_equal(log.text, "end 1006 by peer reset");
    assert_int_equal(hf_websocket_send(log.ws, true, "a", 1), HAFT_ECLOSED);
    assert_int_equal(hf_websocket_close(log.ws, 1000, NULL, 0), HAFT_ECLOSED);
    hf_websocket_free(log.ws);
    hf_websocket_free(NULL);
}

/* ---- from callbacks ---- */

static void may_be_freed_by_its_callback(void **state)
{
    struct logged log = {.frees = true};
    struct websocket_options options = log_options(&log, WEBSOCKET_CLIENT);

    (void)state;
    log.ws = hf_websocket_new(&options);
    assert_int_equal(hf_websocket_receive(log.ws, "\x81\x01x\x81\x01y", 6, 0), HAFT_ECLOSED);
    assert_string_equal(log.text, "text:x ");
    assert_null(log.ws);
}

static void may_be_closed_by_its_callback(void **state)
{
    struct logged log = {.closes = true};
    struct websocket_options options = log_options(&log, WEBSOCKET_CLIENT);
    char output[64];

    (void)state;
    log.ws = hf_websocket_new(&options);
    assert_int_equal(hf_websocket_receive(log.ws, "\x81\x01x\x81\x01y", 6, 0), 0);
    assert_string_equal(log.text, "text:x ");
    output_describe(log.ws, WEBSOCKET_CLIENT, output, sizeof output);
    assert_string_equal(output, "close 4001:enough ");
    assert_int_equal(hf_websocket_receive(log.ws, "\x88\x02\x0F\xA1", 4, 0), HAFT_ECLOSED);
    assert_string_equal(log.text, "text:x end 4001 clean enough");
    hf_websocket_free(log.ws);
}

/* A client must mask, and with masks that differ. */
static void masks_anew(void **state)
{
    struct logged log = {.size = 0};
    struct websocket_options options = log_options(&log, WEBSOCKET_CLIENT);
    const char *bytes;
    char first[4];
    size_t size;

    (void)state;
    log.ws = hf_websocket_new(&options);
    assert_int_equal(hf_websocket_send(log.ws, true, "same", 4), 0);
    assert_int_equal(hf_websocket_send(log.ws, true, "same", 4), 0);
    bytes = hf_websocket_output(log.ws, &size);
    assert_int_equal(size, 20);
    memcpy(first, bytes + 2, 4);
    assert_memory_not_equal(first, bytes + 12, 4);
    hf_websocket_free(log.ws);
    options.random = NULL;
    assert_null(hf_websocket_new(&options));
}

/* ---- silence ---- */

static void pings_a_silent_peer(void **state)
{
    struct logged log = {.size = 0};
    struct websocket_options options = log_options(&log, WEBSOCKET_SERVER);
    struct websocket_link link = {.ws = log.ws = hf_websocket_new(&options)};
    char output[64];

    (void)state;
    hf_websocket_link_init(&link, 100, 40, 1000);
    assert_int_equal(hf_websocket_link_tick(&link, 1000), 1100);
    hf_websocket_link_hear(&link, 1050);
    assert_int_equal(hf_websocket_link_tick(&link, 1149), 1150);
    output_describe(log.ws, WEBSOCKET_SERVER, output, sizeof output);
    assert_string_equal(output, "");
    assert_int_equal(hf_websocket_link_tick(&link, 1150), 1190);
    output_describe(log.ws, WEBSOCKET_SERVER, output, sizeof output);
    assert_string_equal(output, "ping: ");
    /* Whatever is heard will do, also in the same moment. */
    hf_websocket_link_hear(&link, 1150);
    assert_int_equal(hf_websocket_link_tick(&link, 1189), 1250);
    assert_int_equal(hf_websocket_link_tick(&link, 1300), 1340);
    assert_int_equal(hf_websocket_link_tick(&link, 1339), 1340);
    assert_string_equal(log.text, "");
    assert_true(hf_websocket_link_tick(&link, 1340) == INT64_MAX);
    assert_string_equal(log.text, "end 1006 by peer the peer does not answer pings");
    hf_websocket_free(log.ws);
}

static void pings_nobody_if_told_so(void **state)
{
    struct logged log = {.size = 0};
    struct websocket_options options = log_options(&log, WEBSOCKET_SERVER);
    struct websocket_link link = {.ws = log.ws = hf_websocket_new(&options)};

    (void)state;
    hf_websocket_link_init(&link, UINT32_MAX, 0, 1000);
    assert_true(hf_websocket_link_tick(&link, 1000000000) == INT64_MAX);
    assert_int_equal(hf_websocket_close(log.ws, 1000, "", 1000000000), 0);
    assert_int_equal(hf_websocket_link_tick(&link, 1000000000), 1000005000);
    hf_websocket_free(log.ws);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_frames),
        cmocka_unit_test(refuses_giants),
        cmocka_unit_test(roles_understand_each_other),
        cmocka_unit_test(refuses_to_send),
        cmocka_unit_test(answers_the_latest_ping),
        cmocka_unit_test(closes),
        cmocka_unit_test(waits_for_close),
        cmocka_unit_test(ends_with_its_transport),
        cmocka_unit_test(keeps_reasons_whole),
        cmocka_unit_test(may_be_freed_by_its_callback),
        cmocka_unit_test(may_be_closed_by_its_callback),
        cmocka_unit_test(masks_anew),
        cmocka_unit_test(pings_a_silent_peer),
        cmocka_unit_test(pings_nobody_if_told_so),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
