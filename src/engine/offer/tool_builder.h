/* engine/offer/tool_builder.h - a tool under construction at run time. */
#ifndef HAFT_SRC_ENGINE_OFFER_TOOL_BUILDER_H
#define HAFT_SRC_ENGINE_OFFER_TOOL_BUILDER_H

#include "engine/offer/item.h"

/* The definition lives in the builder's arena, which becomes the item's. */
struct haft_tool_builder {
    haft_arena *arena;
    haft_tool *tool;
    haft_schema *input, *output;
    haft_json_handler *handler;
    int status; /* sticky; errors except HAFT_ENOMEM have been reported already */
};

/* Creates a builder without a name; NULL without memory. */
haft_tool_builder *hf_builder_new(const haft_allocator *allocator);

#endif
