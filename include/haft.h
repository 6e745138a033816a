/* haft.h - includes all headers of haft except haft/testing.h and haft/part.h.
 *
 * Each header can also be used on its own. */
#ifndef HAFT_H
#define HAFT_H

#include <haft/access.h>
#include <haft/authenticate.h>
#include <haft/authorize.h>
#include <haft/base.h>
#include <haft/build.h>
#include <haft/call.h>
#include <haft/client.h>
#include <haft/connect.h>
#include <haft/declare.h>
#include <haft/engine.h>
#include <haft/format.h>
#include <haft/gateway.h>
#include <haft/http.h>
#include <haft/issue.h>
#include <haft/json.h>
#include <haft/loop.h>
#include <haft/option.h>
#include <haft/otlp.h>
#include <haft/pipeline.h>
#include <haft/plugin.h>
#include <haft/redis.h>
#include <haft/run.h>
#include <haft/schema.h>
#include <haft/server.h>
#include <haft/skill.h>
#include <haft/sqlite.h>
#include <haft/store.h>
#include <haft/task.h>
#include <haft/tool.h>
#include <haft/transport.h>
#include <haft/ui.h>
#include <haft/version.h>

#endif
