/* redirect.c - redirects, followed only if requested.
 *
 * libcurl would send the caller's headers to any target. Here another origin gets none of them and
 * no body, and https is never downgraded to http. */
#include <string.h>
#include <strings.h>

#include "http/client/room.h"

static bool redirect_refuse(http_request *request, enum http_error error, const char *why)
{
    request->failure = error;
    request->why = why;
    return false;
}

static const char *redirect_location(const http_request *request)
{
    const char *location = NULL;

    for (size_t i = 0; i < request->n_fields; i++)
        if (!strcasecmp(request->fields[i].name, "Location")) {
            if (location)
                return NULL; /* repeated header */
            location = request->fields[i].value;
        }
    return location;
}

/* Whether two URLs are equal in one part; libcurl supplies defaults. */
static bool redirect_same(CURLU *left, CURLU *right, CURLUPart part)
{
    char *l = NULL, *r = NULL;
    bool same = !curl_url_get(left, part, &l, CURLU_DEFAULT_PORT) &&
                !curl_url_get(right, part, &r, CURLU_DEFAULT_PORT) && !strcasecmp(l, r);

    curl_free(l);
    curl_free(r);
    return same;
}

static bool redirect_is_https(CURLU *url)
{
    char *scheme = NULL;
    bool is = !curl_url_get(url, CURLUPART_SCHEME, &scheme, 0) && !strcasecmp(scheme, "https");

    curl_free(scheme);
    return is;
}

static bool redirect_check(http_request *request, CURLU *from, CURLU *to)
{
    bool same = redirect_same(from, to, CURLUPART_SCHEME) &&
                redirect_same(from, to, CURLUPART_HOST) && redirect_same(from, to, CURLUPART_PORT);

    if (!same && !request->options.redirect_elsewhere)
        return redirect_refuse(request, HTTP_REDIRECT_REFUSED, "it leads to another origin");
    if (!same && redirect_is_https(from) && !redirect_is_https(to))
        return redirect_refuse(request, HTTP_REDIRECT_REFUSED, "it leads from https to http");
    if (!same && request->options.unix_socket)
        return redirect_refuse(request, HTTP_REDIRECT_REFUSED, "it leads away from a Unix socket");
    if (!same && request->keeps_method && request->with_body)
        return redirect_refuse(request, HTTP_REDIRECT_REFUSED,
                               "it would send the body to another origin");
    request->keeps_headers = request->keeps_headers && same;
    return true;
}

/* Sets request->location to the resolved target. */
static bool redirect_resolve(http_request *request, const char *location)
{
    CURLU *from = curl_url(), *to = NULL;
    char *base = NULL;
    bool fine = false;

    if (!from || curl_easy_getinfo(request->easy, CURLINFO_EFFECTIVE_URL, &base) || !base ||
        curl_url_set(from, CURLUPART_URL, base, CURLU_PATH_AS_IS) || !(to = curl_url_dup(from))) {
        redirect_refuse(request, HTTP_NO_MEMORY, NULL);
    } else if (curl_url_set(to, CURLUPART_URL, location, CURLU_DISALLOW_USER) ||
               curl_url_get(to, CURLUPART_URL, &request->location, 0) ||
               !hf_http_check_url(request->location, request->options.max_url)) {
        redirect_refuse(request, HTTP_REDIRECT_REFUSED, "its Location is not a valid http URL");
    } else {
        fine = redirect_check(request, from, to);
    }
    if (!fine) {
        curl_free(request->location);
        request->location = NULL;
    }
    curl_url_cleanup(to);
    curl_url_cleanup(from);
    return fine;
}

bool hf_http_redirect_wanted(http_request *request)
{
    static const int statuses[] = {301, 302, 303, 307, 308};
    const char *location;
    bool is = false;

    if (!request->options.max_redirects)
        return false;
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
        is = is || statuses[i] == request->status;
    if (!is)
        return false;
    location = redirect_location(request);
    if (!location)
        return redirect_refuse(request, HTTP_REDIRECT_REFUSED,
                               "it does not have exactly one Location");
    if (request->redirects == request->options.max_redirects)
        return redirect_refuse(request, HTTP_REDIRECT_REFUSED, "too many redirects");
    /* As is common practice: a redirected POST becomes a GET, unless the status forbids it. */
    request->keeps_method = request->status == 307 || request->status == 308 ||
                            (request->status != 303 && !request->is_post);
    return redirect_resolve(request, location);
}

/* Removes everything that identifies or authenticates the caller, except the client's name. */
static CURLcode redirect_strip(CURL *easy, const char *user_agent)
{
    static const CURLoption options[] = {CURLOPT_HTTPHEADER, CURLOPT_SSLCERT, CURLOPT_SSLKEY,
                                         CURLOPT_KEYPASSWD};
    CURLcode code = CURLE_OK;

    for (size_t i = 0; i < sizeof options / sizeof *options && !code; i++)
        code = curl_easy_setopt(easy, options[i], NULL);
    return code ? code : curl_easy_setopt(easy, CURLOPT_USERAGENT, user_agent);
}

/* Restarts the request, except for its total time and the size of received headers. */
bool hf_http_redirect_follow(http_request *request)
{
    http_client *client = request->client;
    CURLcode code;

    hf_http_request_remove(request);
    request->redirects++;
    request->issued = false;
    request->body_sent = 0;
    *request->handle->reason = '\0';
    hf_http_response_clear(request);
    code = hf_http_client_renew_handle(request) ? CURLE_OK : CURLE_OUT_OF_MEMORY;
    if (!code)
        code = curl_easy_setopt(request->easy, CURLOPT_CURLU, NULL);
    if (!code)
        code = curl_easy_setopt(request->easy, CURLOPT_URL, request->location);
    if (!code && !request->keeps_method && !request->head_only)
        code = hf_http_setup_method(request, "GET", false);
    if (!code && !request->keeps_headers)
        code = redirect_strip(request->easy, client->options.user_agent);
    curl_free(request->location);
    request->location = NULL;
    if (code) {
        hf_http_request_finish(request, HTTP_NO_MEMORY);
        return false;
    }
    request->phase = PHASE_CONNECT;
    request->since = client->uv->now(client->loop);
    return hf_http_request_add(request);
}
