/* fuzz_relay.c - any message of another replica: whatever it says, what clients are told is a list or
 * a resource that has changed. */
#include "endpoint/relay.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static haft_server *server;
    unsigned before;

    if (!server)
        server = haft_server_new("test", "1");
    if (!server)
        return 0;
    before = atomic_load(&server->changes.n_updates);
    hf_relay_receive(server, "me", (haft_slice){(const char *)data, size});
    if (atomic_load(&server->changes.n_updates) - before > size + 65)
        abort();
    return 0;
}
