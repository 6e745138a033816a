/* home.c - everything that a server of the home offers. */
#include "home.h"

#include "registry.h"
#include "resources.h"

int home_add(haft_server *server, const struct home_options *options)
{
    int status = home_add_tools(server, options);

    if (!status)
        status = home_add_resources(server);
    return status ? status : home_add_prompts(server);
}
