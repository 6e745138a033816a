/* fuzz_engine.c - any lines, to a session in any state.  Whatever it says is JSON, is JSON-RPC,
 * and answers an id only if one was sent.
 *
 * A line is a message, except for one that begins with a control character: that finishes a call,
 * lets time pass, or changes what is offered. */
#include <haft/engine.h>
#include <stdlib.h>
#include <string.h>

#include "json/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int holds)
{
    if (!holds)
        abort();
}

/* ---- what is served ---- */

HAFT_STRUCT(fuzz_args, HAFT_STRING(name, "A name"), HAFT_OPTIONAL(HAFT_INTEGER(n, "A number")));
HAFT_STRUCT(fuzz_out, HAFT_STRING(name, "The name"));
HAFT_STRUCT(fuzz_form, HAFT_STRING(word, "A word", .max = 9));

static int echo(haft_call *call, const fuzz_args *in, fuzz_out *out)
{
    haft_progress(call, in->has_n ? (double)in->n : 1, 10, "%s", in->name);
    haft_message(call, HAFT_WARNING, in->name, "%s", in->name);
    out->name = in->name;
    return 0;
}
HAFT_TOOL(echo, fuzz_args, fuzz_out, "Echoes");

static int blocks(haft_call *call)
{
    haft_text(call, "%s %s", haft_client_name(call), haft_request_id(call));
    haft_block_annotate(call, "user", 1, "now");
    haft_audio(call, "audio/wav", "x", 1);
    return haft_resource_link(call, &(haft_link){.uri = "a:b", .name = "n"});
}
HAFT_TOOL_BARE(blocks, "Blocks");

static int ask(haft_call *call)
{
    haft_value *roots = NULL, *result = NULL;
    fuzz_form form;
    int a = haft_elicit(call, "a", "Word?", &fuzz_form_type, &form);
    int b = haft_client_can(call, "roots") ? haft_roots(call, "b", &roots) : 0;
    int c = haft_client_can(call, "sampling")
                ? haft_sample(call, "c", "{\"messages\":[],\"maxTokens\":1}", &result)
                : 0;

    if (a < 0)
        return a;
    if (a == HAFT_AGAIN || b == HAFT_AGAIN || c == HAFT_AGAIN)
        return HAFT_AGAIN;
    return haft_text(call, "%d %d %d %s", a, b, c, a == HAFT_ACCEPTED ? form.word : "");
}
HAFT_TOOL_BARE(ask, "Asks");

enum { MOST_HELD = 4 };
static haft_call *held[MOST_HELD];
static size_t n_held;

static int hold(haft_call *call)
{
    if (n_held == MOST_HELD)
        return HAFT_EBUSY;
    held[n_held++] = call;
    return HAFT_PENDING;
}
HAFT_TOOL_BARE(hold, "Answers later", .timeout_ms = 100);

static int custom(haft_call *call, haft_value *params, void *data)
{
    haft_buffer text;
    int status = 0;

    (void)data;
    if (!params)
        return hold(call);
    haft_buffer_init(&text, NULL, 1 << 16);
    haft_json_write(params, &text);
    if (!text.status)
        status = haft_json(call, text.data, text.size);
    haft_buffer_finish(&text);
    return status;
}

static int read_it(haft_call *call, const char *uri)
{
    return haft_embed(call, &(haft_contents){.uri = uri, .text = "t"});
}
static int complete_it(haft_call *call, const char *argument, const char *value)
{
    haft_completion_add(call, value);
    return haft_completion_add(call, argument);
}
static const haft_resource one =
    HAFT_INIT(haft_resource, .uri = "a:b", .name = "r", .read = read_it);
static const haft_resource many = HAFT_INIT(haft_resource, .uri = "a:x/{id}{?q*}", .name = "t",
                                            .read = read_it, .complete = complete_it);

static int say_it(haft_call *call, const void *arguments)
{
    return haft_text(call, "%s", ((const fuzz_form *)arguments)->word);
}
static const haft_prompt prompt = HAFT_INIT(haft_prompt, .name = "p", .arguments = &fuzz_form_type,
                                            .get = say_it, .complete = complete_it);

static haft_server *serve(void)
{
    static const unsigned char key[32] = "k";
    static const haft_tool *const tools[] = {&echo_tool, &blocks_tool, &ask_tool, &hold_tool};
    haft_server *server = haft_server_new_with(
        "test", "1",
        HAFT_WITH(haft_server_options, .seal_key = key, .page_size = 3, .max_in_flight = 8,
                  .max_subscriptions = 3, .resource_subscriptions = true));

    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++)
        require(!haft_add(server, tools[i]));
    require(!haft_resource_add(server, &one) && !haft_template_add(server, &many) &&
            !haft_prompt_add(server, &prompt) && !haft_on(server, "acme/custom", custom, NULL));
    return server;
}

/* ---- the peer ---- */

struct peer {
    haft_session *session;
    const char *sent; /* everything so far */
    size_t sent_size;
    haft_arena *arena;
};

/* An id of ours must have been sent: as a number or a text it stands in what was sent, but escapes
 * may have been written otherwise, so only plain ones are looked for. */
static void check_id(const struct peer *peer, yyjson_val *id)
{
    char text[32];
    const char *plain = text;
    size_t size;

    require(yyjson_is_str(id) || yyjson_is_int(id));
    if (yyjson_is_str(id)) {
        plain = yyjson_get_str(id);
        size = yyjson_get_len(id);
        for (size_t i = 0; i < size; i++)
            if (plain[i] < 0x21 || plain[i] > 0x7E || plain[i] == '"' || plain[i] == '\\' ||
                plain[i] == '/')
                return;
    } else {
        haft_buffer buffer;

        haft_buffer_init(&buffer, NULL, sizeof text);
        haft_json_write(id, &buffer);
        size = buffer.size;
        memcpy(text, buffer.data, size);
        haft_buffer_finish(&buffer);
        /* -0 is 0. */
        if (size == 1 && text[0] == '0')
            return;
    }
    for (size_t i = 0; i + size <= peer->sent_size; i++)
        if (!memcmp(peer->sent + i, plain, size))
            return;
    /* Letters may have been sent as escapes. */
    require(memchr(peer->sent, '\\', peer->sent_size) != NULL);
}

static void check_response(const struct peer *peer, yyjson_val *message)
{
    yyjson_val *id = yyjson_obj_get(message, "id"), *error = yyjson_obj_get(message, "error");

    require(yyjson_is_obj(message));
    require(yyjson_equals_str(yyjson_obj_get(message, "jsonrpc"), "2.0"));
    require(!yyjson_obj_get(message, "method"));
    require(!error != !yyjson_obj_get(message, "result"));
    if (error) {
        require(yyjson_is_int(yyjson_obj_get(error, "code")));
        require(yyjson_is_str(yyjson_obj_get(error, "message")));
    } else {
        require(yyjson_is_obj(yyjson_obj_get(message, "result")));
        require(id != NULL);
    }
    if (id)
        check_id(peer, id);
}

static void check_other(yyjson_val *message, bool request)
{
    require(yyjson_is_obj(message));
    require(yyjson_equals_str(yyjson_obj_get(message, "jsonrpc"), "2.0"));
    require(yyjson_is_str(yyjson_obj_get(message, "method")));
    require(!!yyjson_obj_get(message, "id") == request);
    require(!yyjson_obj_get(message, "params") || yyjson_is_obj(yyjson_obj_get(message, "params")));
}

static void receive(void *context, const haft_outgoing *out)
{
    struct peer *peer = context;
    yyjson_val *message = haft_json_read(out->text, out->size, JSON_MAX_DEPTH, peer->arena, NULL);
    yyjson_val *member;
    size_t i, n;

    /* Custom results bring members of their own, which may be there twice: they are read
     * leniently. */
    if (!message) {
        const char *reason;
        size_t offset;

        require(!hf_json_parse(out->text, out->size, peer->arena, &message, &offset, &reason));
    }
    require(!memchr(out->text, '\n', out->size));
    if (out->kind == HAFT_OUT_RESPONSE && yyjson_is_arr(message)) {
        require(yyjson_arr_size(message) > 0);
        yyjson_arr_foreach(message, i, n, member)
            check_response(peer, member);
    } else if (out->kind == HAFT_OUT_RESPONSE) {
        check_response(peer, message);
    } else {
        check_other(message, out->kind == HAFT_OUT_REQUEST);
    }
    haft_arena_reset(peer->arena);
}

/* ---- lines ---- */

static void act(struct peer *peer, haft_server *server, unsigned char what, haft_time *now)
{
    switch (what % 8) {
    case 1:
        haft_session_tick(peer->session, *now += 60);
        break;
    case 2:
        haft_session_tick(peer->session, *now += 700000);
        break;
    case 3:
        if (n_held) {
            haft_call *call = held[--n_held];

            haft_progress(call, 5, 0, NULL);
            haft_text(call, "done");
            haft_finish(call, what & 16 ? HAFT_EINVAL : 0);
        }
        break;
    case 4:
        haft_offer_disable(server, HAFT_OFFER_TOOL, "blocks");
        haft_resource_updated(server, "a:b");
        break;
    case 5:
        haft_offer_enable(server, HAFT_OFFER_TOOL, "blocks");
        break;
    case 6:
        haft_session_shut_down(peer->session);
        break;
    case 7:
        haft_session_cancel(peer->session, NULL);
        break;
    default:
        haft_session_too_long(peer->session, 1, NULL);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static haft_server *server;
    struct peer peer = {.sent = (const char *)data, .arena = haft_arena_new(NULL, 64 << 20)};
    const char *line = (const char *)data, *end = line + size;
    haft_time now = 1000;

    if (!server)
        server = serve();
    n_held = 0;
    peer.session = haft_session_new(
        server,
        HAFT_WITH(haft_session_options,
                  .transport = HAFT_WITH(haft_transport, .send = receive, .context = &peer)));
    while (line < end) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        size_t n = (size_t)((stop ? stop : end) - line);

        peer.sent_size = (size_t)(line + n - (const char *)data);
        if (n && (unsigned char)*line < 0x20 && *line != '\t' && *line != '\r')
            act(&peer, server, (unsigned char)*line, &now);
        else
            haft_session_receive(peer.session, line, n, NULL, now);
        line += n + 1;
    }
    require(haft_session_in_flight(peer.session) <= 8);
    haft_session_free(peer.session);
    while (n_held)
        haft_finish(held[--n_held], 0);
    haft_offer_enable(server, HAFT_OFFER_TOOL, "blocks");
    haft_arena_free(peer.arena);
    return 0;
}
