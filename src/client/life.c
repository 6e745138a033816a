/* life.c - how long a client lives: until nothing uses it any more. */
#include "client/client.h"

#include <stdio.h>

void hf_client_explain(haft_client *client, int http_status, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(client->error, sizeof client->error, format, args);
    va_end(args);
    client->http_status = http_status;
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
