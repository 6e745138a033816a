/* gateway/shape.h - shaping: what becomes of the results of tools at the endpoints of a gateway.
 *
 * A rule shortens results, caches them and lets equal calls run once. The rules of a configuration are a set
 * (shape.c), which gives each tool of a catalogue its shape. A stage next to the handler (shape_stage.c) looks
 * for the shape in the entry of the call's tool; the catalogue that the call holds keeps it. */
#ifndef HAFT_SRC_GATEWAY_SHAPE_H
#define HAFT_SRC_GATEWAY_SHAPE_H

#include <uv.h>

#include "gateway/configure_section.h"
#include "gateway/shape_cache.h"
#include "gateway/shape_path.h"
#include "engine/offer/shape.h"

struct shape_flight;

enum { SHAPE_FLIGHTS = 256 };

/* An entry of the configuration. A later configuration with the same entry uses the same rule, so its cache
 * remains. */
struct shape_rule {
    struct module module; /* must be first; sets and shapes hold it */
    const haft_allocator *allocator;
    haft_arena *arena; /* holds it */
    const char *text;  /* entry that it was made from, as JSON */
    const char *tools; /* patterns */
    struct shape_projection projection;
    bool projects;      /* the projection changes something */
    uint64_t max_bytes; /* 0 for any size */
    haft_time seconds;  /* how long results are cached; 0 for not at all */
    bool shared;        /* between callers */
    bool coalesces;
    uv_mutex_t lock; /* for what follows */
    bool has_lock;
    struct shape_cache cache;
    struct shape_flight
        *flights[SHAPE_FLIGHTS]; /* calls in flight that equal ones wait for, by key */
    uint64_t n_serials;
};

/* The shape of a tool at an endpoint. */
struct tool_shape {
    struct result_shape shape; /* must be first */
    const haft_allocator *allocator;
    haft_arena *arena; /* holds it */
    struct shape_rule *rule;
    uint64_t serial;   /* among those of the rule: tells its results from others */
    bool reads_only;   /* calls of the tool may be cached and coalesced */
    const char *fewer; /* names of its arguments that reduce results, as text; NULL if unknown */
};

static inline struct tool_shape *entry_shape(const struct entry *entry)
{
    return entry ? (struct tool_shape *)(void *)entry->shape : NULL;
}

/* ---- configuration (shape.c) ---- */

/* Creates the set of the generation being prepared; `value` is the section. */
int hf_shaping_configure(const struct configuration *configuration, const gateway_section *section,
                         haft_value *value, haft_reason *reterr_reason);
/* Refuses rules that cache or coalesce calls of tools that are not read-only, in a planned catalogue. */
int hf_shaping_check(const struct catalogue *catalogue, haft_reason *reterr_reason);
/* The same for tools that have come since: these run as if the rule did not say so, and the log says that. */
void hf_shaping_warn(haft_server *server);

/* ---- results (shape_result.c) ---- */

/* Shapes the result of a call; of an error, only its size changes. Returns 0, or an error: the result must not
 * be sent then. */
int hf_shape_shorten(haft_call *call, const struct tool_shape *shape);

/* ---- keys (shape_key.c) ---- */

/* Computes what equal calls have in common: tool, revision, arguments, headers that an upstream gets, and the
 * caller and its `_meta` unless results are shared. Returns 0 or HAFT_ENOMEM. */
int hf_shape_key(haft_call *call, const struct tool_shape *shape, unsigned char ret_key[SHAPE_KEY]);

/* ---- the stage (shape_stage.c) ---- */

extern const haft_stage hf_shape_stage;

#endif
