/* stdio_server.c - the smallest server there is: one tool on standard input and output.
 *
 * Its size, its memory and how soon it answers are what a server costs before it does anything. */
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
