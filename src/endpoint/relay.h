/* endpoint/relay.h - changes of lists and resources, passed between the processes that share a
 * store. */
#ifndef HAFT_SRC_RELAY_H
#define HAFT_SRC_RELAY_H

#include "endpoint/endpoint.h"

/* Connects the endpoint's server to the others on the endpoint's store, once for all endpoints of the
 * server. Does nothing for a store without channels. Returns false without memory. */
bool hf_relay_attach(haft_endpoint *endpoint);
/* The last endpoint of a server disconnects it. */
void hf_relay_detach(haft_endpoint *endpoint);
/* Publishes what could not be published before. */
void hf_relay_tick(haft_endpoint *endpoint);

/* Reads a message of another process, for hf_server_note_lists and the like. */
void hf_relay_receive(haft_server *server, const char *own, haft_slice text);

#endif
