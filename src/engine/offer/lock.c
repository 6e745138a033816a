/* lock.c - the lock for data that all threads of a server share. */
#include <string.h>

#include "engine/offer/server.h"

/* Held while a pointer is swapped, a count is read or the server's arena hands out a few bytes,
 * never during callbacks. */
void hf_server_lock(haft_server *server)
{
    while (atomic_flag_test_and_set_explicit(&server->lock, memory_order_acquire))
        ;
}

void hf_server_unlock(haft_server *server)
{
    atomic_flag_clear_explicit(&server->lock, memory_order_release);
}

void *hf_server_zalloc(haft_server *server, size_t size)
{
    void *memory;

    hf_server_lock(server);
    memory = haft_arena_zalloc(server->arena, 1, size);
    hf_server_unlock(server);
    return memory;
}

char *hf_server_copy(haft_server *server, const char *text)
{
    char *copy;

    hf_server_lock(server);
    copy = haft_arena_copy(server->arena, text, strlen(text));
    hf_server_unlock(server);
    return copy;
}
