/* gateway/configured.h - a gateway from a configuration, without a file and without a server. */
#ifndef HAFT_TESTS_GATEWAY_CONFIGURED_H
#define HAFT_TESTS_GATEWAY_CONFIGURED_H

#include "ask.h"

#include <haft/plugin.h>
#include <stdlib.h>
#include <yyjson.h>

#include "engine/offer/server.h"

#define SO(name) "\"" PLUGINS name ".so\""

static haft_gateway *gateway_of(const haft_allocator *allocator, const haft_mcp_options *endpoint)
{
    static haft_server_options options;
    haft_gateway *gateway;

    options = (haft_server_options)HAFT_INIT(haft_server_options, .allocator = allocator);
    gateway =
        haft_gateway_new(HAFT_WITH(haft_gateway_options, .server = &options, .one_thread = true));
    if (gateway && haft_gateway_configure(gateway, endpoint)) {
        haft_gateway_free(gateway);
        return NULL;
    }
    return gateway;
}

/* Gives the sections a file, as haft_main does; what they say is "plugins.0: ...". */
static int take(haft_gateway *gateway, const char *json, haft_reason *ret_reason)
{
    const haft_server *server = haft_gateway_server(gateway);
    yyjson_doc *doc = yyjson_read(json, strlen(json), 0);
    void *prepared[2] = {NULL};
    size_t n = 0;
    int status = 0;

    assert_non_null(doc);
    assert_int_equal(server->n_sections, COUNT_OF(prepared));
    *ret_reason = (haft_reason){.code = 0};
    while (n < COUNT_OF(prepared) && !status) {
        const haft_section *section = server->sections[n];

        status = section->prepare(section->context,
                                  yyjson_obj_get(yyjson_doc_get_root(doc), section->name),
                                  &prepared[n], ret_reason);
        n += !status;
    }
    for (size_t i = 0; i < n; i++) {
        const haft_section *section = server->sections[i];

        if (!status)
            section->commit(section->context, prepared[i]);
        else if (section->discard)
            section->discard(section->context, prepared[i]);
    }
    yyjson_doc_free(doc);
    return status;
}

HAFT_MAYBE_UNUSED_ static haft_gateway *configured(const char *json)
{
    haft_gateway *gateway = gateway_of(NULL, NULL);
    haft_reason reason;
    int status;

    assert_non_null(gateway);
    status = take(gateway, json, &reason);
    if (status)
        fail_msg("%s: %s", reason.path, reason.text);
    return gateway;
}

/* The names of an endpoint's tools, with spaces between them. */
HAFT_MAYBE_UNUSED_ static const char *tools_of(const haft_gateway *gateway, size_t i)
{
    static char text[1024];
    const char *path;
    haft_server *server = haft_gateway_endpoint(gateway, i, &path);
    struct catalogue *catalogue;
    size_t at = 0;

    assert_non_null(server);
    catalogue = hf_catalogue_take(server);
    text[0] = '\0';
    for (size_t k = 0; k < catalogue->lists[HAFT_OFFER_TOOL].n; k++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%s", k ? " " : "",
                               catalogue->lists[HAFT_OFFER_TOOL].entries[k].item->name);
    hf_catalogue_drop(catalogue);
    return text;
}

#endif
