/* authorizer.c - what all authorizers share, and the one with a fixed bearer token.
 *
 * A token goes to one origin: that of the first request. It does not go over http to another machine,
 * where everyone on the way could read it; a program that wants that adds the header to its target. */
#include "auth/authorizer.h"

#include <string.h>
#include <strings.h>

#include "base/base.h"
#include "base/sha256.h"
#include "base/url.h"

enum { BEARER_ORIGIN = 512 };

struct bearer {
    haft_authorizer base;
    char origin[BEARER_ORIGIN]; /* scheme and authority; "" before the first request */
    size_t size;
    char value[]; /* "Bearer TOKEN" */
};

void haft_authorizer_free(haft_authorizer *authorizer)
{
    if (authorizer)
        authorizer->class->free(authorizer);
}

bool haft_authorizer_has_token(const haft_authorizer *authorizer, const char *url)
{
    return authorizer && url && authorizer->class->has_token(authorizer, url);
}

/* ---- origins ---- */

/* The length of the scheme and the authority of a URL. */
static size_t bearer_origin_size(const char *url)
{
    struct url parts = hf_url_split(url, strlen(url));

    return parts.authority.text ? (size_t)(parts.authority.text + parts.authority.size - url) : 0;
}

static bool bearer_begins(const char *text, const char *prefix)
{
    return !strncasecmp(text, prefix, strlen(prefix));
}

/* Whether the host is this machine: 127.0.0.0/8, ::1 or localhost. */
static bool bearer_is_here(const char *host)
{
    static const char *const hosts[] = {"localhost", "[::1]"};
    size_t size = strcspn(host, *host == '[' ? "/?#" : ":/?#");

    if (memchr(host, '@', strcspn(host, "/?#")))
        return false; /* what precedes it is a user name, not the host */
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++)
        if (bearer_begins(host, hosts[i]) &&
            (!host[strlen(hosts[i])] || strchr(":/?#", host[strlen(hosts[i])])))
            return true;
    return bearer_begins(host, "127.") && strspn(host, "0123456789.") == size;
}

static bool bearer_is_safe(const char *url)
{
    return bearer_begins(url, "https://") ||
           (bearer_begins(url, "http://") && bearer_is_here(url + strlen("http://")));
}

static bool bearer_is_for(const struct bearer *bearer, const char *url)
{
    size_t size = bearer_origin_size(url);

    if (!size || size >= sizeof bearer->origin || !bearer_is_safe(url))
        return false;
    return !*bearer->origin ||
           (strlen(bearer->origin) == size && !strncasecmp(url, bearer->origin, size));
}

/* ---- the class ---- */

static int bearer_attach(haft_authorizer *authorizer, const struct authorizer_loop *loop,
                         haft_reason *reterr_reason)
{
    (void)authorizer, (void)loop, (void)reterr_reason;
    return 0;
}

static void bearer_detach(haft_authorizer *authorizer)
{
    (void)authorizer;
}

static int bearer_headers(haft_authorizer *authorizer, const char *method, const char *server,
                          const char *url, haft_arena *arena,
                          struct http_field ret_fields[AUTHORIZER_FIELDS], size_t *ret_n,
                          struct authorizer_wait *wait)
{
    struct bearer *bearer = (struct bearer *)authorizer;
    char *value;

    (void)method, (void)server, (void)wait;
    *ret_n = 0;
    if (!bearer_is_for(bearer, url))
        return 0;
    if (!*bearer->origin)
        memcpy(bearer->origin, url, bearer_origin_size(url));
    value = haft_arena_copy(arena, bearer->value, bearer->size);
    if (!value)
        return HAFT_ENOMEM;
    ret_fields[(*ret_n)++] = (struct http_field){"Authorization", value};
    return 0;
}

static int bearer_challenged(haft_authorizer *authorizer,
                             const struct authorizer_challenge *challenge,
                             struct authorizer_wait *wait, haft_reason *reterr_reason)
{
    (void)authorizer, (void)wait;
    return hf_error_set(
        reterr_reason, HAFT_EDENIED, "", "the server answered %d: %s", challenge->status,
        challenge->sent                  ? "it does not accept the token"
        : bearer_is_safe(challenge->url) ? "the token belongs to another server"
                                         : "the token is not sent over http to another machine");
}

static void bearer_cancel(haft_authorizer *authorizer, struct authorizer_wait *wait)
{
    (void)authorizer, (void)wait;
}

static bool bearer_has_token(const haft_authorizer *authorizer, const char *url)
{
    return bearer_is_for((const struct bearer *)authorizer, url);
}

static void bearer_free(haft_authorizer *authorizer)
{
    struct bearer *bearer = (struct bearer *)authorizer;
    const haft_allocator *allocator = hf_allocator_or_default(NULL);
    size_t size = sizeof *bearer + bearer->size + 1;

    hf_secret_wipe(bearer, size);
    allocator->release(allocator->context, bearer, size);
}

static const struct authorizer_class bearer_class = {.attach = bearer_attach,
                                                     .detach = bearer_detach,
                                                     .headers = bearer_headers,
                                                     .challenged = bearer_challenged,
                                                     .cancel = bearer_cancel,
                                                     .free = bearer_free,
                                                     .has_token = bearer_has_token};

/* A token68 of RFC 9110, and a little more: printable and without blanks. */
static bool bearer_is_valid(const char *token)
{
    for (const char *at = token; *at; at++)
        if (*at < 0x21 || *at > 0x7E)
            return false;
    return *token;
}

haft_authorizer *haft_bearer_new(const char *token)
{
    static const char prefix[] = "Bearer ";
    const haft_allocator *allocator = hf_allocator_or_default(NULL);
    size_t n = token ? strlen(token) : 0;
    struct bearer *bearer;

    if (!token || !bearer_is_valid(token))
        return NULL;
    bearer = allocator->alloc(allocator->context, sizeof *bearer + sizeof prefix + n);
    if (!bearer)
        return NULL;
    memset(bearer, 0, sizeof *bearer);
    bearer->base.class = &bearer_class;
    bearer->size = sizeof prefix - 1 + n;
    memcpy(bearer->value, prefix, sizeof prefix - 1);
    memcpy(bearer->value + sizeof prefix - 1, token, n + 1);
    return &bearer->base;
}
