/* gateway/upstreams.h - the upstreams of a configuration, and what servers offer of them. */
#ifndef HAFT_SRC_GATEWAY_UPSTREAMS_H
#define HAFT_SRC_GATEWAY_UPSTREAMS_H

#include "gateway/configure_section.h"
#include "upstream/upstream.h"

/* Creates the upstreams of the section, in the generation being prepared; those that the active one has
 * with the same definition are used again. */
int hf_upstreams_configure(const struct configuration *configuration,
                           const gateway_section *section, haft_value *value,
                           haft_reason *reterr_reason);

/* A kind of upstreams, whose name is a member of upstream_entry; NULL after the last. */
const struct upstream_kind *hf_upstreams_kind(size_t i);

/* Why there can be none in a sandbox. */
#define UPSTREAMS_CONFINED                                                                         \
    "a server with --sandbox cannot have upstreams: their threads and programs would be outside the sandbox"

/* Starts those of the first configuration, and waits a while until they say what they offer. */
void hf_upstreams_start(haft_gateway *gateway);
/* The same behind a command line, which they wait for.  `confined`: a sandbox will be entered, in which
 * there can be none.  Returns 0, or an error with the reason. */
int hf_upstreams_begin(haft_gateway *gateway, bool confined, haft_reason *reterr_reason);

/* Starts those that the generation adds, and stops those that it no longer has.  `before` is the one
 * that it replaces. */
void hf_upstreams_turn_over(const haft_gateway *gateway, const struct generation *before,
                            const struct generation *generation);

/* Stops all of them, before the servers are freed, and frees what they share. */
void hf_upstreams_end(haft_gateway *gateway);

/* Write their states.  Functions of struct server_metering. */
void hf_upstreams_put_metrics(void *gateway, haft_buffer *out);
void hf_upstreams_put(void *gateway, struct json_writer *w);

/* What a server offers of upstreams: patterns of names of upstreams and of tools, NULL for none. */
struct upstream_offer {
    haft_server *server;
    const char *upstreams, *tools;
};

/* Creates the items that a server is to offer and does not, and marks those that it must no longer offer
 * (item.leaving): of all upstreams, or only of one.  The caller owns the items, also on failure. */
int hf_upstreams_compare(const struct generation *generation, const struct upstream_offer *offer,
                         const struct upstream *only, struct upstream_items *items,
                         haft_reason *reterr_reason);
void hf_upstreams_drop_items(struct upstream_items *items);

/* Has servers offer what an upstream offers now.  A function of upstream_set. */
void hf_upstreams_changed(void *gateway, struct upstream *upstream);
/* Tells subscribers that a resource of an upstream has been updated.  A function of upstream_set. */
void hf_upstreams_updated(void *gateway, struct upstream *upstream, const char *uri);

#endif
