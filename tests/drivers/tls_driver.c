/* tls_driver.c - a server with TLS, with public functions only:
 *
 *     tls-driver [cert=FILE]... [key=FILE]... [ca=FILE] [optional] [threads=N] [header=MS]
 *
 * It prints its URL when it listens. The query "certificate" is answered with
 * the fingerprint of the client. */
#include <haft.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

HAFT_STRUCT(add_args, HAFT_INTEGER(a, "First number"), HAFT_INTEGER(b, "Second number"));

static int add(haft_call *call, const add_args *in)
{
    return haft_text(call, "%lld", (long long)(in->a + in->b));
}
HAFT_TOOL_IN(add, add_args, "Adds two numbers", .quick = true);

static int show(void *context, haft_request *request, const haft_responder *responder,
                void *responder_context)
{
    haft_response response = {.status = 200, .body = request->certificate};

    (void)context;
    if (strcmp(request->query, "certificate") != 0)
        return 0;
    response.body = response.body ? response.body : "none";
    response.size = strlen(response.body);
    responder->respond(responder_context, &response);
    return HAFT_STOP;
}

static void ready(void *context, const char *url)
{
    (void)context;
    printf("%s\n", url);
    fflush(stdout);
}

/* The text behind the name and "="; NULL if the argument has another name. */
static const char *value_of(const char *argument, const char *name)
{
    size_t size = strlen(name);

    return !strncmp(argument, name, size) && argument[size] == '=' ? argument + size + 1 : NULL;
}

int main(int argc, char **argv)
{
    enum { MOST = 8 };
    const char *certificates[MOST + 1] = {NULL}, *keys[MOST + 1] = {NULL}, *value;
    size_t n_certificates = 0, n_keys = 0;
    haft_http_options options =
        HAFT_INIT(haft_http_options, .address = "127.0.0.1:0", .tls_certificates = certificates,
                  .tls_keys = keys, .admit = show, .ready = ready, .max_connections = 20000,
                  .idle_ms = 600000);
    haft_server *server = haft_server_new("tls", "1.0.0");
    haft_reason reason = {0};
    int status;

    for (int i = 1; i < argc; i++) {
        if ((value = value_of(argv[i], "cert")) && n_certificates < MOST)
            certificates[n_certificates++] = value;
        else if ((value = value_of(argv[i], "key")) && n_keys < MOST)
            keys[n_keys++] = value;
        else if ((value = value_of(argv[i], "ca")))
            options.tls_client_ca = value;
        else if ((value = value_of(argv[i], "threads")))
            options.threads = (unsigned)strtoul(value, NULL, 10);
        else if ((value = value_of(argv[i], "header")))
            options.header_ms = (unsigned)strtoul(value, NULL, 10);
        else if (!strcmp(argv[i], "optional"))
            options.tls_client_optional = true;
        else
            return 2;
    }
    if (!server || haft_add(server, &add_tool))
        return 1;
    status = haft_http_serve(server, &options, &reason);
    if (status)
        fprintf(stderr, "%s: %s\n", reason.path, reason.text);
    haft_server_free(server);
    return status ? 1 : 0;
}
