/* fetch-url.c - a tool that fetches a web page, with limits on time and size.
 *
 * A model chooses the URL, so the tool refuses addresses that only this machine or its network can
 * reach: loopback, private, link-local and other special ranges.  The check is on the address that
 * libcurl is about to connect to, for each connection and each redirect; a name that resolves to
 * another address the second time (DNS rebinding) does not pass it.
 *
 * FETCH_URL_ALLOW_PRIVATE=1 in the environment turns the check off, for tests and intranets. */
#define _DEFAULT_SOURCE /* SOCK_CLOEXEC */
#include <curl/curl.h>
#include <haft.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { MAX_BYTES = 1 << 20, TIMEOUT_MS = 10000, CONNECT_TIMEOUT_MS = 5000, MAX_REDIRECTS = 5 };

HAFT_STRUCT(fetch_args,
    HAFT_STRING(url, "http or https URL to fetch", .format = HAFT_FORMAT_URL, .max = 2048),
    HAFT_DEFAULT(HAFT_NAMED("maxBytes",
                            HAFT_INTEGER(max_bytes, "Fail if the body is longer than this",
                                         .min = 1, .max = MAX_BYTES)),
                 MAX_BYTES));

HAFT_STRUCT(fetched,
    HAFT_STRING(url, "URL of the response, after redirects"),
    HAFT_INTEGER(status, "HTTP status code"),
    HAFT_NAMED("contentType", HAFT_STRING(content_type, "Content-Type header, or empty")),
    HAFT_STRING(text, "Body of the response"));

/* ---- which addresses are refused ---- */

/* The first `bits` bits of an address. */
struct network {
    unsigned char prefix[16];
    unsigned bits;
};

static const struct network refused4[] = {
    {{0}, 8},             /* this network */
    {{10}, 8},            /* private */
    {{100, 64}, 10},      /* shared, carrier-grade NAT */
    {{127}, 8},           /* loopback */
    {{169, 254}, 16},     /* link-local; metadata services of clouds */
    {{172, 16}, 12},      /* private */
    {{192, 0, 0}, 24},    /* protocol assignments */
    {{192, 0, 2}, 24},    /* documentation */
    {{192, 88, 99}, 24},  /* 6to4 relays */
    {{192, 168}, 16},     /* private */
    {{198, 18}, 15},      /* benchmarks */
    {{198, 51, 100}, 24}, /* documentation */
    {{203, 0, 113}, 24},  /* documentation */
    {{224}, 3},           /* multicast, reserved, broadcast */
};

/* Only 2000::/3 is global unicast; these parts of it are not, or contain an IPv4 address. */
static const struct network global6 = {{0x20}, 3};
static const struct network refused6[] = {
    {{0x20, 0x01}, 23},             /* protocol assignments, Teredo */
    {{0x20, 0x01, 0x0d, 0xb8}, 32}, /* documentation */
    {{0x20, 0x02}, 16},             /* 6to4 */
    {{0x3f, 0xff}, 20},             /* documentation */
};

/* The last four bytes of these are an IPv4 address. */
static const struct network mapped = {{[10] = 0xff, [11] = 0xff}, 96};
static const struct network nat64 = {{0x00, 0x64, 0xff, 0x9b}, 96};

static bool is_in(const unsigned char *address, const struct network *network)
{
    size_t bytes = network->bits / 8;
    unsigned char mask = (unsigned char)(0xff00u >> network->bits % 8);

    return !memcmp(address, network->prefix, bytes) &&
           (!(network->bits % 8) || (address[bytes] & mask) == network->prefix[bytes]);
}

static bool is_in_any(const unsigned char *address, const struct network *networks, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (is_in(address, &networks[i]))
            return true;
    return false;
}

static bool is_public4(const unsigned char *address)
{
    return !is_in_any(address, refused4, sizeof refused4 / sizeof *refused4);
}

static bool is_public(const struct sockaddr *address)
{
    if (address->sa_family == AF_INET)
        return is_public4((const unsigned char *)&((const struct sockaddr_in *)address)->sin_addr);
    if (address->sa_family == AF_INET6) {
        const unsigned char *bytes = ((const struct sockaddr_in6 *)address)->sin6_addr.s6_addr;

        if (is_in(bytes, &mapped) || is_in(bytes, &nat64))
            return is_public4(bytes + 12);
        return is_in(bytes, &global6) &&
               !is_in_any(bytes, refused6, sizeof refused6 / sizeof *refused6);
    }
    return false;
}

/* ---- a fetch ---- */

struct fetch {
    haft_call *call;
    bool allow_private;
    bool refused; /* an address was not public */
    bool too_big;
    char *body;
    size_t size, max;
};

static curl_socket_t open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address)
{
    struct fetch *fetch = context;

    (void)purpose;
    if (!fetch->allow_private && !is_public(&address->addr)) {
        fetch->refused = true;
        return CURL_SOCKET_BAD;
    }
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

static size_t receive(char *data, size_t size, size_t count, void *context)
{
    struct fetch *fetch = context;

    size *= count;
    if (size > fetch->max - fetch->size) {
        fetch->too_big = true;
        return CURL_WRITEFUNC_ERROR;
    }
    memcpy(fetch->body + fetch->size, data, size);
    fetch->size += size;
    return size;
}

/* Ends the transfer when the client has cancelled the call. */
static int progress(void *context, curl_off_t down, curl_off_t downloaded, curl_off_t up,
                    curl_off_t uploaded)
{
    const struct fetch *fetch = context;

    (void)down, (void)downloaded, (void)up, (void)uploaded;
    return haft_call_cancelled(fetch->call);
}

static CURLcode configure(CURL *curl, const char *url, struct fetch *fetch)
{
    CURLcode code = curl_easy_setopt(curl, CURLOPT_URL, url);

#define SET(option, value) (code = code ? code : curl_easy_setopt(curl, CURLOPT_##option, value))
    SET(PROTOCOLS_STR, "http,https");
    SET(REDIR_PROTOCOLS_STR, "http,https");
    SET(PROXY, ""); /* ignore http_proxy: a proxy would resolve names without our check */
    SET(FOLLOWLOCATION, 1L);
    SET(MAXREDIRS, (long)MAX_REDIRECTS);
    SET(NOSIGNAL, 1L); /* this runs on a worker thread */
    SET(CONNECTTIMEOUT_MS, (long)CONNECT_TIMEOUT_MS);
    SET(TIMEOUT_MS, (long)TIMEOUT_MS);
    SET(USERAGENT, "haft-fetch-url/1.0");
    SET(OPENSOCKETFUNCTION, open_socket);
    SET(OPENSOCKETDATA, fetch);
    SET(WRITEFUNCTION, receive);
    SET(WRITEDATA, fetch);
    SET(NOPROGRESS, 0L);
    SET(XFERINFOFUNCTION, progress);
    SET(XFERINFODATA, fetch);
#undef SET
    return code;
}

static int report(const struct fetch *fetch, const char *url, CURLcode code)
{
    if (fetch->refused)
        return haft_error(fetch->call, "Refused to fetch %s: its address is not public", url);
    if (fetch->too_big)
        return haft_error(fetch->call, "Failed to fetch %s: the body is over %zu bytes", url,
                          fetch->max);
    return haft_error(fetch->call, "Failed to fetch %s: %s", url, curl_easy_strerror(code));
}

/* Copies what libcurl frees with the handle. */
static const char *keep(haft_call *call, const char *text)
{
    size_t size = text ? strlen(text) + 1 : 1;
    char *copy = haft_call_alloc(call, size);

    if (copy)
        memcpy(copy, text ? text : "", size);
    return copy;
}

static int finish(struct fetch *fetch, CURL *curl, fetched *out)
{
    char *url = NULL;
    char *type = NULL;
    long status = 0;

    curl_easy_getinfo(curl, CURLINFO_EFFECTIVE_URL, &url);
    curl_easy_getinfo(curl, CURLINFO_CONTENT_TYPE, &type);
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    if (haft_utf8_valid(fetch->body, fetch->size) != fetch->size ||
        memchr(fetch->body, 0, fetch->size))
        return haft_error(fetch->call, "Failed to fetch %s: the body is not UTF-8 text", url);
    fetch->body[fetch->size] = 0;
    out->url = keep(fetch->call, url);
    out->content_type = keep(fetch->call, type);
    out->status = status;
    out->text = fetch->body;
    return out->url && out->content_type ? 0 : HAFT_ENOMEM;
}

static int fetch_url(haft_call *call, const fetch_args *in, fetched *out)
{
    const char *allow = getenv("FETCH_URL_ALLOW_PRIVATE");
    struct fetch fetch = {
        .call = call,
        .allow_private = allow && !strcmp(allow, "1"),
        .max = (size_t)in->max_bytes,
    };
    CURL *curl;
    CURLcode code;
    int status;

    fetch.body = haft_call_alloc(call, fetch.max + 1);
    if (!fetch.body)
        return HAFT_ENOMEM;
    curl = curl_easy_init();
    if (!curl)
        return HAFT_ENOMEM;
    code = configure(curl, in->url, &fetch);
    if (!code)
        code = curl_easy_perform(curl);
    status = code ? report(&fetch, in->url, code) : finish(&fetch, curl, out);
    curl_easy_cleanup(curl);
    return status;
}
HAFT_TOOL(fetch_url, fetch_args, fetched, "Fetch a text page from the web over HTTP or HTTPS",
          .annotations = {.title = "Fetch URL",
                          .read_only = HAFT_YES,
                          .destructive = HAFT_NO,
                          .idempotent = HAFT_YES,
                          .open_world = HAFT_YES});

int main(int argc, char **argv)
{
    haft_server *server;
    int status;

    if (curl_global_init(CURL_GLOBAL_DEFAULT))
        return 1;
    server = haft_server_new("fetch-server", "1.0.0");
    if (server)
        haft_add(server, &fetch_url_tool);
    status = haft_main(server, argc, argv);
    curl_global_cleanup();
    return status;
}
