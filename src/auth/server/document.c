/* document.c - the metadata of a protected resource (RFC 9728), and its identifier. */
#include "auth/server/server.h"
#include "engine/offer/scope.h"
#include "json/writer.h"

/* Whether the option names one endpoint, and not the origin of all. */
static bool document_has_path(const struct authenticator *authenticator)
{
    return authenticator->resource.path.size > 1;
}

const char *hf_document_only(const haft_authenticator *base)
{
    const struct authenticator *authenticator = (const struct authenticator *)base;

    return authenticator->options.n_issuers && document_has_path(authenticator)
               ? authenticator->options.resource
               : NULL;
}

int hf_document_attach(haft_authenticator *base, const char *path, haft_reason *reterr_reason)
{
    struct authenticator *authenticator = (struct authenticator *)base;
    const char *only = hf_document_only(base), *before = path;

    if (!only)
        return 0;
    uv_mutex_lock(&authenticator->lock);
    if (!authenticator->attached)
        authenticator->attached = haft_arena_copy(authenticator->arena, path, strlen(path));
    before = authenticator->attached;
    uv_mutex_unlock(&authenticator->lock);
    if (before && !strcmp(before, path))
        return 0;
    return before
               ? hf_error_set(reterr_reason, HAFT_EEXISTS, path, AUTHENTICATOR_FOR_ONE, only,
                              before, path)
               : hf_error_set(reterr_reason, HAFT_ENOMEM, path, "%s", haft_strerror(HAFT_ENOMEM));
}

void hf_document_put_resource(const struct authenticator *authenticator, const char *path,
                              haft_buffer *out)
{
    if (document_has_path(authenticator)) {
        haft_buffer_puts(out, authenticator->options.resource);
        return;
    }
    hf_web_url_put_origin(&authenticator->resource, out);
    haft_buffer_puts(out, path);
}

void hf_document_put_url(const struct authenticator *authenticator, const char *path,
                         haft_buffer *out)
{
    struct url_part part = {path, strlen(path)};

    if (document_has_path(authenticator))
        part = authenticator->resource.path;
    if (part.size == 1)
        part.size = 0;
    hf_web_url_put_origin(&authenticator->resource, out);
    haft_buffer_puts(out, WELL_KNOWN_RESOURCE);
    haft_buffer_add(out, part.text, part.size);
}

/* Writes the words that `before` does not contain. */
static void document_put_words(struct json_writer *w, const char *words, const char *before)
{
    struct text word;

    while (words && hf_scope_next(&words, &word))
        /* Clients obtain it when they need it: it says nothing about the resource. */
        if (!hf_text_is_ignoring_case(word.data, word.size, "offline_access") &&
            !hf_scopes_have(before, word.data, word.size))
            hf_json_string(w, word.data, word.size);
}

static void document_put_array(struct json_writer *w, const char *words, const char *more)
{
    hf_json_begin_array(w);
    document_put_words(w, words, NULL);
    document_put_words(w, more, words);
    hf_json_end_array(w);
}

int hf_document_describe(haft_authenticator *base, const char *path, const char *name,
                         const char *scopes, haft_buffer *document)
{
    const struct authenticator *authenticator = (const struct authenticator *)base;
    const haft_authenticator_options *options = &authenticator->options;
    struct json_writer w = {.out = document};

    if (!options->n_issuers)
        return HAFT_ENOTFOUND;
    hf_json_begin_object(&w);
    json_key(&w, "resource");
    hf_document_put_resource(authenticator, path, hf_json_begin_string(&w));
    hf_json_end_string(&w);
    hf_json_begin_array(json_key(&w, "authorization_servers"));
    for (size_t i = 0; i < options->n_issuers; i++)
        hf_json_text(&w, authenticator->issuers[i].options.url);
    hf_json_end_array(&w);
    if ((scopes && *scopes) || (options->scopes && *options->scopes))
        document_put_array(json_key(&w, "scopes_supported"), options->scopes, scopes);
    document_put_array(json_key(&w, "bearer_methods_supported"), "header", NULL);
    json_text_member(&w, "resource_name", options->resource_name ? options->resource_name : name);
    if (options->dpop != HAFT_DPOP_REFUSED)
        document_put_array(json_key(&w, "dpop_signing_alg_values_supported"), TOKEN_ALGORITHMS,
                           NULL);
    if (options->dpop == HAFT_DPOP_REQUIRED)
        hf_json_bool(json_key(&w, "dpop_bound_access_tokens_required"), true);
    hf_json_end_object(&w);
    return document->status;
}
