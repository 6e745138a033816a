/* hass/build.h - objects that the client itself makes: they are written as JSON, and read back as values.
 *
 *     hass_build(&build, allocator);
 *     hf_json_text(json_key(&build.w, "event_type"), type);
 *     value = hass_built(&build, arena); */
#ifndef HOME_HASS_BUILD_H
#define HOME_HASS_BUILD_H

#include "json/json.h"
#include "json/writer.h"

struct hass_build {
    haft_buffer out;
    struct json_writer w;
};

/* Begins an object. */
void hass_build(struct hass_build *build, const haft_allocator *allocator);
/* Ends it.  Returns its value, in memory of the arena; NULL without memory.  The arena may be NULL: so is
 * the value then. */
yyjson_val *hass_built(struct hass_build *build, haft_arena *arena);

#endif
