/* engine/offer/form.h - forms for elicitation, compiled once for their type (form.c). */
#ifndef HAFT_SRC_ENGINE_OFFER_FORM_H
#define HAFT_SRC_ENGINE_OFFER_FORM_H

#include "engine/offer/module.h"

/* A compiled form for elicitation, kept by its type; lives in its schema's arena. */
struct form {
    struct form *next;
    const haft_type *type;
    haft_schema *schema;
    const char *json;
};

/* The form of a declared type (form.c); NULL when it cannot be one, which is logged.  It lives as
 * long as the hold that the type is in, or as the server. */
const struct form *hf_form_of(haft_server *server, struct module *module, const haft_type *type);
void hf_forms_free(struct form *forms);
/* Why a JSON Schema is no form; NULL when it is one, with whether several can be chosen from a list
 * in it, which forms have since 2025-11-25. */
const char *hf_form_check(yyjson_val *schema, haft_arena *arena, bool *ret_selects);

#endif
