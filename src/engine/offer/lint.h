/* engine/offer/lint.h - whether names and schemas are ones that clients can use (lint.c). */
#ifndef HAFT_SRC_ENGINE_OFFER_LINT_H
#define HAFT_SRC_ENGINE_OFFER_LINT_H

#include "engine/offer/item.h"

/* Whether a name is one that clients can use: refuses, or warns, when it is not (lint.c). */
int hf_lint_name(haft_server *server, haft_offer kind, const char *name);
/* The same of a tool's schemas. */
int hf_lint_tool(haft_server *server, const struct item *item);

#endif
