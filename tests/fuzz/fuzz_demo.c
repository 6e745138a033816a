/* Fuzzes the demo home: lines that are messages to a session (they begin with { or [) or requests, METHOD PATH?QUERY
 * BODY.  It answers each, and stays able to. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "demo/demo.h"

static int64_t fuzz_clock(void *context)
{
    return *(int64_t *)context;
}

static void fuzz_send(void *who, const char *text, size_t size)
{
    (void)who;
    if (!size || (*text != '{' && *text != '['))
        __builtin_trap();
}

static void fuzz_end(void *who)
{
    (void)who;
}

static void fuzz_request(struct demo *demo, char *line, size_t size)
{
    char *path = memchr(line, ' ', size), *body, *query;
    struct demo_response response = {0};

    if (!path)
        return;
    *path++ = '\0';
    body = strchr(path, ' ');
    if (body)
        *body++ = '\0';
    query = strchr(path, '?');
    if (query)
        *query++ = '\0';
    haft_buffer_init(&response.body, NULL, 64 << 20);
    demo_handle(demo,
                &(struct demo_request){.method = line,
                                       .path = path,
                                       .query = query ? query : "",
                                       .token = "demo",
                                       .body = body ? body : "",
                                       .size = body ? strlen(body) : 0},
                &response);
    if (response.status < 200 || response.status > 503)
        __builtin_trap();
    haft_buffer_finish(&response.body);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char token[] = "{\"type\":\"auth\",\"access_token\":\"demo\"}";
    int64_t now = INT64_C(1794816000000000);
    struct demo *demo =
        demo_new(&(struct demo_options){.now = fuzz_clock, .now_context = &now, .seed = 7});
    struct demo_session *session = demo ? demo_session_open(demo, fuzz_send, fuzz_end, NULL) : NULL;
    char *text = malloc(size + 1), *line = text, *end;

    if (!session || !text)
        abort();
    memcpy(text, data, size);
    text[size] = '\0';
    demo_session_receive(session, token, sizeof token - 1);
    for (; line < text + size; line = end + 1) {
        end = memchr(line, '\n', (size_t)(text + size - line));
        end = end ? end : text + size;
        *end = '\0';
        if (*line == '{' || *line == '[')
            demo_session_receive(session, line, (size_t)(end - line));
        else
            fuzz_request(demo, line, (size_t)(end - line));
        now += 1000000;
        demo_tick(demo);
    }
    demo_session_close(session);
    demo_free(demo);
    free(text);
    return 0;
}
