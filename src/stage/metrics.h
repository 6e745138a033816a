/* stage/metrics.h - metrics shared by several servers. */
#ifndef HAFT_SRC_METRICS_H
#define HAFT_SRC_METRICS_H

#include "engine/offer/server.h"

/* Makes the server use the metrics of another one, which must live longer. */
int hf_metrics_share(haft_server *server, haft_server *with);

#endif
