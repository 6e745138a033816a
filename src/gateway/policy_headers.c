/* policy_headers.c - sets and removes headers, and CORS. */
#include <stdio.h>
#include <string.h>

#include "gateway/policies.h"

/* ---- set ---- */

HAFT_STRUCT(set_headers_options,
            HAFT_OPTIONAL(HAFT_MAP(request, HAFT_STRING(value, "A value"), "Headers of the request")),
            HAFT_OPTIONAL(HAFT_MAP(response, HAFT_STRING(value, "A value"), "Headers of the response")));

static int set_request(haft_call *call, void *data)
{
    const set_headers_options *options = data;
    int status = 0;

    for (size_t i = 0; options->has_request && i < options->n_request && !status; i++)
        status = haft_request_set_header(call, options->request_keys[i], options->request[i]);
    return status;
}

static int set_response(haft_call *call, void *data)
{
    const set_headers_options *options = data;
    int status = 0;

    for (size_t i = 0; options->has_response && i < options->n_response && !status; i++)
        status = haft_response_set_header(call, options->response_keys[i], options->response[i]);
    return status;
}

static int make_set_headers(haft_gateway *gateway, const void *given, haft_arena *arena,
                            haft_policy *ret_policy, haft_reason *reason)
{
    (void)gateway;
    (void)arena;
    (void)reason;
    *ret_policy =
        (haft_policy)HAFT_INIT(haft_policy, .inbound = set_request, .outbound = set_response,
                               .data = (void *)(uintptr_t)given);
    return 0;
}

const haft_policy_kind hf_policy_set_headers =
    HAFT_INIT(haft_policy_kind, .name = "set-headers", .options = &set_headers_options_type,
              .make = make_set_headers);

/* ---- remove ---- */

HAFT_STRUCT(remove_headers_options,
            HAFT_OPTIONAL(HAFT_ARRAY(request, HAFT_STRING(name, "A name"), "Headers of the request")),
            HAFT_OPTIONAL(HAFT_ARRAY(response, HAFT_STRING(name, "A name"), "Headers of the response")));

static int remove_request(haft_call *call, void *data)
{
    const remove_headers_options *options = data;
    int status = 0;

    for (size_t i = 0; options->has_request && i < options->n_request && !status; i++)
        status = haft_request_set_header(call, options->request[i], NULL);
    return status;
}

static int remove_response(haft_call *call, void *data)
{
    const remove_headers_options *options = data;
    int status = 0;

    for (size_t i = 0; options->has_response && i < options->n_response && !status; i++)
        status = haft_response_set_header(call, options->response[i], NULL);
    return status;
}

static int make_remove_headers(haft_gateway *gateway, const void *given, haft_arena *arena,
                               haft_policy *ret_policy, haft_reason *reason)
{
    (void)gateway;
    (void)arena;
    (void)reason;
    *ret_policy =
        (haft_policy)HAFT_INIT(haft_policy, .inbound = remove_request, .outbound = remove_response,
                               .data = (void *)(uintptr_t)given);
    return 0;
}

const haft_policy_kind hf_policy_remove_headers =
    HAFT_INIT(haft_policy_kind, .name = "remove-headers", .options = &remove_headers_options_type,
              .make = make_remove_headers);

/* ---- CORS ---- */

HAFT_STRUCT(cors_options,
            HAFT_ARRAY(origins, HAFT_STRING(origin, "An origin, or *"), "Allowed origins",
                       .min = 1),
            HAFT_DEFAULT(HAFT_STRING(methods, "Allowed methods"),
                         "GET, HEAD, POST, PUT, PATCH, DELETE"),
            HAFT_DEFAULT(HAFT_STRING(headers, "Allowed request headers"),
                         "content-type, authorization, x-api-key"),
            HAFT_OPTIONAL(HAFT_STRING(expose, "Response headers that pages may read")),
            HAFT_DEFAULT(HAFT_BOOLEAN(credentials, "Whether to allow credentials such as cookies; not with origin *"), false),
            HAFT_DEFAULT(HAFT_INTEGER(max_age, "Seconds that a browser may cache the preflight response", .min = 0,
                                      .max = 86400),
                         600));

/* The value of Access-Control-Allow-Origin for an origin; NULL if it is not allowed. */
static const char *cors_match(const cors_options *options, const char *origin)
{
    for (size_t i = 0; origin && i < options->n_origins; i++) {
        if (!strcmp(options->origins[i], "*"))
            return "*";
        if (!strcmp(options->origins[i], origin))
            return origin;
    }
    return NULL;
}

static bool cors_allows_origin(const char *origin, void *data)
{
    return cors_match(data, origin) != NULL;
}

/* The same for a request. */
static const char *allowed(haft_call *call, const cors_options *options)
{
    return cors_match(options, haft_request_header(call, "origin"));
}

/* Whether a list of names contains Origin or *. */
static bool names_origin(const char *names)
{
    for (; *(names += strspn(names, ", \t")); names += strcspn(names, ", \t")) {
        static const char origin[] = "origin";
        size_t size = strcspn(names, ", \t"), same = 0;

        while (same < size && ascii_lower(names[same]) == origin[same])
            same++;
        if (same == sizeof origin - 1 ? size == same : size == 1 && *names == '*')
            return true;
    }
    return false;
}

/* Adds Origin to Vary: caches must keep responses per origin, besides what else they depend on. */
static int put_vary(haft_call *call)
{
    const haft_response *response = haft_response_of(call);
    const char *vary = response ? haft_response_header(response, "vary") : NULL;

    if (!vary)
        return haft_response_set_header(call, "Vary", "Origin");
    if (names_origin(vary))
        return 0;
    vary = haft_call_printf(call, "%s, Origin", vary);
    return vary ? haft_response_set_header(call, "Vary", vary) : HAFT_ENOMEM;
}

static int put_origin(haft_call *call, const cors_options *options)
{
    const char *origin = allowed(call, options);
    int status = put_vary(call);

    if (status || !origin)
        return status;
    status = haft_response_set_header(call, "Access-Control-Allow-Origin", origin);
    if (!status && options->credentials)
        status = haft_response_set_header(call, "Access-Control-Allow-Credentials", "true");
    if (!status && options->has_expose)
        status = haft_response_set_header(call, "Access-Control-Expose-Headers", options->expose);
    return status;
}

static int answer_preflight(haft_call *call, void *data)
{
    const cors_options *options = data;
    char seconds[32];
    int status;

    if (strcmp(haft_request_of(call)->method, "OPTIONS") ||
        !haft_request_header(call, "access-control-request-method"))
        return 0;
    snprintf(seconds, sizeof seconds, "%lld", (long long)options->max_age);
    status = put_origin(call, options);
    if (!status && allowed(call, options)) {
        status = haft_response_set_header(call, "Access-Control-Allow-Methods", options->methods);
        status = status ? status
                        : haft_response_set_header(call, "Access-Control-Allow-Headers",
                                                   options->headers);
        status =
            status ? status : haft_response_set_header(call, "Access-Control-Max-Age", seconds);
    }
    return status ? status : stopped(haft_respond(call, 204, NULL, NULL, 0));
}

static int let_read(haft_call *call, void *data)
{
    return put_origin(call, data);
}

static int make_cors(haft_gateway *gateway, const void *given, haft_arena *arena,
                     haft_policy *ret_policy, haft_reason *reason)
{
    const cors_options *options = given;

    (void)gateway;
    (void)arena;
    for (size_t i = 0; options->credentials && i < options->n_origins; i++)
        if (!strcmp(options->origins[i], "*"))
            return hf_error_set(reason, HAFT_EINVAL, "origins",
                                "credentials cannot be allowed for any origin (*)");
    *ret_policy = (haft_policy)HAFT_INIT(haft_policy, .inbound = answer_preflight,
                                         .outbound = let_read, .data = (void *)(uintptr_t)given,
                                         .preflight = true, .allows_origin = cors_allows_origin);
    return 0;
}

const haft_policy_kind hf_policy_cors =
    HAFT_INIT(haft_policy_kind, .name = "cors", .options = &cors_options_type, .make = make_cors);
