/* demo/registry.h - records as clients see them. */
#ifndef HOME_DEMO_REGISTRY_H
#define HOME_DEMO_REGISTRY_H

#include "demo/command.h"

/* Writes a record by its table of columns. */
void demo_record_write(struct demo *demo, struct json_writer *w, enum demo_registry which,
                       const struct demo_record *record);
/* Puts members of an object into the record, except the named ones, separated by commas. */
int demo_record_merge(struct demo *demo, enum demo_registry which, const char *id,
                      haft_value *object, const char *but);
/* "Living Room" to "living_room", in the scratch arena; NULL without memory. */
char *demo_slug(struct demo *demo, const char *name);

#endif
