/* engine/offer/platform.h - the function that the engine requires from the operating system.
 *
 * Each of the two libraries defines it: libhaft in src/process, libhaft-core in src/bare. It and
 * that of task/platform.h are the only references from a lower room to a higher one (tests/walls). */
#ifndef HAFT_SRC_ENGINE_OFFER_PLATFORM_H
#define HAFT_SRC_ENGINE_OFFER_PLATFORM_H

#include "engine/offer/server.h"

/* Prepares the process for the calls of a server: starts the process that isolated tools are forked
 * from. Returns 0, HAFT_ENOMEM or HAFT_EBUSY. */
int hf_platform_start(haft_server *server);

#endif
