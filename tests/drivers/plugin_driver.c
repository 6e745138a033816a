/* plugin_driver.c - a server that offers what its plugins do, and nothing else. */
#include <haft.h>

int main(int argc, char **argv)
{
    haft_server *server = haft_server_new("plugins", "1.0.0");
    haft_plugins *plugins = server ? haft_plugins_new(server) : NULL;
    int status = 1;

    if (plugins && !haft_section_add(server, haft_plugins_section(plugins)))
        status = haft_main(server, argc, argv);
    haft_plugins_free(plugins);
    return status;
}
