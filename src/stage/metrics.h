/* stage/metrics.h - metrics shared by several servers. */
#ifndef HAFT_SRC_METRICS_H
#define HAFT_SRC_METRICS_H

#include "engine/offer/server.h"

/* Makes the server use the metrics of another one, which must live longer. */
int hf_metrics_share(haft_server *server, haft_server *with);
/* Counts a request whose credentials were refused. `reason` is one of few constants; NULL: "other". */
void hf_metrics_count_refusal(haft_server *server, const char *reason);

#endif
