/* engine/offer/form.h - elicitation forms, compiled once per type (form.c). */
#ifndef HAFT_SRC_ENGINE_OFFER_FORM_H
#define HAFT_SRC_ENGINE_OFFER_FORM_H

#include "engine/offer/module.h"

/* A compiled elicitation form, cached by type; lives in its schema's arena. */
struct form {
    struct form *next;
    const haft_type *type;
    haft_schema *schema;
    const char *json;
};

/* Returns the form of a declared type; NULL if the type cannot be a form, which is logged. It lives
 * as long as the module that contains the type, or as the server. */
const struct form *hf_form_of(haft_server *server, struct module *module, const haft_type *type);
void hf_forms_free(struct form *forms);
/* Returns why a JSON Schema is not a valid form, or NULL if it is. *ret_selects says whether it has
 * a multiple choice, which forms support since 2025-11-25. */
const char *hf_form_check(yyjson_val *schema, haft_arena *arena, bool *ret_selects);

#endif
