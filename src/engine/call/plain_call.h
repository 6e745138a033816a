/* engine/call/plain_call.h - what calls of resources and prompts have in common: how their handlers are
 * started, and how they fail. */
#ifndef HAFT_SRC_ENGINE_CALL_PLAIN_CALL_H
#define HAFT_SRC_ENGINE_CALL_PLAIN_CALL_H

#include "engine/call/call.h"

void hf_handle_resource_read(haft_call *call);
void hf_handle_prompt_get(haft_call *call);
void hf_handle_complete(haft_call *call);

/* How long a result may be kept, for modern clients. */
void hf_put_cache_hints(haft_call *call, struct json_writer *w);

/* Starts the handler of a request that is in order. */
void hf_plain_call_start(haft_call *call, int (*execute)(haft_call *call),
                         void (*complete)(haft_call *call));

/* Answers for a handler that failed, with the text of haft_error if there is one.  False when it
 * did not fail. */
bool hf_plain_call_failed(haft_call *call);

/* What haft_error said: the latest block, read back.  NULL when there is none. */
const char *hf_call_error_text(haft_call *call);

/* {"KEY":"TEXT"} in the call's arena; NULL without memory. */
const char *hf_plain_call_data(haft_call *call, const char *key, const char *text, size_t size);

/* Bytes of a text that came in, cut to what an error message may quote. */
int hf_quotable_size(const char *text, size_t size);

/* Answers that something is not there, or is and may not be used. */
void hf_plain_call_refuse(haft_call *call, const char *kind, yyjson_val *name,
                          const struct entry *entry);

#endif
