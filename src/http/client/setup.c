/* setup.c - sets libcurl's options for a request.
 *
 * Default behaviour of libcurl that the caller did not request is turned off explicitly: proxies of
 * the environment, redirects, .netrc, cookies, signals, other protocols, other versions of HTTP. */
#define _GNU_SOURCE /* SOCK_CLOEXEC */
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "http/client/room.h"

enum {
    SMALL_BODY = 16 << 10,
    NO_EXPECT_BODY = 1 << 10 /* no libcurl has sent Expect with so small a body */
};

/* ---- callbacks for the connection ---- */

/* Whether libcurl is about to repeat a request that must not be repeated. */
static bool setup_is_repeat(http_request *request)
{
    if (request->issued && !request->options.may_repeat)
        request->not_again = true;
    return request->not_again;
}

static int setup_on_resolve(void *resolver, void *reserved, void *context)
{
    (void)resolver, (void)reserved;
    ((struct http_handle *)context)->connects = true;
    return 0;
}

/* Opens every connection, to the resolved address. */
static curl_socket_t setup_on_open(void *context, curlsocktype purpose,
                                   struct curl_sockaddr *address)
{
    struct http_handle *handle = context;
    http_request *request = handle->request;
    const struct http_client_options *options = &request->client->options;

    (void)purpose;
    handle->connects = true;
    if (request->over || setup_is_repeat(request))
        return CURL_SOCKET_BAD;
    if (options->allow_address && !options->allow_address(options->allow_context, &address->addr,
                                                          (socklen_t)address->addrlen)) {
        request->refused_address = true;
        hf_http_watch_attempt_over(request->client);
        return CURL_SOCKET_BAD;
    }
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

static CURLcode setup_on_tls(CURL *easy, void *tls, void *context)
{
    (void)easy;
    (void)tls;
    hf_http_request_enter(((struct http_handle *)context)->request, PHASE_TLS);
    return CURLE_OK;
}

/* Called each time before a request is sent, for any reason and on any connection. libcurl repeats
 * a request if a reused connection closes before the response, although the server may have
 * executed it: this is called a second time, and refuses. */
static int setup_on_issue(void *context, char *to, char *from, int to_port, int from_port)
{
    struct http_handle *handle = context;
    http_request *request = handle->request;

    (void)to, (void)from, (void)to_port, (void)from_port;
    handle->connects = true;
    if (request->direct && !request->over) /* nothing is sent by libcurl */
        return CURL_PREREQFUNC_OK;
    if (request->over || setup_is_repeat(request))
        return CURL_PREREQFUNC_ABORT;
    request->repeated = request->repeated || request->issued;
    request->issued = request->was_issued = true;
    request->body_sent = 0;
    hf_http_request_enter(request, request->reads_body ? PHASE_SEND : PHASE_ANSWER);
    return CURL_PREREQFUNC_OK;
}

/* ---- the body ---- */

static size_t setup_on_read(char *room, size_t one, size_t n, void *context)
{
    http_request *request = ((struct http_handle *)context)->request;
    const char *body = request->options.body;
    size_t left = request->options.body_size - request->body_sent;

    if (request->over)
        return CURL_READFUNC_ABORT;
    n = one * n < left ? one * n : left;
    if (n)
        memcpy(room, body + request->body_sent, n);
    request->body_sent += n;
    /* The response may arrive before the body has been sent. */
    hf_http_request_enter(request, request->phase == PHASE_BODY ? PHASE_BODY
                                   : n < left                   ? PHASE_SEND
                                                                : PHASE_ANSWER);
    return n;
}

/* libcurl reads a body from its beginning to repeat the request, in some versions before it opens
 * another connection; and then, on a handle that was refused this, once before the next request. */
static int setup_on_seek(void *context, curl_off_t offset, int origin)
{
    http_request *request = ((struct http_handle *)context)->request;

    if (setup_is_repeat(request) || offset || origin != SEEK_SET)
        return CURL_SEEKFUNC_FAIL;
    request->body_sent = 0;
    return CURL_SEEKFUNC_OK;
}

/* ---- options ---- */

/* Numbers that are the same for every request. */
static const struct setup_number {
    CURLoption option;
    long value;
} setup_numbers[] = {
    {CURLOPT_NOSIGNAL, 1},
    {CURLOPT_NOPROGRESS, 1},
    {CURLOPT_FOLLOWLOCATION, 0},
    {CURLOPT_NETRC, CURL_NETRC_IGNORED},
    {CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1},
    {CURLOPT_HTTP09_ALLOWED, 0},
    {CURLOPT_PATH_AS_IS, 1},
    {CURLOPT_SUPPRESS_CONNECT_HEADERS, 1},
    {CURLOPT_QUICK_EXIT, 1}, /* a pending name resolution does not delay the exit */
    {CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2},
    {CURLOPT_TCP_KEEPALIVE, 1},
};

/* Keeps the first failure, so that callers check once, at the end. */
struct setup {
    CURL *easy;
    CURLcode code;
};

static void setup_long(struct setup *setup, CURLoption option, long value)
{
    if (!setup->code)
        setup->code = curl_easy_setopt(setup->easy, option, value);
}

static void setup_pointer(struct setup *setup, CURLoption option, const void *value)
{
    if (!setup->code)
        setup->code = curl_easy_setopt(setup->easy, option, value);
}

#define setup_function(setup, option, function)                                                    \
    do {                                                                                           \
        if (!(setup)->code)                                                                        \
            (setup)->code = curl_easy_setopt((setup)->easy, option, function);                     \
    } while (0)

static void setup_contexts(struct setup *setup, struct http_handle *handle)
{
    static const CURLoption contexts[] = {
        CURLOPT_PRIVATE,  CURLOPT_WRITEDATA,  CURLOPT_HEADERDATA,     CURLOPT_READDATA,
        CURLOPT_SEEKDATA, CURLOPT_PREREQDATA, CURLOPT_OPENSOCKETDATA, CURLOPT_RESOLVER_START_DATA};

    for (size_t i = 0; i < sizeof contexts / sizeof *contexts; i++)
        setup_pointer(setup, contexts[i], handle);
    setup_pointer(setup, CURLOPT_ERRORBUFFER, handle->reason);
    /* Not every TLS library reports its start: without that, the connect timeout includes TLS. */
    curl_easy_setopt(setup->easy, CURLOPT_SSL_CTX_DATA, handle);
}

static void setup_callbacks(struct setup *setup, http_client *client)
{
    setup_function(setup, CURLOPT_WRITEFUNCTION, hf_http_response_on_body);
    setup_function(setup, CURLOPT_HEADERFUNCTION, hf_http_response_on_line);
    setup_function(setup, CURLOPT_READFUNCTION, setup_on_read);
    setup_function(setup, CURLOPT_SEEKFUNCTION, setup_on_seek);
    setup_function(setup, CURLOPT_PREREQFUNCTION, setup_on_issue);
    setup_function(setup, CURLOPT_RESOLVER_START_FUNCTION, setup_on_resolve);
    setup_function(setup, CURLOPT_OPENSOCKETFUNCTION, setup_on_open);
    setup_function(setup, CURLOPT_CLOSESOCKETFUNCTION, hf_http_watch_socket_closes);
    setup_pointer(setup, CURLOPT_CLOSESOCKETDATA, client); /* outlives the request */
    curl_easy_setopt(setup->easy, CURLOPT_SSL_CTX_FUNCTION, setup_on_tls);
}

static void setup_tls(struct setup *setup, const struct http_client_options *options)
{
    setup_long(setup, CURLOPT_SSL_VERIFYPEER, !options->skip_verification);
    setup_long(setup, CURLOPT_SSL_VERIFYHOST, options->skip_verification ? 0 : 2);
    /* Either option replaces both of libcurl's built-in locations. */
    if (options->ca_file || options->ca_dir) {
        setup_pointer(setup, CURLOPT_CAINFO, options->ca_file);
        setup_pointer(setup, CURLOPT_CAPATH, options->ca_dir);
    }
    if (options->certificate)
        setup_pointer(setup, CURLOPT_SSLCERT, options->certificate);
    if (options->key)
        setup_pointer(setup, CURLOPT_SSLKEY, options->key);
    if (options->key_password)
        setup_pointer(setup, CURLOPT_KEYPASSWD, options->key_password);
}

static void setup_proxy(struct setup *setup, const struct http_client_options *options)
{
    if (options->proxy || !options->proxy_from_environment) {
        setup_pointer(setup, CURLOPT_PROXY, options->proxy ? options->proxy : "");
        setup_pointer(setup, CURLOPT_NOPROXY, "");
    }
}

/* ---- headers ---- */

static bool setup_has(const struct http_request_options *options, const char *name)
{
    for (size_t i = 0; i < options->n_headers; i++)
        if (!strcasecmp(options->headers[i].name, name))
            return true;
    return false;
}

/* Writes a line, linked to the next. libcurl interprets "Name:" with nothing or blanks behind it as
 * removal, and "Name;" as an empty header. */
static char *setup_write_line(struct curl_slist *line, char *at, const struct http_field *field)
{
    size_t name = strlen(field->name), value = strlen(field->value);

    *line = (struct curl_slist){.data = at, .next = line + 1};
    memcpy(at, field->name, name);
    memcpy(at + name, ": ", 2);
    memcpy(at + name + 2, field->value, value + 1);
    if (hf_http_check_is_blank(field->value))
        memcpy(at + name, ";", sizeof ";");
    return at + name + value + sizeof ": ";
}

static size_t setup_line_size(const struct http_field *field)
{
    return strlen(field->name) + strlen(field->value) + sizeof ": ";
}

/* Links a line that removes a header which libcurl would add. */
static char *setup_write_removal(struct curl_slist *line, char *at, const char *name)
{
    size_t size = strlen(name);

    *line = (struct curl_slist){.data = at, .next = line + 1};
    memcpy(at, name, size);
    memcpy(at + size, ":", sizeof ":");
    return at + size + sizeof ":";
}

/* libcurl reads the list, and does not own it: one block has the lines and their text. The client's
 * name is also a line, because libcurl formats the option for it twice. */
static bool setup_headers(http_request *request, const struct http_request_options *options)
{
    static const char expect[] = "Expect", type[] = "Content-Type";
    const haft_allocator *allocator = request->client->allocator;
    struct http_field agent = {"User-Agent", request->client->options.user_agent};
    bool adds_agent = *agent.value && !setup_has(options, agent.name);
    bool has_type = setup_has(options, type), may_expect = options->body_size > NO_EXPECT_BODY;
    size_t n = options->n_headers + adds_agent + !has_type + may_expect;
    size_t size = n * sizeof *request->lines + setup_line_size(&agent) + sizeof expect +
                  sizeof type + 2 * sizeof ":";
    struct curl_slist *line;
    char *at;

    for (size_t i = 0; i < options->n_headers; i++)
        size += setup_line_size(&options->headers[i]);
    line = allocator->alloc(allocator->context, size);
    if (!line)
        return false;
    request->lines = line;
    request->lines_size = size;
    at = (char *)(line + n);
    if (adds_agent)
        at = setup_write_line(line++, at, &agent);
    for (size_t i = 0; i < options->n_headers; i++)
        at = setup_write_line(line++, at, &options->headers[i]);
    if (!has_type)
        at = setup_write_removal(line++, at, type);
    if (may_expect)
        setup_write_removal(line++, at, expect);
    line[-1].next = NULL;
    return true;
}

void hf_http_setup_release(http_request *request)
{
    const haft_allocator *allocator = request->client->allocator;

    if (!request->lines)
        return;
    explicit_bzero(request->lines, request->lines_size);
    allocator->release(allocator->context, request->lines, request->lines_size);
    request->lines = NULL;
}

/* ---- everything ---- */

bool hf_http_setup_method_sends(const char *method)
{
    return !strcmp(method, "POST") || !strcmp(method, "PUT") || !strcmp(method, "PATCH");
}

CURLcode hf_http_setup_method(http_request *request, const char *method, bool with_body)
{
    struct setup setup = {.easy = request->easy};
    const char *name = NULL; /* if it is not the one that libcurl takes of itself */
    bool posts;

    request->head_only = !strcmp(method, "HEAD");
    request->with_body = with_body && request->options.body_size > 0;
    posts = request->with_body || (with_body && hf_http_setup_method_sends(method));
    setup_long(&setup,
               request->head_only ? CURLOPT_NOBODY
               : posts            ? CURLOPT_POST
                                  : CURLOPT_HTTPGET,
               1);
    if (!request->head_only && strcmp(method, posts ? "POST" : "GET") != 0)
        name = method;
    if (!setup.code)
        setup.code =
            curl_easy_setopt(request->easy, CURLOPT_POSTFIELDSIZE_LARGE,
                             (curl_off_t)(request->with_body ? request->options.body_size : 0));
    /* A small body is sent with the head. libcurl copies it, since it may still be sending when the
     * request is over. */
    request->reads_body = request->with_body && request->options.body_size > SMALL_BODY;
    if (request->with_body && !request->reads_body)
        setup_pointer(&setup, CURLOPT_COPYPOSTFIELDS, request->options.body);
    if (name || request->handle->has_method)
        setup_pointer(&setup, CURLOPT_CUSTOMREQUEST, name);
    request->handle->has_method = name;
    return setup.code;
}

bool hf_http_setup_is_main(const http_client *client, const char *url)
{
    return client->main_url && !strcmp(client->main_text, url);
}

/* Whether libcurl can parse it. Most clients send all requests to one URL, which is parsed once. */
static int setup_check_url(http_client *client, const char *url)
{
    size_t size = strlen(url) + 1;
    CURLU *parsed;
    CURLUcode code;

    if (hf_http_setup_is_main(client, url))
        return 0;
    parsed = curl_url();
    if (!parsed)
        return HAFT_ENOMEM;
    code = curl_url_set(parsed, CURLUPART_URL, url, CURLU_DISALLOW_USER | CURLU_PATH_AS_IS);
    if (!code && !client->main_url && size <= sizeof client->main_text) {
        memcpy(client->main_text, url, size);
        client->main_url = parsed;
        return 0;
    }
    curl_url_cleanup(parsed);
    return !code ? 0 : code == CURLUE_OUT_OF_MEMORY ? HAFT_ENOMEM : HAFT_EINVAL;
}

/* Text would be parsed again by libcurl for each request. A parsed URL takes precedence over it, and
 * the text of an earlier one would remain. */
static void setup_url(struct setup *setup, http_request *request, const char *url)
{
    http_client *client = request->client;
    bool is_main = hf_http_setup_is_main(client, url);

    if (is_main && request->handle->at_main)
        return;
    setup_pointer(setup, CURLOPT_CURLU, is_main ? client->main_url : NULL);
    setup_pointer(setup, CURLOPT_URL, is_main ? NULL : url);
    request->handle->at_main = is_main;
}

static void setup_same(struct setup *setup, http_client *client, struct http_handle *handle)
{
    const struct http_client_options *options = &client->options;

    for (size_t i = 0; i < sizeof setup_numbers / sizeof *setup_numbers; i++)
        setup_long(setup, setup_numbers[i].option, setup_numbers[i].value);
    setup_callbacks(setup, client);
    setup_contexts(setup, handle);
    setup_tls(setup, options);
    setup_proxy(setup, options);
    setup_pointer(setup, CURLOPT_PROTOCOLS_STR, "http,https");
    if (options->proxy || options->proxy_from_environment) /* CONNECT has none of our headers */
        setup_pointer(setup, CURLOPT_USERAGENT, options->user_agent);
    /* Our timeouts apply, so libcurl's are disabled. */
    setup_long(setup, CURLOPT_CONNECTTIMEOUT_MS, INT32_MAX);
    setup_long(setup, CURLOPT_MAXAGE_CONN, (long)(options->idle_ms / 1000 + 1));
}

/* Sets what few requests have, or the one before had. */
static void setup_rare(struct setup *setup, struct http_handle *handle,
                       const struct http_request_options *options)
{
    if (options->unix_socket || handle->at_socket)
        setup_pointer(setup, CURLOPT_UNIX_SOCKET_PATH, options->unix_socket);
    if (options->decode != handle->decodes)
        setup_pointer(setup, CURLOPT_ACCEPT_ENCODING, options->decode ? "" : NULL);
    handle->at_socket = options->unix_socket;
    handle->decodes = options->decode;
}

int hf_http_setup(http_request *request, const struct http_request_options *options)
{
    struct http_handle *handle = request->handle;
    struct setup setup = {.easy = handle->easy};
    bool prepared = handle->prepared;
    int status = setup_check_url(request->client, options->url);

    handle->prepared = false; /* until it has ended in order */
    if (status)
        return status;
    if (!setup_headers(request, options))
        return HAFT_ENOMEM;
    if (!prepared) {
        handle->at_main = handle->has_method = handle->at_socket = handle->decodes = false;
        setup_same(&setup, request->client, handle);
    }
    setup_url(&setup, request, options->url);
    setup_pointer(&setup, CURLOPT_HTTPHEADER, request->lines);
    setup_rare(&setup, handle, options);
    if (!setup.code)
        setup.code = hf_http_setup_method(request, options->method, true);
    return !setup.code ? 0 : setup.code == CURLE_OUT_OF_MEMORY ? HAFT_ENOMEM : HAFT_EINVAL;
}

/* Nobody else is given the connection: libcurl neither reuses nor keeps one of these.  (To forbid reuse
 * would have it closed as soon as it is connected.) */
bool hf_http_setup_connect_only(CURL *easy)
{
    static const CURLoption options[] = {CURLOPT_CONNECT_ONLY, CURLOPT_FRESH_CONNECT,
                                         CURLOPT_HTTPPROXYTUNNEL};

    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (curl_easy_setopt(easy, options[i], 1L))
            return false;
    return true;
}

int hf_http_setup_connection(http_request *request, const struct http_place *place)
{
    struct http_handle *handle = request->handle;
    struct setup setup = {.easy = handle->easy};

    if (handle->prepared)
        curl_easy_reset(handle->easy);
    handle->prepared = false;
    setup_same(&setup, request->client, handle);
    setup_pointer(&setup, CURLOPT_URL, place->origin);
    if (place->unix_socket)
        setup_pointer(&setup, CURLOPT_UNIX_SOCKET_PATH, place->unix_socket);
    return !setup.code && hf_http_setup_connect_only(handle->easy) ? 0 : HAFT_ENOMEM;
}

bool hf_http_setup_forget(CURL *easy)
{
    struct setup setup = {.easy = easy};

    setup_pointer(&setup, CURLOPT_HTTPHEADER, NULL);
    setup_pointer(&setup, CURLOPT_POSTFIELDS, NULL); /* frees the copy of the body */
    return !setup.code;
}
