/* loop/family_tasks.h - tasks of the servers of one program (family_tasks.c). */
#ifndef HAFT_SRC_LOOP_FAMILY_TASKS_H
#define HAFT_SRC_LOOP_FAMILY_TASKS_H

#include "engine/offer/server.h"

/* Start and stop the tasks of a server and of those beside it. All of them stop within the time. */
void hf_family_start_tasks(haft_server *server);
void hf_family_stop_tasks(haft_server *server, unsigned ms);

#endif
