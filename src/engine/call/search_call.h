/* engine/call/search_call.h - the tools of a search (search_call.c), and their settings
 * (search_set.c). */
#ifndef HAFT_SRC_ENGINE_CALL_SEARCH_CALL_H
#define HAFT_SRC_ENGINE_CALL_SEARCH_CALL_H

#include "engine/call/call.h"
#include "engine/offer/search.h"

enum { SEARCH_TOOLS = 3 };

/* Definitions of the three tools. */
extern const haft_tool hf_search_tools[SEARCH_TOOLS];

void hf_search_redirect(haft_call *call);

/* Creates the three items of a search with these settings, which are checked; they hold a copy.
 * Returns 0, or an error that has been reported. */
int hf_search_items(haft_server *server, const haft_search *settings, bool configured,
                    struct item *ret_items[SEARCH_TOOLS]);
/* The same for a configuration, whose settings may be NULL: marks the items of another search of a
 * configuration as leaving, and adds new ones to the list, unless the same are there already. */
int hf_search_compare(haft_server *server, const haft_search *settings, struct item **items,
                      size_t *n);

#endif
