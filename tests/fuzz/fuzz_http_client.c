/* fuzz_http_client.c - what a request is made of, from anybody: whatever is accepted is one request line and
 * whole headers, to a host and not to what looks like one.  The input is a method, a URL, a header's name
 * and its value, each on a line; the value may have more lines. */
#define _DEFAULT_SOURCE
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <haft/part.h>

#include "http/client/room.h"
#include "part/http_client.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void ended(void *context, const struct http_end *end)
{
    require(end->error == HTTP_CANCELLED && !end->maybe_handled);
    ++*(int *)context;
}

/* The next line, which ends the text before it. */
static char *cut(char **at)
{
    char *line = *at, *end = strchr(line, '\n');

    *at = end ? end + 1 : line + strlen(line);
    if (end)
        *end = '\0';
    return line;
}

/* By another way than the client's own. */
static void check_accepted(const char *method, const char *url, const char *name, const char *value)
{
    const char *host = strstr(url, "://") + 3;

    require(!strncasecmp(url, "http", 4));
    require(!memchr(host, '@', strcspn(host, "/?#")));
    require(strcspn(host, "/?#:") > 0);
    require(!strpbrk(method, " \t\r\n:") && *method);
    require(!strpbrk(url, " \t\r\n"));
    require(!strpbrk(name, " \t\r\n:;") && *name);
    require(!strpbrk(value, "\r\n"));
    require(strcasecmp(name, "Host") && strcasecmp(name, "Content-Length"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1), *at = text, *method, *url, *name, *value;
    const struct http_client_functions *http;
    http_client *client;
    struct http_field header;
    int ends = 0;
    bool started;
    uv_loop_t loop;

    memcpy(text, data, size);
    text[size] = '\0';
    method = cut(&at);
    url = cut(&at);
    name = cut(&at);
    value = at;
    haft_part_register(&haft_http_client_part);
    http = hf_http_client_open("", NULL);
    require(!uv_loop_init(&loop));
    client = hf_http_client_new(http, &loop, NULL, NULL);
    require(client);
    header = (struct http_field){name, value};
    started = http->start(client,
                          &(struct http_request_options){.method = method,
                                                         .url = url,
                                                         .headers = &header,
                                                         .n_headers = 1,
                                                         .on_end = ended,
                                                         .context = &ends},
                          NULL);
    if (started)
        check_accepted(method, url, name, value);
    http->destroy(client);
    require(ends == started);
    uv_run(&loop, UV_RUN_DEFAULT);
    require(!uv_loop_close(&loop));
    free(text);
    return 0;
}
