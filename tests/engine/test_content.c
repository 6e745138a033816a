/* test_content.c - blocks of a result: what is kept of them, how long they are, what they cost. */
#include <stdlib.h>
#include <string.h>

#include "engine/call/call.h"
#include "support/dialogue.h"
#include "support/test.h"

static const char *const revisions[] = {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25",
                                        "2026-07-28"};

/* ---- an allocator that knows how often it was asked ---- */

static size_t asked;

static void *count_alloc(void *context, size_t size)
{
    (void)context;
    asked++;
    return malloc(size);
}

static void *count_resize(void *context, void *memory, size_t old_size, size_t size)
{
    (void)context;
    (void)old_size;
    asked++;
    return realloc(memory, size);
}

static void count_release(void *context, void *memory, size_t size)
{
    (void)context;
    (void)size;
    free(memory);
}

static const haft_allocator counter = {count_alloc, count_resize, count_release, NULL};

/* ---- every kind of block ---- */

static bool is_counted_right(haft_call *call)
{
    char room[4096];
    haft_buffer text = {.data = room, .capacity = sizeof room, .limit = sizeof room - 1};

    hf_content_write(call, &text);
    return !text.status && text.size == hf_content_size(call);
}

/* Adds the block of that number, from memory that does not stay as it is; 1 past the last. */
static int add_block(haft_call *call, int number)
{
    char text[] = "a \"quoted\"\n\x01 \xe2\x80\xa8 text", uri[] = "file:///a/b\0", type[] = "a/b";
    haft_icon icon = {.src = uri, .mime_type = type, .sizes = "48x48 96x96", .theme = "dark"};
    int status = 1;

    switch (number) {
    case 0:
        status = haft_text_bytes(call, text, sizeof text - 1);
        break;
    case 1:
        status = haft_text(call, "%s", text);
        break;
    case 2:
        status = haft_image(call, type, text, 5);
        break;
    case 3:
        status = haft_audio(call, type, text, 6);
        break;
    case 4:
        status = haft_resource_link(call, &(haft_link){.uri = uri});
        break;
    case 5:
        status = haft_resource_link(call, &(haft_link){.uri = uri,
                                                       .name = text,
                                                       .title = text,
                                                       .description = text,
                                                       .mime_type = type,
                                                       .size = 1234,
                                                       .icons = &icon,
                                                       .n_icons = 1});
        break;
    case 6:
        status = haft_embed(call, &(haft_contents){.uri = uri, .text = text, .mime_type = type});
        break;
    case 7:
        status = haft_embed(call, &(haft_contents){.uri = uri, .bytes = text, .size = 4});
        break;
    default:
        break;
    }
    memset(text, '?', sizeof text - 1);
    memset(uri, '?', sizeof uri - 1);
    memset(type, '?', sizeof type - 1);
    memset(&icon, '?', sizeof icon);
    return status;
}

static int mark(haft_call *call)
{
    char audience[] = "user assistant", time[] = "2026-01-31T12:00:00Z", meta[] = "{\"a/b\":[1.5]}";
    int status = haft_block_annotate(call, audience, 0.25, time);

    if (!status)
        status = haft_block_meta(call, meta);
    memset(audience, '?', sizeof audience - 1);
    memset(time, '?', sizeof time - 1);
    memset(meta, '?', sizeof meta - 1);
    return status;
}

/* Counted after each one, or all together. */
static int add_all(haft_call *call, bool each)
{
    int status = 0;

    for (int i = 0; !status; i++) {
        status = add_block(call, i);
        if (!status && i % 2)
            status = mark(call);
        if (!status && each && !is_counted_right(call))
            return HAFT_EINVAL;
    }
    return status == 1 && is_counted_right(call) ? 0 : HAFT_EINVAL;
}

static int every(haft_call *call)
{
    return add_all(call, false);
}
HAFT_TOOL_BARE(every, "Every kind of block");

static int each(haft_call *call)
{
    return add_all(call, true);
}
HAFT_TOOL_BARE(each, "The same, with a look at each");

static int say_all(haft_call *call, const void *arguments)
{
    (void)arguments;
    return add_all(call, true);
}

static int read_all(haft_call *call, const char *uri)
{
    (void)uri;
    if (haft_text(call, "t\"") || haft_audio(call, "a/b", "c", 1) != HAFT_EINVAL ||
        haft_image(call, "a/b", "c", 1) != HAFT_EINVAL || add_block(call, 6) ||
        haft_block_meta(call, "{}") || add_block(call, 7))
        return HAFT_EINVAL;
    return is_counted_right(call) ? 0 : HAFT_EINVAL;
}

#define ESCAPED "a \\\"quoted\\\"\\n\\u0001 \\u2028 text"
#define MARKS                                                                                      \
    ",\"annotations\":{\"audience\":[\"user\",\"assistant\"],\"priority\":0.25,"                   \
    "\"lastModified\":\"2026-01-31T12:00:00Z\"},\"_meta\":{\"a/b\":[1.5]}"

/* The JSON of each block in the newest revision. */
static const char *const written[] = {
    "{\"type\":\"text\",\"text\":\"" ESCAPED "\"}",
    "{\"type\":\"text\",\"text\":\"" ESCAPED "\"" MARKS "}",
    "{\"type\":\"image\",\"data\":\"YSAicXU=\",\"mimeType\":\"a/b\"}",
    "{\"type\":\"audio\",\"data\":\"YSAicXVv\",\"mimeType\":\"a/b\"" MARKS "}",
    "{\"type\":\"resource_link\",\"uri\":\"file:///a/b\",\"name\":\"b\"}",
    "{\"type\":\"resource_link\",\"uri\":\"file:///a/b\",\"name\":\"" ESCAPED
    "\",\"title\":\"" ESCAPED "\",\"description\":\"" ESCAPED
    "\",\"mimeType\":\"a/b\",\"size\":1234,\"icons\":[{\"src\":\"file:///a/b\",\"mimeType\":"
    "\"a/b\",\"sizes\":[\"48x48\",\"96x96\"],\"theme\":\"dark\"}]" MARKS "}",
    "{\"type\":\"resource\",\"resource\":{\"uri\":\"file:///a/b\",\"mimeType\":\"a/b\",\"text\":\"" ESCAPED
    "\"}}",
    "{\"type\":\"resource\",\"resource\":{\"uri\":\"file:///a/b\",\"blob\":\"YSAicQ==\"}" MARKS "}",
};

static haft_server *serve(const haft_server_options *options)
{
    static const haft_prompt prompt = HAFT_INIT(haft_prompt, .name = "all", .get = say_all);
    static const haft_resource resource =
        HAFT_INIT(haft_resource, .uri = "a:b", .name = "all", .read = read_all);
    haft_server *server = haft_server_new_with("test", "1", options);

    assert_non_null(server);
    assert_int_equal(haft_add(server, &every_tool), 0);
    assert_int_equal(haft_add(server, &each_tool), 0);
    assert_int_equal(haft_prompt_add(server, &prompt), 0);
    assert_int_equal(haft_resource_add(server, &resource), 0);
    return server;
}

/* What was given is what is written, in the order in which it was added, once for each revision. */
static void writes_what_was_given(void **state)
{
    haft_server *server = serve(NULL);
    struct wire *wire = wire_open(server);
    const char *answer, *at;

    (void)state;
    wire_greet(wire, "2026-07-28");
    answer = at = wire_call(wire, "tools/call", "\"name\":\"every\"");
    for (size_t i = 0; i < COUNT_OF(written) && at; i++) {
        at = strstr(at, written[i]);
        if (!at)
            fail_msg("%s is not in %s", written[i], answer);
        at += strlen(written[i]);
        assert_int_equal(*at, i + 1 < COUNT_OF(written) ? ',' : ']');
    }
    wire_close(wire);
    haft_server_free(server);
}

static void counts_what_it_writes(void **state)
{
    static const char *const requests[][2] = {{"tools/call", "\"name\":\"every\""},
                                              {"tools/call", "\"name\":\"each\""},
                                              {"prompts/get", "\"name\":\"all\""},
                                              {"resources/read", "\"uri\":\"a:b\""}};
    haft_server *server = serve(NULL);

    (void)state;
    for (size_t i = 0; i < COUNT_OF(revisions) * COUNT_OF(requests); i++) {
        const char *const *request = requests[i % COUNT_OF(requests)];
        struct wire *wire = wire_open(server);
        const char *answer;

        wire_greet(wire, revisions[i / COUNT_OF(requests)]);
        answer = wire_call(wire, request[0], request[1]);
        if (strstr(answer, "rror\":") || !strstr(answer, "file:///a/b"))
            fail_msg("%s: %s", revisions[i / COUNT_OF(requests)], answer);
        wire_close(wire);
    }
    haft_server_free(server);
}

static void allocates_nothing_when_warm(void **state)
{
    static const char call[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","
                               "\"params\":{\"name\":\"every\"}}";
    haft_server *server = serve(HAFT_WITH(haft_server_options, .allocator = &counter));
    struct wire *wire = wire_open(server);
    size_t before = 0;

    (void)state;
    wire_greet(wire, "2025-11-25");
    for (int i = 0; i < 6; i++) {
        before = i == 3 ? asked : before;
        wire_send(wire, call);
        assert_non_null(strstr(wire_next(wire), written[0]));
    }
    assert_int_equal(asked, before);
    wire_close(wire);
    haft_server_free(server);
}

/* ---- limits ---- */

enum { LIMIT = 4096 };

/* What a block is filled with, and how much of it makes a result of exactly LIMIT bytes. */
static const struct filling {
    const char *unit; /* repeated, */
    size_t n;         /* so often; a byte more of `x` is too much */
    size_t pad;       /* bytes of `x` after it */
    bool json;        /* as structured content: the first becomes a quote, and one follows */
} fillings[] = {
    {"x", LIMIT - 25, 0, false},
    {"\"", (LIMIT - 25) / 2, 1, false},
    {"\x01", (LIMIT - 25) / 6, (LIMIT - 25) % 6, false},
    {"\xe2\x80\xa8", (LIMIT - 25) / 6, (LIMIT - 25) % 6, false},
    {"\xc3\xa9", (LIMIT - 25) / 2, 1, false},
    {"x", LIMIT - 25 - 4 + 1, 0, true},
};

struct attempt {
    const struct filling *filling;
    size_t more; /* bytes too many */
    bool split;  /* in two blocks */
    int status, after;
};

static int fill_up(haft_call *call)
{
    struct attempt *attempt = haft_server_data(call);
    const struct filling *filling = attempt->filling;
    static char text[LIMIT * 4];
    size_t size = 0, unit = strlen(filling->unit), part;

    for (size_t i = 0; i < filling->n; i++, size += unit)
        memcpy(text + size, filling->unit, unit);
    memset(text + size, 'x', filling->pad + attempt->more);
    size += filling->pad + attempt->more;
    if (filling->json) {
        text[0] = text[size++] = '"';
        attempt->status = haft_json(call, text, size);
    } else if (attempt->split) {
        /* A block more is a comma and a frame more. */
        part = unit * (filling->n / 2);
        attempt->status = haft_text_bytes(call, text, part);
        if (!attempt->status)
            attempt->status = haft_text_bytes(call, text + part, size - part - 26);
    } else {
        attempt->status = haft_text_bytes(call, text, size);
    }
    attempt->after = haft_text(call, "%s", "");
    return 0;
}
HAFT_TOOL_BARE(fill_up, "Fills its result up");

/* Counted as JSON, to the byte, when the block is added; an error stays. */
static void enforces_limits(void **state)
{
    struct attempt attempt;
    haft_server *server = haft_server_new_with(
        "test", "1", HAFT_WITH(haft_server_options, .max_message = LIMIT, .data = &attempt));

    (void)state;
    assert_int_equal(haft_add(server, &fill_up_tool), 0);
    for (size_t i = 0; i < COUNT_OF(fillings) * 4; i++) {
        struct wire *wire = wire_open(server);
        const char *answer;

        attempt = (struct attempt){&fillings[i / 4], i % 2, i % 4 > 1, 0, 0};
        if (attempt.split && (fillings[i / 4].json || fillings[i / 4].unit[0] != 'x'))
            attempt.split = false;
        wire_greet(wire, "2025-11-25");
        answer = wire_call(wire, "tools/call", "\"name\":\"fill_up\"");
        assert_int_equal(attempt.status, i % 2 ? HAFT_ETOOBIG : 0);
        assert_int_equal(attempt.after, HAFT_ETOOBIG);
        assert_non_null(strstr(answer, "The tool's result is too large."));
        wire_close(wire);
    }
    haft_server_free(server);
}

/* ---- structured content and blocks ---- */

HAFT_STRUCT(answer_out, HAFT_NUMBER(n, "A number"));

static int both(haft_call *call, const void *in, answer_out *out)
{
    (void)in;
    out->n = 2;
    return haft_json(call, "{\"n\": 1}", 8);
}

static int twice(haft_call *call)
{
    int status = haft_json(call, "{\"n\": 1}", 8);

    return status ? status : haft_json(call, "{\"n\": 2}", 8);
}
HAFT_TOOL_BARE(twice, "Structured content that changes");

static int marked(haft_call *call)
{
    int status = haft_json(call, "{\"n\": 1}", 8);

    if (!status)
        status = haft_block_annotate(call, "user", -1, NULL);
    if (!status)
        status = haft_text(call, "more");
    return status ? status : is_counted_right(call) ? 0 : HAFT_EINVAL;
}
HAFT_TOOL_BARE(marked, "Structured content with more to it");

static int refuses(haft_call *call)
{
    call->result.is_error = true;
    return haft_json(call, "{\"n\": 1}", 8);
}
HAFT_TOOL_BARE(refuses, "An error that is structured content");

static int both_call(haft_call *call, const void *in, void *out)
{
    return both(call, in, out);
}

/* The text is the structured content as it was when there were no other blocks. */
static void mirrors_structured_content(void **state)
{
    static const haft_tool both_tool =
        HAFT_INIT(haft_tool, .name = "both", .description = "A struct, and JSON", .call = both_call,
                  .output = &answer_out_type);
    haft_server *server = haft_server_new("test", "1");

    (void)state;
    assert_int_equal(haft_add(server, &both_tool), 0);
    assert_int_equal(haft_add(server, &twice_tool), 0);
    assert_int_equal(haft_add(server, &marked_tool), 0);
    assert_int_equal(haft_add(server, &refuses_tool), 0);
    dialogue_alone(
        server,
        LINES(GREETING("2025-11-25", "{}"), "R 1 tools/call {'name':'both'}",
              "= 1 {'content':[{'type':'text','text':'{\\'n\\':1}'}],'structuredContent':{'n':2}}",
              "R 2 tools/call {'name':'twice'}",
              "= 2 {'content':[{'type':'text','text':'{\\'n\\':1}'}],'structuredContent':{'n':2}}",
              "R 3 tools/call {'name':'marked'}",
              "= 3 {'content':[{'type':'text','text':'{\\'n\\':1}','annotations':{'audience':"
              "['user']}},{'type':'text','text':'more'}],'structuredContent':{'n':1}}",
              "R 4 tools/call {'name':'refuses'}",
              "= 4 {'content':[{'type':'text','text':'{\\'n\\':1}'}],'isError':true}"));
    haft_server_free(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_what_was_given),       cmocka_unit_test(counts_what_it_writes),
        cmocka_unit_test(allocates_nothing_when_warm), cmocka_unit_test(enforces_limits),
        cmocka_unit_test(mirrors_structured_content),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
