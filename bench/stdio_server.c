/* stdio_server.c - the smallest server: one tool on standard input and output.
 *
 * Its size, memory and start-up time are the base cost of a server. */
#include "add.h"

int main(void)
{
    haft_server *server = haft_server_new("bench", "1.0.0");
    int status = haft_add(server, &add_tool);

    if (!status)
        status = haft_stdio_serve(server, NULL);
    haft_server_free(server);
    return status != 0;
}
