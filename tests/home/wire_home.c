/* wire_home.c - see wire_home.h. */
#include "home/wire_home.h"

#include "base/sha1.h"
#include "demo/demo.h"
#include "hass/net_link.h"
#include "support/child.h"
#include "websocket/websocket.h"

/* ---- the server ---- */

struct wire_socket {
    struct wire *wire;
    pthread_mutex_t lock; /* the demo home sends from any thread */
    websocket *ws;
    struct demo_session *session;
    bool ends, cut;
};

static void wire_send(void *who, const char *text, size_t size)
{
    struct wire_socket *socket = who;

    size_t waiting;

    pthread_mutex_lock(&socket->lock);
    hf_websocket_send(socket->ws, true, text, size);
    hf_websocket_output(socket->ws, &waiting);
    if (socket->wire->n_ends < WIRE_FRAMES)
        socket->wire->ends[socket->wire->n_ends++] = socket->wire->n_sent + waiting;
    pthread_mutex_unlock(&socket->lock);
}

static void wire_end(void *who)
{
    struct wire_socket *socket = who;

    pthread_mutex_lock(&socket->lock);
    hf_websocket_close(socket->ws, WEBSOCKET_NORMAL, "", 0);
    pthread_mutex_unlock(&socket->lock);
}

/* One message, taken out of the receiver: the demo home answers without the lock. */
struct wire_message {
    char *text;
    size_t size;
    struct wire_message *next;
};
static _Thread_local struct wire_message *wire_first, **wire_last;

static void wire_on_message(void *context, bool is_text, const char *bytes, size_t size)
{
    struct wire_message *message = malloc(sizeof *message);

    (void)context;
    assert_true(is_text);
    assert_non_null(message);
    *message = (struct wire_message){.text = malloc(size + 1), .size = size};
    memcpy(message->text, bytes, size);
    message->text[size] = '\0';
    *wire_last = message;
    wire_last = &message->next;
}

/* How many of the next bytes pass before the connection is cut. */
static size_t wire_until_cut(size_t passed, size_t cut, size_t size, bool *ret_cut)
{
    if (passed >= cut || passed + size < cut)
        return size;
    *ret_cut = true;
    return cut - passed;
}

static void wire_flush(struct wire_socket *socket, int fd)
{
    const char *bytes;
    size_t size;

    pthread_mutex_lock(&socket->lock);
    while ((bytes = hf_websocket_output(socket->ws, &size)), size) {
        if (socket->cut && size > 1)
            size /= 2;
        size = wire_until_cut(socket->wire->n_sent, socket->wire->cut_sent, size, &socket->cut);
        socket->wire->n_sent += size;
        if (!rogue_write(fd, bytes, size))
            socket->ends = true;
        hf_websocket_sent(socket->ws, size);
        if (socket->cut)
            socket->ends = true;
        if (socket->ends)
            break;
    }
    pthread_mutex_unlock(&socket->lock);
}

static void wire_take(struct wire_socket *socket, const char *bytes, size_t size)
{
    struct wire_message *message;

    wire_last = &wire_first;
    wire_first = NULL;
    pthread_mutex_lock(&socket->lock);
    hf_websocket_receive(socket->ws, bytes, size, 0);
    socket->ends = socket->ends || hf_websocket_has_ended(socket->ws);
    pthread_mutex_unlock(&socket->lock);
    while ((message = wire_first)) {
        struct wire *wire = socket->wire;

        wire_first = message->next;
        if (strstr(message->text, "call_service"))
            wire->n_services++;
        wire->n_on += strstr(message->text, "turn_on") != NULL;
        wire->n_off += strstr(message->text, "turn_off") != NULL;
        if (++wire->n_messages == wire->cut_at) {
            socket->cut = wire->cuts_answers;
            socket->ends = !wire->cuts_answers;
        }
        if (!socket->ends)
            demo_session_receive(socket->session, message->text, message->size);
        free(message->text);
        free(message);
    }
}

static void wire_accept(const char *head, char ret_accept[64])
{
    const char *key = strstr(head, "Sec-WebSocket-Key: ") + strlen("Sec-WebSocket-Key: ");
    char text[128];
    unsigned char digest[20];
    int size = snprintf(text, sizeof text, "%.*s258EAFA5-E914-47DA-95CA-C5AB0DC85B11",
                        (int)strcspn(key, "\r"), key);

    hf_sha1(text, (size_t)size, digest);
    ret_accept[haft_base64_encode(digest, sizeof digest, ret_accept)] = '\0';
}

static void wire_serve_socket(struct rogue *rogue, int fd, const char *head, struct wire *wire)
{
    struct wire_socket socket = {.wire = wire};
    struct websocket_options options = {.role = WEBSOCKET_SERVER, .on_message = wire_on_message};
    char accept[64], bytes[65536], answer[256];
    size_t size;

    assert_non_null(strstr(head, "GET /house/api/websocket HTTP/1.1\r\n"));
    assert_null(strstr(head, WIRE_TOKEN)); /* it is sent in a message */
    wire->n_sockets++;
    wire_accept(head, accept);
    snprintf(
        answer, sizeof answer,
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n\r\n",
        accept);
    size = wire_until_cut(wire->n_sent, wire->cut_sent, strlen(answer), &socket.cut);
    rogue_write(fd, answer, size);
    wire->n_sent += size;
    if (socket.cut)
        return;
    pthread_mutex_init(&socket.lock, NULL);
    socket.ws = hf_websocket_new(&options);
    socket.session = demo_session_open(wire->demo, wire_send, wire_end, &socket);
    while (!socket.ends && !atomic_load(&rogue->ends)) {
        struct pollfd poller = {.fd = fd, .events = POLLIN};
        ssize_t n = 1;

        wire_flush(&socket, fd);
        if (!socket.ends && poll(&poller, 1, 5) > 0)
            n = read(fd, bytes, sizeof bytes);
        else
            continue;
        if (n <= 0)
            break;
        size = wire_until_cut(wire->n_received, wire->cut_received, (size_t)n, &socket.cut);
        wire->n_received += size;
        wire_take(&socket, bytes, size);
        socket.ends = socket.ends || (socket.cut && wire->cut_received);
    }
    if (!socket.cut)
        wire_flush(&socket, fd);
    demo_session_close(socket.session);
    hf_websocket_free(socket.ws);
    pthread_mutex_destroy(&socket.lock);
}

static void wire_serve_request(int fd, char *head, struct wire *wire)
{
    char *method = head, *path = strchr(head, ' ') + 1, *end = strchr(path, ' '), first[256];
    struct demo_response response = {.status = 0};

    path[-1] = *end = '\0';
    haft_buffer_init(&response.body, NULL, 64 << 20);
    assert_int_equal(strncmp(path, "/house/", 7), 0);
    demo_handle(
        wire->demo,
        &(struct demo_request){.method = method,
                               .path = path + 6,
                               .query = "",
                               .token = strstr(end + 1, "Authorization: Bearer " WIRE_TOKEN "\r\n")
                                            ? WIRE_TOKEN
                                            : NULL,
                               .body = ""},
        &response);
    snprintf(first, sizeof first,
             "HTTP/1.1 %d X\r\nContent-Type: %s\r\nContent-Length: %zu\r\n\r\n", response.status,
             response.type, response.body.size);
    rogue_puts(fd, first);
    rogue_write(fd, response.body.data, response.body.size);
    haft_buffer_finish(&response.body);
}

static void wire_serve(struct rogue *rogue, int fd, int number)
{
    struct wire *wire = (struct wire *)(uintptr_t)rogue->context;
    char head[8192];
    size_t size = 0;

    (void)number;
    while (rogue_waits(rogue, fd)) {
        ssize_t n = read(fd, head + size, sizeof head - size - 1);

        if (n <= 0)
            return;
        size += (size_t)n;
        head[size] = '\0';
        if (!strstr(head, "\r\n\r\n"))
            continue;
        if (strstr(head, "Upgrade: websocket") && wire->refuses) {
            rogue_puts(fd, "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 3\r\n\r\nbad");
            return;
        }
        if (strstr(head, "Upgrade: websocket")) {
            wire_serve_socket(rogue, fd, head, wire);
            return;
        }
        wire_serve_request(fd, head, wire);
        size = 0;
    }
}

/* ---- the client ---- */

void wire_begin(struct wire_test *test, const char *token)
{
    struct home_options options = {.url = NULL};
    struct hass_times times = fake_times;
    struct hass_link link;
    haft_reason reason;
    char url[128];

    times.patience = 5000;

    test->wire.demo = demo_new(&(struct demo_options){.seed = 1, .token = WIRE_TOKEN});
    test->rogue = rogue_open(wire_serve, &test->wire);
    snprintf(url, sizeof url, "%s/house/", test->rogue->url);
    options.url = url;
    assert_int_equal(
        net_link_new(&(struct net_link_options){.url = url, .token = token}, &link, &reason), 0);
    test->hass = hass_new_timed(&options, link, &times, &reason);
    assert_non_null(test->hass);
}

void wire_finish(struct wire_test *test)
{
    hass_free(test->hass);
    rogue_close(test->rogue);
    demo_free(test->wire.demo);
}

/* A light goes on, and a request is answered. */
int wire_use(haft_call *call, void *context)
{
    struct hass_states states;
    struct hass_answer answer;
    const entity *found = NULL;
    entity light;
    int status = hass_states(call, &states);

    (void)context;
    for (size_t i = 0; !status && i < states.n && !found; i++)
        if (!strcmp(states.at[i].domain, "light") && !strcmp(states.at[i].state, "off"))
            found = &states.at[i];
    if (status)
        return status;
    assert_non_null(found);
    status = hass_act(call, found, "turn_on", NULL, &light);
    if (status)
        return status;
    assert_string_equal(light.state, "on");
    status = hass_act(call, &light, "turn_off", NULL, &light);
    if (status)
        return status;
    assert_string_equal(light.state, "off");
    return hass_request(call, "GET", "/api/config", NULL, NULL, &answer);
}

int wire_read(haft_call *call, void *context)
{
    struct hass_states states;

    (void)context;
    return hass_states(call, &states);
}
