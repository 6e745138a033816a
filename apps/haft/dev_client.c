/* dev_client.c - the client of `haft dev`, on standard input and output.
 *
 * Lines wait in the buffer that they are read to while no server can have them; when there are too
 * many, no more is read. */
#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "dev.h"
#include "dev_request.h"

enum { DEV_CLIENT_WAIT = 2000, DEV_CLIENT_MESSAGES = 10000, DEV_CLIENT_STALL = 5000 };

/* ---- output ---- */

static void dev_client_flush(struct dev_client *client);

static void dev_on_out(uv_poll_t *handle, int status, int events)
{
    struct dev_client *client = handle->data;
    struct pollfd fd = {.fd = client->channel.out};

    (void)events;
    if (status < 0 || (poll(&fd, 1, 0) == 1 && fd.revents & (POLLERR | POLLHUP | POLLNVAL))) {
        client->broken = true;
        uv_poll_stop(handle);
        dev_output_broken(client->dev);
        return;
    }
    dev_client_flush(client);
}

/* Always watched, to notice when nobody reads any more; for room only when there is none. */
static void dev_client_watch(struct dev_client *client, bool for_room)
{
    if (client->out_polls && !client->broken && !uv_is_closing((uv_handle_t *)&client->out))
        uv_poll_start(&client->out, UV_PRIORITIZED | (for_room ? UV_WRITABLE : 0), dev_on_out);
}

static void dev_client_flush(struct dev_client *client)
{
    int status = client->broken ? 1 : hf_writer_flush(&client->writer);

    if (status < 0) {
        client->broken = true;
        dev_output_broken(client->dev);
        return;
    }
    dev_client_watch(client, !status);
    if (client->dev->server)
        dev_server_pause(client->dev->server, hf_writer_is_full(&client->writer));
}

void dev_client_write(struct dev_client *client, const char *text, size_t size)
{
    if (client->broken)
        return;
    if (hf_writer_add(&client->writer, text, size)) {
        /* The client would wait for it for ever. */
        client->broken = true;
        complain(EXIT_LOCAL, "out of memory");
        dev_output_broken(client->dev);
        return;
    }
    dev_client_flush(client);
}

/* ---- input ---- */

static void dev_client_read(struct dev_client *client, bool on);

void dev_client_pump(struct dev_client *client)
{
    struct dev *dev = client->dev;
    const char *line;
    size_t size;

    while (dev_takes_lines(dev)) {
        int status = hf_lines_next(&client->lines, client->ended, &line, &size);

        if (!status && client->ended)
            dev_input_ended(dev);
        if (!status)
            break;
        client->taken++;
        if (status > 0)
            dev_session_client(&dev->session, line, size, uv_now(&dev->loop),
                               dev->server ? NULL : dev->down);
        else
            dev_send_error(&dev->session, "null", 4, "the message is longer than 64 MiB");
    }
    dev_client_read(client,
                    !client->ended && dev->stage != DEV_ENDING &&
                        (dev_takes_lines(dev) || hf_lines_left(&client->lines) < DEV_QUEUE));
}

/* Input before the end is passed on as long as a server accepts it. */
static void dev_on_stall(uv_timer_t *timer)
{
    struct dev_client *client = timer->data;
    const struct dev *dev = client->dev;
    bool waits = dev->stage != DEV_ENDING && dev->started && !dev->building;

    if (waits && client->taken == client->taken_before)
        dev_input_stalled(client->dev);
    client->taken_before = client->taken;
}

static void dev_client_expect_end(struct dev_client *client)
{
    client->taken_before = client->taken;
    uv_timer_start(&client->stall, dev_on_stall, DEV_CLIENT_STALL, DEV_CLIENT_STALL);
}

static void dev_client_fill(struct dev_client *client)
{
    size_t room;
    char *data = hf_lines_room(&client->lines, &room);
    ssize_t n = data ? read(client->channel.in, data, room) : 0;

    if (!data)
        complain(EXIT_LOCAL, "out of memory");
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
        return;
    if (n > 0)
        hf_lines_filled(&client->lines, (size_t)n);
    else
        client->ended = true;
    if (client->ended)
        dev_client_expect_end(client);
    dev_client_pump(client);
    /* What came before the end is still answered. */
    if (client->ended && !hf_lines_left(&client->lines))
        dev_input_ended(client->dev);
}

static void dev_on_in(uv_poll_t *handle, int status, int events)
{
    (void)status; /* read says it better */
    (void)events;
    dev_client_fill(handle->data);
}

/* While nothing is read, only this tells that the client has ended. */
static void dev_on_gone(uv_poll_t *handle, int status, int events)
{
    struct dev_client *client = handle->data;

    (void)status;
    (void)events;
    uv_poll_stop(handle);
    client->gone = true;
    dev_client_expect_end(client);
}

static void dev_on_feed(uv_idle_t *handle)
{
    dev_client_fill(handle->data);
}

static void dev_client_read(struct dev_client *client, bool on)
{
    if (on == client->reading || uv_is_closing((uv_handle_t *)&client->feed))
        return;
    client->reading = on;
    if (client->in_polls && on)
        uv_poll_start(&client->in, UV_READABLE, dev_on_in);
    else if (client->in_polls && (client->ended || client->gone))
        uv_poll_stop(&client->in);
    else if (client->in_polls)
        uv_poll_start(&client->in, UV_DISCONNECT, dev_on_gone);
    else if (on)
        uv_idle_start(&client->feed, dev_on_feed);
    else
        uv_idle_stop(&client->feed);
}

/* ---- life ---- */

int dev_client_open(struct dev_client *client, struct dev *dev)
{
    int in, out;

    client->dev = dev;
    if (hf_channel_open(&client->channel, STDIN_FILENO, STDOUT_FILENO))
        return complain(EXIT_LOCAL, "cannot use standard input and output: %s", strerror(errno));
    hf_lines_init(&client->lines, NULL, DEV_MAX_LINE);
    hf_writer_init(&client->writer, NULL, client->channel.out, DEV_QUEUE, DEV_CLIENT_MESSAGES);
    uv_idle_init(&dev->loop, &client->feed);
    uv_timer_init(&dev->loop, &client->stall);
    /* A file is always ready, and cannot be waited for. */
    in = uv_poll_init(&dev->loop, &client->in, client->channel.in);
    out = uv_poll_init(&dev->loop, &client->out, client->channel.out);
    client->in_polls = !in;
    client->out_polls = !out;
    client->in.data = client->out.data = client->feed.data = client->stall.data = client;
    if ((in && in != UV_EPERM) || (out && out != UV_EPERM))
        return complain(EXIT_LOCAL, "cannot use standard input and output: %s",
                        uv_strerror(in && in != UV_EPERM ? in : out));
    dev_client_watch(client, false);
    dev_client_read(client, true);
    return EXIT_DONE;
}

void dev_client_close(struct dev_client *client)
{
    if (uv_is_closing((uv_handle_t *)&client->feed))
        return;
    if (client->in_polls)
        uv_close((uv_handle_t *)&client->in, NULL);
    if (client->out_polls)
        uv_close((uv_handle_t *)&client->out, NULL);
    uv_close((uv_handle_t *)&client->feed, NULL);
    uv_close((uv_handle_t *)&client->stall, NULL);
}

void dev_client_finish(struct dev_client *client)
{
    struct pollfd fd = {.fd = client->channel.out, .events = POLLOUT};

    /* The last answers, as long as the client reads. */
    while (!client->broken && !hf_writer_flush(&client->writer))
        if (poll(&fd, 1, DEV_CLIENT_WAIT) <= 0)
            break;
    hf_writer_finish(&client->writer);
    hf_lines_finish(&client->lines);
    hf_channel_close(&client->channel);
}
