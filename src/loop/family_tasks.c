/* family_tasks.c - tasks of the servers of one program: they start when it serves, and stop together. */
#include "loop/family_tasks.h"

#include <uv.h>

enum { FAMILY_MS = 1000000 /* nanoseconds of a millisecond */ };

static haft_server *family_first(haft_server *server)
{
    return server->keys.family ? server->keys.family : server;
}

void hf_family_start_tasks(haft_server *server)
{
    for (server = family_first(server); server; server = server->keys.beside)
        if (server->tasks.hooks)
            server->tasks.hooks->start(server->tasks.service);
}

static unsigned family_left(uint64_t end)
{
    uint64_t now = uv_hrtime();

    return now < end ? (unsigned)((end - now) / FAMILY_MS) : 0;
}

/* No server begins another task while handlers of the others finish. */
void hf_family_stop_tasks(haft_server *server, unsigned ms)
{
    uint64_t end = uv_hrtime() + (uint64_t)ms * FAMILY_MS;
    haft_server *first = family_first(server);

    for (server = first; server; server = server->keys.beside)
        if (server->tasks.hooks)
            server->tasks.hooks->leave(server->tasks.service, family_left(end));
    for (server = first; server; server = server->keys.beside)
        if (server->tasks.hooks)
            server->tasks.hooks->stop(server->tasks.service, family_left(end));
}
