/* stage/metrics.h - counts that several servers share. */
#ifndef HAFT_SRC_METRICS_H
#define HAFT_SRC_METRICS_H

#include "engine/offer/server.h"

/* The server counts where the other one does, which must live longer. */
int hf_metrics_share(haft_server *server, haft_server *with);

#endif
