/* fuzz_dialogue.c - dialogues that a client of either era could lead, made by a grammar, to the
 * session of fuzz_engine.c: what is checked is the same, but every message gets past the reader.
 * Ids are few, so that cancellations and answers often meet what they are about. */
#define LLVMFuzzerTestOneInput feed
#include "fuzz/fuzz_engine.c"
#undef LLVMFuzzerTestOneInput
#include "fuzz/grammar.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { DIALOGUE = 1 << 16 };

static const char *const words[] = {"name",   "n",     "uri",       "word",  "action", "content",
                                    "roots",  "_meta", "cursor",    "value", "ref",    "type",
                                    "result", "level", "requestId", "a",     "b",      "c"};
enum { WORDS = sizeof words / sizeof *words };

static void put_meta(struct choices *choices, haft_buffer *out)
{
    static const char *const versions[] = {"2026-07-28", "2026-07-28", "2026-07-28", "2025-11-25",
                                           "1"};
    static const char *const capabilities[] = {
        "{}", "{\"elicitation\":{}}", "{\"elicitation\":{},\"roots\":{},\"sampling\":{}}", "[]"};
    static const char *const more[] = {"", ",\"progressToken\":1", ",\"progressToken\":\"t\"",
                                       ",\"io.modelcontextprotocol/logLevel\":\"debug\"",
                                       ",\"io.modelcontextprotocol/logLevel\":\"loud\""};

    haft_buffer_printf(out,
                       "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"%s\","
                       "\"io.modelcontextprotocol/clientCapabilities\":%s%s}",
                       CHOOSE(choices, versions), CHOOSE(choices, capabilities),
                       CHOOSE(choices, more));
}

static void put_call(struct choices *choices, haft_buffer *out)
{
    static const char *const tools[] = {"echo", "ask", "hold", "blocks", "nope"};
    static const char *const arguments[] = {"{\"name\":\"x\"}", "{\"name\":\"x\",\"n\":5}", "{}",
                                            "{\"n\":\"5\"}"};

    haft_buffer_printf(out, "\"name\":\"%s\",\"arguments\":", CHOOSE(choices, tools));
    if (choose(choices, 4))
        haft_buffer_puts(out, CHOOSE(choices, arguments));
    else
        put_value(choices, out, words, WORDS, 3);
    if (choose(choices, 3) == 1)
        haft_buffer_puts(out, ",\"inputResponses\":{\"a\":{\"action\":\"accept\",\"content\":{"
                              "\"word\":\"w\"}},\"b\":{\"roots\":[]}}");
}

static void put_request(struct choices *choices, haft_buffer *out)
{
    static const char *const methods[] = {"tools/call",
                                          "tools/list",
                                          "ping",
                                          "initialize",
                                          "server/discover",
                                          "subscriptions/listen",
                                          "resources/read",
                                          "resources/subscribe",
                                          "resources/unsubscribe",
                                          "prompts/get",
                                          "completion/complete",
                                          "resources/templates/list",
                                          "acme/custom",
                                          "logging/setLevel",
                                          "prompts/list",
                                          "resources/list",
                                          "no/such"};
    static const char *const params[] = {
        "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"elicitation\":{}},\"clientInfo\":{"
        "\"name\":\"c\",\"version\":\"1\"}",
        "\"protocolVersion\":\"2025-03-26\",\"capabilities\":{},\"clientInfo\":{\"name\":\"c\","
        "\"version\":\"1\"}",
        "\"uri\":\"a:b\"",
        "\"uri\":\"a:x/7?q=1\"",
        "\"name\":\"p\",\"arguments\":{\"word\":\"w\"}",
        "\"ref\":{\"type\":\"ref/prompt\",\"name\":\"p\"},\"argument\":{\"name\":\"word\",\"value\":\"v\"}",
        "\"ref\":{\"type\":\"ref/resource\",\"uri\":\"a:x/{id}{?q*}\"},\"argument\":{\"name\":\"id\","
        "\"value\":\"v\"},\"context\":{\"arguments\":{\"q\":\"1\"}}",
        "\"notifications\":{\"toolsListChanged\":true,\"resourceSubscriptions\":[\"a:b\"]}",
        "\"level\":\"debug\"",
        "\"cursor\":\"3\"",
        "\"a\":1"};
    unsigned method = choose(choices, 20);

    haft_buffer_printf(out, "{\"jsonrpc\":\"2.0\",\"id\":%u,\"method\":\"%s\",\"params\":{",
                       choose(choices, 6), methods[method < 17 ? method : 0]);
    if (method == 0 || method >= 17)
        put_call(choices, out);
    else
        haft_buffer_puts(out, CHOOSE(choices, params));
    if (choose(choices, 2)) {
        haft_buffer_puts(out, ",");
        put_meta(choices, out);
    }
    haft_buffer_puts(out, "}}");
}

static void put_other(struct choices *choices, haft_buffer *out)
{
    static const char *const results[] = {
        "\"result\":{\"action\":\"accept\",\"content\":{\"word\":\"w\"}}",
        "\"result\":{\"action\":\"decline\"}", "\"result\":{\"roots\":[{\"uri\":\"file:///a\"}]}",
        "\"result\":{\"model\":\"m\",\"content\":{\"type\":\"text\",\"text\":\"t\"}}",
        "\"error\":{\"code\":-1,\"message\":\"no\"}"};

    switch (choose(choices, 4)) {
    case 0:
        haft_buffer_puts(out, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
        break;
    case 1:
        haft_buffer_printf(
            out,
            "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{"
            "\"requestId\":%u}}",
            choose(choices, 6));
        break;
    case 2:
        haft_buffer_printf(out, "{\"jsonrpc\":\"2.0\",\"id\":%u,%s}", choose(choices, 6),
                           CHOOSE(choices, results));
        break;
    default:
        put_value(choices, out, words, WORDS, 4);
    }
}

static void put_line(struct choices *choices, haft_buffer *out)
{
    unsigned how = choose(choices, 16);
    char act = (char)(1 + choose(choices, 7));

    if (how < 9) {
        put_request(choices, out);
    } else if (how < 12) {
        put_other(choices, out);
    } else if (how < 15) {
        haft_buffer_add(out, &act, 1);
    } else {
        haft_buffer_puts(out, "[");
        for (unsigned i = 0, n = choose(choices, 4); i <= n; i++) {
            haft_buffer_puts(out, i ? "," : "");
            if (choose(choices, 2))
                put_other(choices, out);
            else
                put_request(choices, out);
        }
        haft_buffer_puts(out, "]");
    }
    haft_buffer_puts(out, "\n");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct choices choices = {data, size, 0};
    haft_buffer out;

    haft_buffer_init(&out, NULL, DIALOGUE);
    while (choices.at < choices.size && !out.status)
        put_line(&choices, &out);
    if (!out.status && out.size)
        feed((const uint8_t *)out.data, out.size);
    haft_buffer_finish(&out);
    return 0;
}
