/* fault/props.h - what a scenario needs around its server: files in a directory of its own, and a
 * collector that takes spans. */
#ifndef HAFT_TESTS_FAULT_PROPS_H
#define HAFT_TESTS_FAULT_PROPS_H

#include "fault/peer.h"

/* The settings in a peer's directory, for the command line. */
#define PLACE_SETTINGS "settings.json"
#define PLACE_PLUGIN "word.so"
#define PLACE_SOCKET "socket"
#define PLACE_AUDIT "audit"
#define PLACE_LOG "log"

/* Makes the peer a directory of its own, empty, which props_finish removes with what is known to be
 * in it.  False when there can be none. */
bool props_init(struct peer *peer);
void props_finish(struct peer *peer);

/* Each makes the directory ready for a server that is about to start there, and says why when it
 * cannot: nothing but what a server before it has left behind is removed; a plugin of the first
 * version, with settings that name it; settings that name a collector, which is started when there
 * is none yet and ends with the process that started it; a FIFO that nobody reads, with settings
 * whose audit it is. */
bool props_clean(struct peer *peer);
bool props_plugin(struct peer *peer);
bool props_collector(struct peer *peer);
bool props_unread_audit(struct peer *peer);

/* Puts the second version of the plugin in the place of the first, in one step. */
bool props_exchange(struct peer *peer);
/* Settings of a gateway with another endpoint, and without routes as tools. */
bool props_endpoints(struct peer *peer);

/* How many spans the collector has taken from all servers so far. */
size_t props_spans(void);

#endif
