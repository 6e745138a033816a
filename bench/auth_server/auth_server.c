/* auth_server.c - the server for benchmarks of authentication.
 *
 *     auth-server ADDRESS [issuer=URL resource=URL [uncached=1]] [keys=FILE]
 *
 * Without an issuer and keys it authenticates nobody; `uncached` verifies a token each time. */
#include <haft/authenticate.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "add.h"

/* The value of NAME=VALUE, or NULL. */
static const char *argument(char **arguments, const char *name)
{
    for (; *arguments; arguments++)
        if (!strncmp(*arguments, name, strlen(name)) && (*arguments)[strlen(name)] == '=')
            return *arguments + strlen(name) + 1;
    return NULL;
}

static haft_authenticator *make_authenticator(char **arguments, haft_reason *reason)
{
    haft_issuer issuer = HAFT_INIT(haft_issuer, .url = argument(arguments, "issuer"));

    return haft_authenticator_new(
        HAFT_WITH(haft_authenticator_options, .resource = argument(arguments, "resource"),
                  .issuers = &issuer, .n_issuers = issuer.url != NULL,
                  .key_file = argument(arguments, "keys"),
                  .max_cached = argument(arguments, "uncached") ? SIZE_MAX : 0),
        reason);
}

int main(int argc, char **argv)
{
    haft_server *server = haft_server_new("bench", "1.0.0");
    haft_authenticator *authenticator = NULL;
    haft_http_options options = HAFT_INIT(haft_http_options, .address = argc > 1 ? argv[1] : NULL);
    haft_reason reason = {.text = ""};
    int status = haft_add(server, &add_tool);

    if (argument(argv, "issuer") || argument(argv, "keys")) {
        authenticator = make_authenticator(argv, &reason);
        status = authenticator ? status : HAFT_EINVAL;
        options.authenticator = authenticator;
    }
    if (!status)
        status = haft_http_serve(server, &options, &reason);
    if (status)
        fprintf(stderr, "auth-server: %s\n", reason.text);
    haft_server_free(server);
    haft_authenticator_free(authenticator);
    return status ? EXIT_FAILURE : EXIT_SUCCESS;
}
