/* engine/offer.h - what resources and prompts have in common: how they are put on a shelf, how
 * their handlers are started, and how they fail. */
#ifndef HAFT_SRC_OFFER_H
#define HAFT_SRC_OFFER_H

#include "engine/session.h"

/* An item that is found by `name`; NULL, refused, without memory. */
struct item *offer_item(haft_server *server, const char *name, struct hold *hold);

/* Renders what is listed after the item's name, the same for every client. */
int offer_render(haft_server *server, struct item *item,
                 void (*put_rest)(haft_buffer *buffer, const struct item *item));

/* Starts the handler of a request that is in order. */
void offer_start(haft_call *call, int (*execute)(haft_call *call),
                 void (*complete)(haft_call *call));

/* Answers for a handler that failed, with the text of haft_error if there is one.  False when it
 * did not fail. */
bool offer_failed(haft_call *call);

/* What haft_error said: the latest block, read back.  NULL when there is none. */
const char *offer_error_text(haft_call *call);

/* {"KEY":"TEXT"} in the call's arena; NULL without memory. */
const char *offer_data(haft_call *call, const char *key, const char *text, size_t size);

/* Bytes of a text that came in, cut to what an error message may quote. */
int offer_quotable(const char *text, size_t size);

/* Answers that something is not there, or is and may not be used. */
void offer_refuse(haft_call *call, const char *kind, yyjson_val *name, const struct entry *entry);

#endif
