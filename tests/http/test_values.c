/* test_values.c - values of headers: that of Authorization, which is not read by llhttp if it is plain,
 * is read as that of any other header. */
#define _DEFAULT_SOURCE
#include "http/site.h"

enum { VALUE_ROOM = 20000 };

/* ---- a server that returns what it read ---- */

static void *values_open(void *data, const haft_http_loop *loop, haft_reason *reterr_reason)
{
    (void)loop;
    (void)reterr_reason;
    return data;
}

/* All headers but Host, without the first letters of their names, which differ. */
static void *values_handle(void *app, const haft_request *request, const haft_responder *responder,
                           void *context, haft_time now)
{
    haft_buffer text;

    (void)app;
    (void)now;
    haft_buffer_init(&text, NULL, 1 << 20);
    for (size_t i = 0; i < request->n_headers; i++)
        if (strcmp(request->headers[i].name, "host") != 0)
            haft_buffer_printf(&text, "%s=<%s>", request->headers[i].name + 1,
                               request->headers[i].value);
    responder->respond(context,
                       &(haft_response){.status = 200, .body = text.data, .size = text.size});
    haft_buffer_finish(&text);
    return NULL;
}

static struct site *values_site(void)
{
    static char anything[] = "";
    static const haft_app app =
        HAFT_INIT(haft_app, .open = values_open, .handle = values_handle, .data = anything);
    static const haft_http_mount mount = HAFT_INIT(haft_http_mount, .path = "/", .app = &app);

    return site_open((haft_http_options)HAFT_INIT(haft_http_options, .path = "", .mounts = &mount,
                                                  .n_mounts = 1));
}

/* ---- asking ---- */

/* Sends the request in two parts, the second after the first was read; returns the response. */
static void values_ask(const struct site *site, const char *request, size_t size, size_t cut,
                       char *ret_text)
{
    int fd = dial(site);

    say(fd, request, cut);
    if (cut < size) {
        sleep_ms(2);
        say(fd, request + cut, size - cut);
    }
    assert_true(hear_all(fd, ret_text, VALUE_ROOM));
    close(fd);
}

/* Without its date. */
static void values_compare(const char *left, const char *right, const char *value, size_t cut)
{
    const char *left_body = strstr(left, "\r\n\r\n"), *right_body = strstr(right, "\r\n\r\n");

    if (!left_body || !right_body || strcmp(left_body, right_body) != 0 ||
        strncmp(left, right, strlen("HTTP/1.1 200")) != 0)
        fail_msg("%.60s, cut at %zu: %s\nnot %s", value, cut, left, right);
}

static size_t values_request(char *ret_request, const char *name, const char *value)
{
    int size = snprintf(ret_request, VALUE_ROOM,
                        "GET / HTTP/1.1\r\nHost: localhost\r\n%s:%sConnection: close\r\n\r\n", name,
                        value);

    return (size_t)size;
}

/* The names have the same length, and the same letters but the first. */
static const char name_read_here[] = "Authorization", name_read_by_llhttp[] = "Xuthorization";

static void values_check(const struct site *site, const char *value, bool whole)
{
    static char ours[VALUE_ROOM], theirs[VALUE_ROOM], request[VALUE_ROOM], other[VALUE_ROOM];
    size_t size = values_request(request, name_read_here, value),
           from = (size_t)(strchr(request, ':') - request) - 2;

    values_request(other, name_read_by_llhttp, value);
    values_ask(site, other, size, size, theirs);
    values_ask(site, request, size, size, ours);
    values_compare(ours, theirs, value, size);
    for (size_t cut = from; !whole && cut < size; cut++) {
        values_ask(site, request, size, cut, ours);
        values_compare(ours, theirs, value, cut);
    }
}

/* ---- values ---- */

static const char *const values[] = {
    " Bearer abc\r\n",
    "Bearer abc\r\n",
    "   Bearer  a  b   \r\n",
    "\tBearer\tabc\t \r\n",
    " \r\n",
    "\r\n",
    " Bearer abc\n",
    " Bearer abc\r",
    " Bearer a\rb\r\n",
    " Bearer a\r\n b\r\n",
    " Bearer a\r\n\tb\r\n",
    " Bearer a\r\n \r\n",
    " Bearer \x01\r\n",
    " Bearer \x7f\r\n",
    " Bearer \xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\r\n",
    " Bearer 1234567\03789\r\n",
    " ~}|{zyxwvutsrqponmlkjihgfedcba`_^]\\[ZYXWVUTSRQPONMLKJIHGFEDCBA@?>=<;:9876543210/.-,+*)('&%$#\"!\r\n",
    " Bearer a\r\nX: y\r\n",
    " Bearer a\r\n\r\n",
};

static void reads_values_alike(void **state)
{
    struct site *site = values_site();

    (void)state;
    for (size_t i = 0; i < COUNT_OF(values); i++)
        values_check(site, values[i], false);
    site_close(site);
}

/* Around the limit of the headers, which is 16 KiB. */
static void reads_long_values_alike(void **state)
{
    static char value[VALUE_ROOM];
    struct site *site = values_site();

    (void)state;
    for (size_t size = 16 * 1024 - 100; size < 16 * 1024 + 20; size += 7) {
        memset(value, 'x', size);
        strcpy(value + size, "\r\n");
        values_check(site, value, true);
    }
    site_close(site);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_values_alike),
        cmocka_unit_test(reads_long_values_alike),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
