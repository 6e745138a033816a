/* fuzz_auth_metadata.c - any document about a resource or an issuer: what is accepted has what it must, and URLs that
 * are read are within their limits. */
#include "auth/client/metadata.h"

#include <stdlib.h>
#include <string.h>

#include "auth/web_url.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void check_url(const char *text)
{
    struct web_url url, again;
    haft_buffer origin;

    if (!text || hf_web_url_read(text, &url))
        return;
    require(strlen(text) <= WEB_URL_LIMIT && url.host.size && url.port <= 65535);
    require(hf_web_url_is_within(&url, &url) || url.has_fragment ||
            memchr(text, '.', strlen(text)) || strchr(text, '%'));
    haft_buffer_init(&origin, NULL, WEB_URL_LIMIT + 64);
    hf_web_url_put_origin(&url, &origin);
    haft_buffer_add(&origin, "", 1);
    require(!origin.status && !hf_web_url_read(origin.data, &again) &&
            hf_web_url_same_origin(&url, &again));
    haft_buffer_finish(&origin);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    haft_arena *arena = haft_arena_new(NULL, 1 << 24);
    struct resource_metadata resource;
    struct issuer_metadata issuer;
    haft_reason reason = {0};

    if (!hf_resource_metadata_read((const char *)data, size, arena, &resource, &reason)) {
        require(resource.resource && resource.n_servers && resource.n_servers <= METADATA_SERVERS);
        check_url(resource.resource);
        for (size_t i = 0; i < resource.n_servers; i++)
            check_url(resource.servers[i]);
    } else {
        require(reason.code && *reason.text);
    }
    if (!hf_issuer_metadata_read((const char *)data, size, arena, &issuer, &reason)) {
        require(issuer.issuer);
        check_url(issuer.issuer);
        check_url(issuer.token);
    }
    haft_arena_free(arena);
    return 0;
}
