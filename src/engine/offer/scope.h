/* engine/offer/scope.h - OAuth scopes: words that a client has been granted and an item requires
 * (scope.c).
 *
 * A set of scopes is text, words separated by single spaces, as in tokens; NULL is the empty set. */
#ifndef HAFT_SRC_ENGINE_OFFER_SCOPE_H
#define HAFT_SRC_ENGINE_OFFER_SCOPE_H

#include "engine/offer/item.h"

enum {
    SCOPE_SIZE = 256, /* bytes of a scope */
    SCOPES_MAX = 32   /* scopes that an item may require */
};

/* Takes the next word off *at, which may have further spaces. Returns false after the last. */
bool hf_scope_next(const char **at, struct text *ret_word);
/* Whether it is a scope-token of RFC 6749, of at most SCOPE_SIZE bytes. */
bool hf_scope_is_valid(const char *word, size_t size);
/* Whether a set contains the scope. */
bool hf_scopes_have(const char *scopes, const char *word, size_t size);

/* Writes the words in order, each once and with single spaces; `arena` keeps the text. Returns NULL
 * without memory. */
const char *hf_scopes_sorted(const char *scopes, haft_arena *arena);

/* Checks the scopes that an item requires, and keeps them in item->scopes. NULL and "" require nothing.
 * Returns 0, or an error that has been reported. */
int hf_item_set_scopes(haft_server *server, struct item *item, const char *scopes);

#endif
