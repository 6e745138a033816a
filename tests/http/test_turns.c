/* test_turns.c - how much one turn of the loop writes, and who is heard in it.
 *
 * The loop is run here, a turn at a time, and the clients read between turns all that has come; so
 * that what is counted are bytes and turns, and never time.  Where turns are counted the sockets are
 * Unix sockets, since what is written to one is there at once; where a socket must take much, TCP. */
#define _DEFAULT_SOURCE
#include <sys/un.h>

#include "http/site.h"

#include "http/http.h"

enum { N = 12, DEPTH = 6, RESULT = 1000000 };

/* ---- a server and its loop ---- */

struct hall {
    char address[64];
    haft_server *server;
    uv_loop_t loop;
    haft_http *http;
    bool closed;
    int64_t end; /* after which it has come to nothing */
};

static void on_hall_closed(void *context)
{
    ((struct hall *)context)->closed = true;
}

static void hall_open(struct hall *hall, bool tcp)
{
    haft_reason reason = {0};

    *hall = (struct hall){.server = haft_server_new("test", "1.0.0")};
    signal(SIGPIPE, SIG_IGN);
    add_tools(hall->server);
    uv_loop_init(&hall->loop);
    snprintf(hall->address, sizeof hall->address, "unix:/tmp/haft-turns-%d", (int)getpid());
    if (tcp)
        snprintf(hall->address, sizeof hall->address, "127.0.0.1:0");
    hall->http = haft_http_new(hall->server, HAFT_WITH(haft_http_options, .address = hall->address),
                               &hall->loop, &reason);
    assert_non_null(hall->http);
    hall->end = milliseconds() + PATIENCE_MS;
}

static void hall_close(struct hall *hall)
{
    haft_http_close(hall->http, 1000, on_hall_closed, hall);
    while (!hall->closed)
        uv_run(&hall->loop, UV_RUN_ONCE);
    uv_run(&hall->loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&hall->loop), 0);
    haft_server_free(hall->server);
}

/* Everything that can be done without waiting. */
static void take_turn(struct hall *hall)
{
    assert_true(milliseconds() < hall->end);
    uv_run(&hall->loop, UV_RUN_NOWAIT);
}

/* ---- clients ---- */

struct client {
    int fd;
    size_t received, answers; /* bytes, and responses whose first line has come */
};

static struct client client_open(const struct hall *hall)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    const char *port = strrchr(haft_http_url(hall->http), ':') + 1;
    struct client client;

    if (strncmp(hall->address, "unix:", 5)) {
        client = (struct client){.fd = dial(&(struct site){.port = (int)strtol(port, NULL, 10)})};
        return client;
    }
    client = (struct client){.fd = socket(AF_UNIX, SOCK_STREAM, 0)};
    snprintf(name.sun_path, sizeof name.sun_path, "%s", hall->address + strlen("unix:"));
    assert_int_equal(connect(client.fd, (struct sockaddr *)&name, sizeof name), 0);
    return client;
}

/* So many requests, in one write: the server does not read while this does not return. */
static void ask_for(const struct client *client, size_t bytes, size_t times)
{
    static char requests[128 << 10];
    char body[256];
    size_t size = 0;

    snprintf(body, sizeof body,
             "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"big\","
             "\"arguments\":{\"n\":%zu}}}",
             bytes);
    for (size_t i = 0; i < times && size < sizeof requests; i++)
        size += (size_t)snprintf(requests + size, sizeof requests - size,
                                 HEAD "Content-Length: %zu\r\n\r\n%s", strlen(body), body);
    assert_int_equal(send(client->fd, requests, size, MSG_DONTWAIT), size);
}

/* Reads what is there: bytes of this turn. */
static size_t read_all(struct client *client)
{
    static char text[1 << 20];
    size_t before = client->received;
    ssize_t n;

    while ((n = recv(client->fd, text, sizeof text - 1, MSG_DONTWAIT)) > 0) {
        text[n] = '\0';
        client->received += (size_t)n;
        client->answers += count_of(text, "HTTP/1.1 200 ");
    }
    return client->received - before;
}

/* ---- what one turn writes ---- */

/* A long answer goes out a piece at a time, and all of it arrives. */
static void writes_a_piece_in_a_turn(void **state)
{
    struct hall hall;
    struct client client;
    size_t most = 0;

    (void)state;
    hall_open(&hall, false);
    client = client_open(&hall);
    ask_for(&client, RESULT, DEPTH);
    while (client.received < (size_t)DEPTH * RESULT) {
        size_t now;

        take_turn(&hall);
        now = read_all(&client);
        most = now > most ? now : most;
    }
    print_message("at most %zu bytes in a turn\n", most);
    assert_true(most <= PIECE);
    assert_int_equal(client.answers, DEPTH);
    close(client.fd);
    hall_close(&hall);
}

/* However many ask for much, a turn begins no more answers than its share allows, apart from the
 * first of each connection; everybody gets all of theirs, one like another. */
static void shares_turns(void **state)
{
    struct hall hall;
    struct client clients[N];
    size_t done = 0;

    (void)state;
    hall_open(&hall, false);
    for (int i = 0; i < N; i++) {
        clients[i] = client_open(&hall);
        ask_for(&clients[i], RESULT, DEPTH);
    }
    while (done < N) {
        size_t started = 0, least = SIZE_MAX, most = 0;

        take_turn(&hall);
        done = 0;
        for (int i = 0; i < N; i++) {
            size_t before = clients[i].answers, now = read_all(&clients[i]);

            assert_true(now <= PIECE);
            started += before ? clients[i].answers - before : 0;
            least = clients[i].answers < least ? clients[i].answers : least;
            most = clients[i].answers > most ? clients[i].answers : most;
            done += clients[i].received > (size_t)DEPTH * RESULT;
        }
        assert_true(started <= SHARE / RESULT + 1);
        assert_true(!least || most - least <= 2);
    }
    for (int i = 0; i < N; i++)
        close(clients[i].fd);
    hall_close(&hall);
}

/* Many answers that are small by themselves are bounded as well. */
static void bounds_a_pipeline(void **state)
{
    enum { REQUESTS = 300, SMALL = 100000 };
    struct hall hall;
    struct client client;

    (void)state;
    hall_open(&hall, true);
    client = client_open(&hall);
    ask_for(&client, SMALL, REQUESTS);
    while (client.received < (size_t)REQUESTS * SMALL) {
        take_turn(&hall);
        assert_true(hall.http->spent < SHARE + PIECE);
        read_all(&client);
    }
    assert_int_equal(client.answers, REQUESTS);
    close(client.fd);
    hall_close(&hall);
}

/* ---- who is heard ---- */

/* A small call is answered in the turn in which it is read, or the next, beside any number that ask
 * for much. */
static void hears_small_calls_in_between(void **state)
{
    enum { CROWD = 40, LONG = 3 * PIECE, CALLS = 100, PATIENT_TURNS = 2 };
    struct hall hall;
    struct client clients[CROWD], small;

    (void)state;
    hall_open(&hall, false);
    small = client_open(&hall);
    for (int i = 0; i < CROWD; i++) {
        clients[i] = client_open(&hall);
        ask_for(&clients[i], LONG, DEPTH);
    }
    for (int call = 0; call < CALLS; call++) {
        size_t before = small.answers;
        int turns = 0;

        /* None of the others ever runs out of requests. */
        for (int i = 0; i < CROWD; i++)
            ask_for(&clients[i], LONG, 1);
        say(small.fd, ASK(1), sizeof ASK(1) - 1);
        for (; small.answers == before; turns++) {
            if (turns == PATIENT_TURNS)
                fail_msg("call %d is not answered after %d turns", call, turns);
            take_turn(&hall);
            for (int i = 0; i < CROWD; i++)
                read_all(&clients[i]);
            read_all(&small);
        }
    }
    for (int i = 0; i < CROWD; i++)
        close(clients[i].fd);
    close(small.fd);
    hall_close(&hall);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_a_piece_in_a_turn),
        cmocka_unit_test(shares_turns),
        cmocka_unit_test(bounds_a_pipeline),
        cmocka_unit_test(hears_small_calls_in_between),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
