/* core-loop.c - the engine alone, in a custom poll(2) loop.
 *
 * For programs with their own event loop, or a microcontroller: libhaft-core does no I/O, so any
 * program that can read lines can serve. This one uses poll, read and write. */
#define _POSIX_C_SOURCE 200809L
#include <haft.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

HAFT_STRUCT(add_args,
    HAFT_NUMBER(a, "First number"),
    HAFT_NUMBER(b, "Second number"));

HAFT_STRUCT(add_sum,
    HAFT_NUMBER(sum, "Both together"));

static int add(haft_call *call, const add_args *in, add_sum *out)
{
    (void)call;
    out->sum = in->a + in->b;
    return 0;
}
HAFT_TOOL(add, add_args, add_sum, "Adds two numbers",
          .annotations = {.read_only = HAFT_YES, .open_world = HAFT_NO});

static void write_all(const char *text, size_t size)
{
    while (size) {
        ssize_t n = write(STDOUT_FILENO, text, size);

        if (n < 0)
            return;
        text += n;
        size -= (size_t)n;
    }
}

static void send_line(void *context, const haft_outgoing *message)
{
    (void)context;
    write_all(message->text, message->size);
    write_all("\n", 1);
}

static haft_time now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t);
    return (haft_time)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

int main(void)
{
    static char text[1 << 16];
    haft_server *server = haft_server_new("core-loop", "1.0.0");
    haft_transport lines = HAFT_INIT(haft_transport, .send = send_line);
    haft_session *session;
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    size_t held = 0;
    ssize_t n = 1;

    if (!server || haft_add(server, &add_tool))
        return 1;
    session = haft_session_new(server, HAFT_WITH(haft_session_options, .transport = &lines));
    while (session && n > 0 && held < sizeof text) {
        char *start = text, *end;

        if (poll(&input, 1, 1000) > 0) {
            n = read(STDIN_FILENO, text + held, sizeof text - held);
            held += n > 0 ? (size_t)n : 0;
        }
        while ((end = memchr(start, '\n', held - (size_t)(start - text)))) {
            haft_session_receive(session, start, (size_t)(end - start), NULL, now());
            start = end + 1;
        }
        held -= (size_t)(start - text);
        memmove(text, start, held);
        haft_session_tick(session, now());
    }
    haft_session_free(session);
    haft_server_free(server);
    return 0;
}
