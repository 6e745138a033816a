/* plugin.c - the home as a plugin, for `haft serve home.so`.
 *
 * Its options are the environment variables of `haft home`: HASS_HOST, HASS_TOKEN or HASS_TOKEN_FILE,
 * HASS_CA, HASS_ENTITIES, HASS_AUDIO_DIR and ENABLE_SPEECH_FEATURES. */
#include <haft/plugin.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sha256.h"
#include "hass/net_link.h"
#include "registry.h"
#include "serve/settings.h"

enum { HOME_PLUGIN_TOOLS = 64 };

/* The plugin is loaded once for each copy of this file, so that these are set once, by `start`. */
static const haft_tool *home_plugin_tools[HOME_PLUGIN_TOOLS + 1];
static struct home_client home_plugin_client;

static const char *home_plugin_variable(const char *name)
{
    const char *value = getenv(name);

    return value && *value ? value : NULL;
}

static bool home_plugin_flag(const char *name, bool otherwise)
{
    const char *value = home_plugin_variable(name);

    return value ? !strcmp(value, "true") || !strcmp(value, "1") || !strcmp(value, "yes")
                 : otherwise;
}

/* Reads the variables; the token goes to `token`. */
static int home_plugin_read(home_settings *ret_settings, char token[NET_TOKEN_MAX],
                            haft_reason *reterr_reason)
{
    const char *file = home_plugin_variable("HASS_TOKEN_FILE");
    bool is_open;
    int status = 0;

    *ret_settings = (home_settings){.hass = home_plugin_variable("HASS_HOST"),
                                    .token = home_plugin_variable("HASS_TOKEN"),
                                    .ca = home_plugin_variable("HASS_CA"),
                                    .entities = home_plugin_variable("HASS_ENTITIES"),
                                    .audio_dir = home_plugin_variable("HASS_AUDIO_DIR"),
                                    .speech = home_plugin_flag("ENABLE_SPEECH_FEATURES", true)};
    if (!ret_settings->token && file) {
        status = net_token_read(file, token, &is_open, reterr_reason);
        ret_settings->token = token;
    }
    return status;
}

static int home_plugin_start(haft_server *server)
{
    char token[NET_TOKEN_MAX];
    home_settings settings;
    struct home_options options;
    haft_reason reason = {0};
    size_t n = 0;
    int status = home_plugin_read(&settings, token, &reason);

    (void)server;
    if (!status)
        status = home_settings_check(&settings, &options, &reason);
    if (!status)
        status = home_client_make(&home_plugin_client, &options, &reason);
    hf_secret_wipe(token, sizeof token);
    if (status) {
        fprintf(stderr, "home: %s%s%s\n", reason.path, *reason.path ? ": " : "", reason.text);
        return status;
    }
    for (size_t i = 0; home_tools[i].tool && n < HOME_PLUGIN_TOOLS; i++)
        if (home_registry_offers(&options, home_tools[i].offer))
            home_plugin_tools[n++] = *home_tools[i].tool;
    hass_lend(home_plugin_client.hass);
    return 0;
}

static void home_plugin_stop(void)
{
    hass_lend(NULL);
    home_client_finish(&home_plugin_client);
}

HAFT_PLUGIN_WITH(.name = "home", .version = HAFT_VERSION, .tools = home_plugin_tools,
                 .start = home_plugin_start, .stop = home_plugin_stop);

/* For src/part/part.c: an address in the program, whose directory has its parts. */
const void *home_plugin_beside(void);
const void *home_plugin_beside(void)
{
    return (const void *)(uintptr_t)haft_server_new;
}
