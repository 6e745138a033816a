/* engine/call/plain_call.h - common parts of resource and prompt calls: starting their handlers,
 * and errors. */
#ifndef HAFT_SRC_ENGINE_CALL_PLAIN_CALL_H
#define HAFT_SRC_ENGINE_CALL_PLAIN_CALL_H

#include "engine/call/call.h"

void hf_handle_resource_read(haft_call *call);
void hf_handle_prompt_get(haft_call *call);
void hf_handle_complete(haft_call *call);

/* Finds the resource or template that a URI belongs to, unless rules hide it from the client, and
 * sets the call's item. Returns 1, 0 or an error. */
int hf_resource_look_up(haft_call *call, yyjson_val *uri);
/* The same for a client that has the scopes for it. Returns false if the request was refused. */
bool hf_resource_find(haft_call *call, yyjson_val *uri);

/* Finds out whether the client may use the prompt of that name, whose entry may be NULL. Returns its
 * item, or NULL if the request was refused. */
struct item *hf_prompt_admit(haft_call *call, yyjson_val *name, const struct entry *entry);

/* Writes how long modern clients may cache a result. */
void hf_put_cache_hints(haft_call *call, struct json_writer *w);

/* Starts the handler of a valid request. */
void hf_plain_call_start(haft_call *call, int (*execute)(haft_call *call),
                         void (*complete)(haft_call *call));

/* If the handler failed, responds with the text of haft_error if there is one, and returns true. */
bool hf_plain_call_failed(haft_call *call);

/* The text of haft_error: the latest block. NULL if there is none. */
const char *hf_call_error_text(haft_call *call);

/* {"KEY":"TEXT"} in the call's arena; NULL without memory. */
const char *hf_plain_call_data(haft_call *call, const char *key, const char *text, size_t size);

/* The size of untrusted text, truncated for quoting in an error message. */
int hf_quotable_size(const char *text, size_t size);

/* Responds that an item does not exist or is disabled. */
void hf_plain_call_refuse(haft_call *call, const char *kind, yyjson_val *name,
                          const struct entry *entry);

#endif
