/* life.c - how long a client lives: until nothing uses it any more. */
#include "client/client.h"

#include <stdio.h>
#include <string.h>

/* A part of the text may be the server's: nothing in it controls a terminal. */
void hf_client_explain(haft_client *client, int http_status, const char *format, ...)
{
    char text[CLIENT_ERROR_TEXT];
    va_list args;
    size_t size;
    bool cut;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    size = hf_text_escape(text, strlen(text), false, client->error, sizeof client->error - 1, &cut);
    client->error[size] = '\0';
    client->http_status = http_status;
    client->explained++;
}

int hf_client_needs(haft_client *client, const char *function, const char *missing)
{
    if (client && !missing)
        return 0;
    if (client)
        hf_client_explain(client, 0, "%s: %s is NULL", function, missing);
    return HAFT_EINVAL;
}

int hf_client_refuse_json(haft_client *client, const char *subject, const char *what,
                          const char *text)
{
    haft_reason reason = {.code = 0};
    yyjson_val *value;

    haft_arena_reset(client->scratch);
    value = haft_json_read(text, strlen(text), JSON_MAX_DEPTH, client->scratch, &reason);
    if (yyjson_is_obj(value))
        return 0;
    if (value)
        hf_client_explain(client, 0, "%.100s: the %s are not a JSON object", subject, what);
    else
        hf_client_explain(client, 0, "%.100s: the %s are not valid JSON: %s", subject, what,
                          reason.text);
    return HAFT_EINVAL;
}

void hf_client_show(haft_client *client, bool sent, const char *text, size_t size)
{
    bool busy = client->busy;

    if (!client->options.watch)
        return;
    client->busy = true;
    client->options.watch(client->options.context, sent, text, size);
    client->busy = busy;
}

void hf_client_enter(haft_client *client)
{
    client->depth++;
}

bool hf_client_leave(haft_client *client)
{
    bool lives = !client->ending;

    if (!--client->depth && !lives)
        client->destroy(client);
    return lives;
}
