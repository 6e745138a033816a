/* net_link.c - see net_link.h.
 *
 * A thread runs a libuv loop with the HTTP client and the WebSocket on it; other threads pass it jobs.
 * The token is in a header and in the first message of the socket, and nowhere else. */
#include "hass/net/net.h"

#include "base/url.h"

/* ---- jobs ---- */

bool net_link_post(struct net_link *link, enum net_wish wish, uint64_t id, void *subject,
                   size_t size)
{
    struct net_job *job = hass_alloc(link->allocator, sizeof *job);
    bool posted = false;

    if (!job)
        return false;
    *job = (struct net_job){.wish = wish, .id = id, .subject = subject, .size = size};
    uv_mutex_lock(&link->lock);
    if (link->runs && !link->stopping) {
        *link->jobs_end = job;
        link->jobs_end = &job->next;
        uv_async_send(&link->wakeup);
        posted = true;
    }
    uv_mutex_unlock(&link->lock);
    if (!posted)
        hass_release(link->allocator, job, sizeof *job);
    return posted;
}

static void net_link_do(struct net_link *link, struct net_job *job, bool stopping)
{
    switch (job->wish) {
    case NET_REQUEST:
        if (stopping)
            net_rest_drop(link, job->subject, "the server ends");
        else
            net_rest_do_start(link, job->subject);
        break;
    case NET_CANCEL:
        net_rest_do_cancel(link, job->id);
        break;
    case NET_OPEN:
        net_socket_do_open(link, job->id);
        break;
    case NET_SEND:
        net_socket_do_send(link, job->subject, job->size);
        hass_release_secret(link->allocator, job->subject, job->size); /* it may be the token */
        break;
    }
}

static void net_link_woken(uv_async_t *wakeup)
{
    struct net_link *link = wakeup->data;
    struct net_job *jobs, *job;
    uint64_t closes;
    bool stopping;

    uv_mutex_lock(&link->lock);
    jobs = link->jobs;
    link->jobs = NULL;
    link->jobs_end = &link->jobs;
    closes = link->close;
    link->close = 0;
    stopping = link->stopping;
    uv_mutex_unlock(&link->lock);
    while ((job = jobs)) {
        jobs = job->next;
        net_link_do(link, job, stopping);
        hass_release(link->allocator, job, sizeof *job);
    }
    if (closes && closes == link->socket_id)
        net_socket_do_close(link);
    if (!stopping)
        return;
    net_socket_do_drop(link);
    link->http->destroy(link->client);
    link->client = NULL;
    uv_close((uv_handle_t *)&link->wakeup, NULL);
}

/* ---- the thread ---- */

static void net_link_run(void *context)
{
    struct net_link *link = context;

    uv_run(&link->loop, UV_RUN_DEFAULT);
}

/* With the lock held. */
static const char *net_link_prepare(struct net_link *link)
{
    struct http_client_options options = {
        .allocator = link->allocator, .ca_file = link->ca_file, .max_per_host = 8};
    haft_reason reason;

    if (uv_loop_init(&link->loop))
        return "the server cannot make a loop";
    if (uv_async_init(&link->loop, &link->wakeup, net_link_woken))
        goto no_wakeup;
    link->wakeup.data = link;
    link->client = hf_http_client_new(link->http, &link->loop, &options, &reason);
    if (!link->client)
        goto no_client;
    if (!uv_thread_create(&link->thread, net_link_run, link))
        return NULL;
    link->http->destroy(link->client);
no_client:
    uv_close((uv_handle_t *)&link->wakeup, NULL);
    uv_run(&link->loop, UV_RUN_DEFAULT);
no_wakeup:
    uv_loop_close(&link->loop);
    return "the server cannot start a thread for Home Assistant";
}

bool net_link_start(struct net_link *link, const char **reterr_why)
{
    const char *why = NULL;

    uv_mutex_lock(&link->lock);
    if (!link->runs)
        why = net_link_prepare(link);
    link->runs = link->runs || !why;
    uv_mutex_unlock(&link->lock);
    if (why)
        *reterr_why = why;
    return !why;
}

static void net_link_free(void *context)
{
    struct net_link *link = context;

    uv_mutex_lock(&link->lock);
    link->stopping = true;
    if (link->runs)
        uv_async_send(&link->wakeup);
    uv_mutex_unlock(&link->lock);
    if (link->runs) {
        uv_thread_join(&link->thread);
        uv_loop_close(&link->loop);
    }
    uv_mutex_destroy(&link->lock);
    hass_drop(link->allocator, link->base);
    hass_drop_secret(link->allocator, link->token);
    hass_drop_secret(link->allocator, link->bearer);
    hass_drop(link->allocator, link->ca_file);
    hass_release(link->allocator, link, sizeof *link);
}

/* ---- making one ---- */

static bool net_link_is(struct url_part part, const char *text)
{
    return part.size == strlen(text) && hf_text_is_ignoring_case(part.text, part.size, text);
}

/* The size of the URL without what is at its end: slashes, and the /api that some write. */
static size_t net_link_base(const char *url, size_t size)
{
    while (size && url[size - 1] == '/')
        size--;
    if (size > 4 && !memcmp(url + size - 4, "/api", 4))
        size -= 4;
    while (size && url[size - 1] == '/')
        size--;
    return size;
}

/* "host", "host:8123", "[::1]:8123". */
static bool net_link_port_is_valid(struct url_part authority)
{
    size_t at = authority.size;
    unsigned long port = 0;

    while (at && authority.text[at - 1] >= '0' && authority.text[at - 1] <= '9')
        at--;
    if (!at || authority.text[at - 1] != ':')
        return !memchr(authority.text, ':', authority.size) || authority.text[0] == '[';
    if (at == authority.size || authority.size - at > 5)
        return false;
    for (; at < authority.size; at++)
        port = 10 * port + (unsigned long)(authority.text[at] - '0');
    return port > 0 && port <= 65535;
}

int net_link_check(const char *text, haft_reason *reterr_reason)
{
    struct url url = hf_url_split(text, strlen(text));

    if (!net_link_is(url.scheme, "http") && !net_link_is(url.scheme, "https"))
        return hf_error_set(reterr_reason, HAFT_EINVAL, "--hass",
                            "the URL of Home Assistant must begin with http:// or https://");
    if (!url.authority.text || !url.authority.size)
        return hf_error_set(reterr_reason, HAFT_EINVAL, "--hass",
                            "the URL of Home Assistant has no host");
    if (memchr(url.authority.text, '@', url.authority.size))
        return hf_error_set(reterr_reason, HAFT_EINVAL, "--hass",
                            "the URL of Home Assistant must not contain a user or password");
    if (!net_link_port_is_valid(url.authority))
        return hf_error_set(reterr_reason, HAFT_EINVAL, "--hass",
                            "the URL of Home Assistant has an invalid port");
    if (url.query.text || url.fragment.text)
        return hf_error_set(reterr_reason, HAFT_EINVAL, "--hass",
                            "the URL of Home Assistant must not contain a query or fragment");
    return 0;
}

static char *net_link_bearer(const haft_allocator *allocator, const char *token)
{
    static const char prefix[] = "Bearer ";
    size_t size = strlen(token) + 1;
    char *text = hass_alloc(allocator, sizeof prefix - 1 + size);

    if (text) {
        memcpy(text, prefix, sizeof prefix - 1);
        memcpy(text + sizeof prefix - 1, token, size);
    }
    return text;
}

static bool net_link_fill(struct net_link *link, const struct net_link_options *options)
{
    size_t size = net_link_base(options->url, strlen(options->url));

    link->base = hass_alloc(link->allocator, size + 1);
    if (!link->base)
        return false;
    memcpy(link->base, options->url, size);
    link->base[size] = '\0';
    link->token = hass_keep(link->allocator, options->token ? options->token : "");
    link->ca_file = hass_keep(link->allocator, options->ca_file);
    if (options->token)
        link->bearer = net_link_bearer(link->allocator, options->token);
    return link->token && (!options->ca_file || link->ca_file) &&
           (!options->token || link->bearer) && !uv_mutex_init(&link->lock);
}

int net_link_new(const struct net_link_options *options, struct hass_link *ret_link,
                 haft_reason *reterr_reason)
{
    const haft_allocator *allocator = hf_allocator_or_default(options->allocator);
    const struct http_client_functions *http;
    struct net_link *link;
    int status = net_link_check(options->url, reterr_reason);

    if (status)
        return status;
    http = hf_http_client_open("--hass", reterr_reason);
    if (!http)
        return HAFT_EFAIL;
    link = hass_alloc(allocator, sizeof *link);
    if (!link)
        return hf_error_set(reterr_reason, HAFT_ENOMEM, "", "out of memory");
    *link = (struct net_link){.allocator = allocator, .http = http};
    link->jobs_end = &link->jobs;
    if (!net_link_fill(link, options)) {
        hass_release(allocator, link->base, link->base ? strlen(link->base) + 1 : 0);
        hass_drop_secret(allocator, link->token);
        hass_drop_secret(allocator, link->bearer);
        hass_drop(allocator, link->ca_file);
        hass_release(allocator, link, sizeof *link);
        return hf_error_set(reterr_reason, HAFT_ENOMEM, "", "out of memory");
    }
    *ret_link = (struct hass_link){.request = net_rest_request,
                                   .cancel = net_rest_cancel,
                                   .open = net_socket_open,
                                   .send = net_socket_send,
                                   .close = net_socket_close,
                                   .free = net_link_free,
                                   .context = link,
                                   .token = link->token};
    return 0;
}
