/* engine/offer/wrap.h - how a tool's schema is listed (wrap.c). */
#ifndef HAFT_SRC_ENGINE_OFFER_WRAP_H
#define HAFT_SRC_ENGINE_OFFER_WRAP_H

#include "engine/offer/item.h"

/* How a schema is listed: as it is; as an object; as an object with properties; as the only
 * property of an object. */
enum listed_as { AS_IT_IS, AS_OBJECT, AS_ARGUMENTS, AS_RESULT };

/* Returns 0 or an error. */
int hf_put_listed(haft_buffer *buffer, const haft_schema *schema, enum listed_as as,
                  const haft_allocator *allocator);

#endif
