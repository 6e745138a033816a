/* protocol/meta.h - the _meta keys that the protocol itself uses, and what others may look like. */
#ifndef HAFT_SRC_META_H
#define HAFT_SRC_META_H

#include <stdbool.h>
#include <stddef.h>

#define META_PREFIX "io.modelcontextprotocol/"
#define META_VERSION META_PREFIX "protocolVersion"
#define META_CLIENT_INFO META_PREFIX "clientInfo"
#define META_CLIENT_CAPABILITIES META_PREFIX "clientCapabilities"
#define META_LOG_LEVEL META_PREFIX "logLevel"
#define META_SERVER_INFO META_PREFIX "serverInfo"
#define META_SUBSCRIPTION META_PREFIX "subscriptionId"
#define META_TASKS META_PREFIX "tasks" /* the extension */
/* Data of the error for a client that does not declare it. */
#define META_TASKS_REQUIRED                                                                        \
    "{\"requiredCapabilities\":{\"extensions\":{\"io.modelcontextprotocol/tasks\":{}}}}"
#define META_RELATED_TASK META_PREFIX "related-task"
#define META_PROGRESS "progressToken"
#define META_TRACEPARENT "traceparent"
#define META_ISSUES "haft/issues"
#define META_HTTP_STATUS "haft/httpStatus"

/* Whether it can be a key; with `prefixed`, whether it says who gave it, as com.example/ does. */
bool hf_meta_key_is_right(const char *key, size_t size, bool prefixed);
/* Whether a member of a request is the client's own, not one of the protocol or of a trace. */
bool hf_meta_is_own(const char *key);

#endif
