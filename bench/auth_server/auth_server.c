/* auth_server.c - the server for benchmarks of authentication.
 *
 *     auth-server ADDRESS [issuer=URL resource=URL [uncached=1]] [keys=FILE]
 *     auth-server ADDRESS verify=KEY.pem signature=FILE message=FILE
 *
 * Without an issuer and keys it authenticates nobody; `uncached` verifies a token each time. `verify`
 * has OpenSSL verify the same signature for each request, whatever the request is. */
#include <haft/authenticate.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "add.h"
#include "verify.h"

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

/* ---- OpenSSL alone ---- */

struct bare {
    EVP_PKEY *key;
    struct bytes message, signature;
};

static int admit_verified(void *context, haft_request *request, const haft_responder *responder,
                          void *response)
{
    const struct bare *bare = context;

    (void)request, (void)responder, (void)response;
    return verify(bare->key, &bare->message, &bare->signature) ? 0 : HAFT_EINVAL;
}

static bool read_bytes(const char *path, struct bytes *ret_bytes)
{
    FILE *file = path ? fopen(path, "r") : NULL;

    read_all(file, ret_bytes);
    if (file)
        fclose(file);
    return ret_bytes->size;
}

static int read_bare(char **arguments, struct bare *bare)
{
    bare->key = read_key(argument(arguments, "verify"));
    return bare->key && read_bytes(argument(arguments, "message"), &bare->message) &&
                   read_bytes(argument(arguments, "signature"), &bare->signature)
               ? 0
               : HAFT_EINVAL;
}

int main(int argc, char **argv)
{
    static struct bare bare;
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
    if (argument(argv, "verify")) {
        status = status ? status : read_bare(argv, &bare);
        options.admit = admit_verified;
        options.admit_context = &bare;
    }
    if (!status)
        status = haft_http_serve(server, &options, &reason);
    if (status)
        fprintf(stderr, "auth-server: %s\n", reason.text);
    haft_server_free(server);
    haft_authenticator_free(authenticator);
    return status ? EXIT_FAILURE : EXIT_SUCCESS;
}
