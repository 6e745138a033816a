/* demo/house.h - the house as tables.  In their JSON ' stands for ", and the outer braces are left out. */
#ifndef HOME_DEMO_HOUSE_H
#define HOME_DEMO_HOUSE_H

#include <stddef.h>

struct house_entity {
    const char *id, *name;
    const char *area;   /* of the device if it has one, else of the entity; NULL for none */
    const char *device; /* its name; NULL for none.  Entities with the same one share it */
    const char *state;
    const char *attributes;
    double hours; /* since the state changed */
};
extern const struct house_entity demo_house_entities[];
extern const size_t demo_house_n_entities;

struct house_record {
    int store; /* enum demo_registry */
    const char *id, *json;
};
extern const struct house_record demo_house_records[];
extern const size_t demo_house_n_records;

#endif
