/* lock.c - the lock for data that all threads of a server share. */
#include "engine/offer/server.h"

/* Held while a pointer is swapped or a count is read, never during allocations or callbacks. */
void hf_server_lock(haft_server *server)
{
    while (atomic_flag_test_and_set_explicit(&server->lock, memory_order_acquire))
        ;
}

void hf_server_unlock(haft_server *server)
{
    atomic_flag_clear_explicit(&server->lock, memory_order_release);
}
