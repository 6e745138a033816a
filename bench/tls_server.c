/* tls_server.c PORT CERTIFICATE KEY - the server of http_server.c with TLS. */
#include <stdio.h>

#include "add.h"

int main(int argc, char **argv)
{
    char address[64];
    const char *certificates[2] = {NULL}, *keys[2] = {NULL};
    haft_server *server = haft_server_new("bench", "1.0.0");
    haft_reason reason = {0};
    int status;

    if (argc != 4 || !server || haft_add(server, &add_tool))
        return 2;
    snprintf(address, sizeof address, "127.0.0.1:%s", argv[1]);
    certificates[0] = argv[2];
    keys[0] = argv[3];
    status = haft_http_serve(server,
                             HAFT_WITH(haft_http_options, .address = address,
                                       .max_connections = 20000, .idle_ms = 600000,
                                       .tls_certificates = certificates, .tls_keys = keys),
                             &reason);
    if (status)
        fprintf(stderr, "%s: %s\n", reason.path, reason.text);
    haft_server_free(server);
    return status != 0;
}
