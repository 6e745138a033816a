/* engine/offer/access.h - what identified clients may use (access.c, access_rule.c,
 * access_includes.c).
 *
 * An `access` has been read from haft_access. It is immutable and reference-counted, and belongs to
 * a catalogue: a call is checked by the rules that its catalogue has. NULL is one without rules. */
#ifndef HAFT_SRC_ENGINE_OFFER_ACCESS_H
#define HAFT_SRC_ENGINE_OFFER_ACCESS_H

#include <haft/access.h>

#include "engine/offer/item.h"

enum {
    ACCESS_RULES = 64,       /* rules of a server; a bit of uint64_t each */
    ACCESS_RULE_SIZE = 1024, /* bytes of a rule */
    ACCESS_CONDITIONS = 16,  /* conditions of a rule */
    ACCESS_INCLUDES = 64,    /* scopes that include others */
    ACCESS_INCLUDED = 512    /* scopes that one of them includes */
};

enum access_action { ACCESS_ALLOW, ACCESS_DENY, ACCESS_READ_ONLY };

enum access_about {
    ACCESS_PRINCIPAL,
    ACCESS_SUBJECT,
    ACCESS_CLIENT,
    ACCESS_ISSUER,
    ACCESS_SCOPE,
    ACCESS_CLAIM
};

struct access_condition {
    enum access_about about;
    bool negated;
    const char *name; /* of a claim or scope */
    const char *glob; /* of the value; NULL for a scope */
};

struct access_rule {
    enum access_action action;
    unsigned kinds;    /* bits of lists */
    const char *globs; /* of names or URIs; NULL for all */
    struct access_condition *conditions;
    size_t n_conditions;
};

/* A scope that includes others, also those that they include. */
struct access_inclusion {
    const char *scope, *included;
};

struct access {
    atomic_uint refs;
    haft_arena *arena;
    struct access_rule *rules;
    size_t n_rules;
    struct access_inclusion *inclusions;
    size_t n_inclusions;
    bool hide;   /* lists omit what the client lacks scopes for */
    bool claims; /* a rule is about a claim */
};

/* Reads rules and inclusions; everything is copied. Returns 0, or an error with its reason. */
int hf_access_read(const haft_allocator *allocator, const haft_access *given,
                   struct access **ret_access, haft_reason *reterr_reason);
struct access *hf_access_take(struct access *access); /* returns a new reference; accepts NULL */
void hf_access_let_go(struct access *access);

/* Reads the rule of that number, from 1 (access_rule.c). */
int hf_access_rule_read(haft_arena *arena, const char *text, size_t number,
                        struct access_rule *ret_rule, haft_reason *reterr_reason);

/* Reads lines of inclusions, which end with NULL (access_includes.c). */
int hf_access_read_includes(struct access *access, const char *const *lines,
                            haft_reason *reterr_reason);

/* Finds the rules whose conditions hold for a client, as bits. Returns 0; HAFT_EPARSE if its claims
 * are not a JSON object; HAFT_ENOMEM. */
int hf_access_holds(const struct access *access, const haft_identity *identity, haft_arena *arena,
                    uint64_t *ret_holds);

enum { ACCESS_URI_FORMS = 2 };

/* The forms of a URI that rules must permit: decoded, and also without dot segments and empty
 * segments. Returns 0 or HAFT_ENOMEM. */
int hf_access_uri_forms(haft_arena *arena, const char *uri, size_t size,
                        const char *ret_forms[ACCESS_URI_FORMS]);
/* Whether these rules permit the use of an item. `uri` is that of a resource that a template
 * matches; otherwise NULL. */
bool hf_access_permits(const struct access *access, uint64_t holds, const struct item *item,
                       const char *uri);

/* Whether a client with the scopes `granted` has a scope, directly or by inclusion. */
bool hf_access_grants(const struct access *access, const char *granted, const char *scope,
                      size_t size);
/* Whether it has all of them. */
bool hf_access_meets(const struct access *access, const char *granted, const char *required);

/* Appends the scopes that the items of a server require, each once, separated by spaces. Returns the
 * buffer's status. */
int hf_server_scopes(haft_server *server, haft_buffer *scopes);
/* Whether any item requires a scope, or there are rules. */
bool hf_server_is_guarded(haft_server *server);

#endif
