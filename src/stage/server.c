/* server.c - creates a server: the engine's, with the stages of the library. */
#include "engine/call/stage.h"
#include "stage/rate.h"

haft_server *haft_server_new_with(const char *name, const char *version,
                                  const haft_server_options *options)
{
    static const haft_stage *const built_in[BUILT_IN_STAGES] = {
        &hf_deadline_stage, &hf_visibility_stage, &hf_rate_stage, &hf_validation_stage};
    haft_server *server = hf_server_make(name, version, options);

    if (server)
        hf_stages_init(server, built_in);
    return server;
}

haft_server *haft_server_new(const char *name, const char *version)
{
    return haft_server_new_with(name, version, NULL);
}

void haft_server_free(haft_server *server)
{
    if (!server)
        return;
    if (server->tasks.hooks)
        server->tasks.hooks->free(server->tasks.service);
    hf_limiter_free(atomic_load(&server->metering.limiter));
    haft_store_free(server->metering.own_store);
    hf_server_unmake(server);
}
