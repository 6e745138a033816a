/* oauth_driver.c - an HTTP server whose program makes the authenticator itself, for tests from
 * outside.
 *
 *     oauth-driver NAME=VALUE ...
 *
 * The names are those below; with a cache and a skew of clocks that are short, a test sees the end
 * of a token without waiting for it. */
#include <haft.h>
#include <haft/access.h>
#include <haft/authenticate.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int whoami(haft_call *call)
{
    const haft_identity *identity = haft_call_identity(call);

    const char *name = !identity           ? "nobody"
                       : identity->subject ? identity->subject
                                           : identity->client;

    return haft_text(call, "%s with %s", name ? name : "nobody",
                     identity && identity->scopes ? identity->scopes : "no scopes");
}
HAFT_TOOL_BARE(whoami, "Says who calls", .quick = true);

static int list_notes(haft_call *call)
{
    return haft_text(call, "%s", haft_call_has_scope(call, "notes:write") ? "yours" : "read only");
}
HAFT_TOOL_BARE(list_notes, "Wants to read", .quick = true, .scopes = "notes:read");

static int add_note(haft_call *call)
{
    return haft_text(call, "Noted.");
}
HAFT_TOOL_BARE(add_note, "Wants to write", .quick = true, .scopes = "notes:write");

static void put_line(void *context, haft_level level, const char *text, size_t size)
{
    (void)context;
    (void)level;
    fprintf(stderr, "%.*s\n", (int)size, text);
}

static void put_url(void *context, const char *url)
{
    (void)context;
    fprintf(stderr, "listening on %s\n", url);
}

/* The value of NAME=VALUE, or NULL. */
static const char *argument(char **arguments, const char *name)
{
    for (; *arguments; arguments++)
        if (!strncmp(*arguments, name, strlen(name)) && (*arguments)[strlen(name)] == '=')
            return *arguments + strlen(name) + 1;
    return NULL;
}

static unsigned number(char **arguments, const char *name)
{
    const char *value = argument(arguments, name);

    return value ? (unsigned)strtoul(value, NULL, 10) : 0;
}

static haft_authenticator *make_authenticator(char **arguments, haft_reason *reason)
{
    haft_issuer issuer = HAFT_INIT(haft_issuer, .url = argument(arguments, "issuer"),
                                   .introspection = argument(arguments, "introspection"),
                                   .client_id = argument(arguments, "client"),
                                   .client_secret = argument(arguments, "secret"));

    return haft_authenticator_new(
        HAFT_WITH(haft_authenticator_options, .resource = argument(arguments, "resource"),
                  .scopes = argument(arguments, "scopes"), .issuers = &issuer,
                  .n_issuers = issuer.url != NULL, .key_file = argument(arguments, "keys"),
                  .skew_s = number(arguments, "skew"), .cache_ms = number(arguments, "cache"),
                  .log = put_line),
        reason);
}

int main(int argc, char **argv)
{
    haft_server *server = haft_server_new("oauth-driver", "1.0.0");
    haft_reason reason = {.text = ""};
    haft_authenticator *authenticator = make_authenticator(argv + (argc > 0), &reason);
    int status = HAFT_EINVAL;

    if (server && authenticator && !haft_add(server, &whoami_tool) &&
        !haft_add(server, &list_notes_tool) && !haft_add(server, &add_note_tool))
        status = haft_http_serve(server,
                                 HAFT_WITH(haft_http_options, .address = argument(argv, "address"),
                                           .authenticator = authenticator, .ready = put_url,
                                           .log = put_line),
                                 &reason);
    if (status)
        fprintf(stderr, "oauth-driver: %s\n", reason.text);
    haft_server_free(server);
    haft_authenticator_free(authenticator);
    return status ? EXIT_FAILURE : EXIT_SUCCESS;
}
