/* engine/offer/lint.h - checks that clients can use names and schemas (lint.c). */
#ifndef HAFT_SRC_ENGINE_OFFER_LINT_H
#define HAFT_SRC_ENGINE_OFFER_LINT_H

#include "engine/offer/item.h"

/* Checks a name: rejects it, or warns about it. */
int hf_lint_name(haft_server *server, haft_offer kind, const char *name);
/* Checks a tool's schemas. */
int hf_lint_tool(haft_server *server, const struct item *item);

#endif
