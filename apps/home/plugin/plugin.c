/* plugin.c - the home as a plugin, for `haft serve home.so`.
 *
 * Its options are the environment variables of `haft home`: HASS_HOST, HASS_TOKEN or HASS_TOKEN_FILE,
 * HASS_CA, HASS_ENTITIES, HASS_AUDIO_DIR and ENABLE_SPEECH_FEATURES. */
#include <haft/plugin.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/sha256.h"
#include "hass/net_link.h"
#include "registry.h"
#include "resources.h"
#include "serve/settings.h"

enum { HOME_PLUGIN_MOST = 64 };

/* Everything that `start` fills in.  The interface of plugins passes no pointer to `start` and `stop`, so that
 * it is static: a copy of the file is loaded, started and stopped once. */
static struct {
    struct home_client client;
    haft_tool tools[HOME_PLUGIN_MOST];
    haft_resource resources[HOME_PLUGIN_MOST], templates[HOME_PLUGIN_MOST];
    haft_prompt prompts[HOME_PLUGIN_MOST];
    const haft_tool *tool_list[HOME_PLUGIN_MOST + 1];
    const haft_resource *resource_list[HOME_PLUGIN_MOST + 1], *template_list[HOME_PLUGIN_MOST + 1];
    const haft_prompt *prompt_list[HOME_PLUGIN_MOST + 1];
} home_plugin;

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
    int status = 0;

    *ret_settings = (home_settings){.hass = home_plugin_variable("HASS_HOST"),
                                    .token = home_plugin_variable("HASS_TOKEN"),
                                    .ca = home_plugin_variable("HASS_CA"),
                                    .entities = home_plugin_variable("HASS_ENTITIES"),
                                    .audio_dir = home_plugin_variable("HASS_AUDIO_DIR"),
                                    .speech = home_plugin_flag("ENABLE_SPEECH_FEATURES", true)};
    if (ret_settings->token && file)
        return hf_error_set(reterr_reason, HAFT_EINVAL, "",
                            "HASS_TOKEN and HASS_TOKEN_FILE exclude each other; set one of them");
    if (file) {
        status = net_token_read(file, token, reterr_reason);
        ret_settings->token = token;
    }
    return status;
}

/* Copies the tables, with the client as the data of each row. */
static void home_plugin_offer(const struct home_options *options)
{
    void *data = home_hass_data(home_plugin.client.hass);
    size_t n = 0;

    for (size_t i = 0; home_tools[i].tool && n < HOME_PLUGIN_MOST; i++)
        if (home_registry_offers(options, home_tools[i].offer)) {
            home_plugin.tools[n] = **home_tools[i].tool;
            home_plugin.tools[n].data = data;
            home_plugin.tool_list[n] = &home_plugin.tools[n];
            n++;
        }
    for (size_t i = 0; home_resources[i].name && i < HOME_PLUGIN_MOST; i++) {
        home_plugin.resources[i] = home_resources[i];
        home_plugin.resources[i].data = data;
        home_plugin.resource_list[i] = &home_plugin.resources[i];
    }
    for (size_t i = 0; home_templates[i].name && i < HOME_PLUGIN_MOST; i++) {
        home_plugin.templates[i] = home_templates[i];
        home_plugin.templates[i].data = data;
        home_plugin.template_list[i] = &home_plugin.templates[i];
    }
    for (size_t i = 0; home_prompts[i].name && i < HOME_PLUGIN_MOST; i++) {
        home_plugin.prompts[i] = home_prompts[i];
        home_plugin.prompts[i].data = data;
        home_plugin.prompt_list[i] = &home_plugin.prompts[i];
    }
}

static int home_plugin_start(haft_server *server)
{
    char token[NET_TOKEN_MAX];
    home_settings settings;
    struct home_options options;
    haft_reason reason = {0};
    int status = home_plugin_read(&settings, token, &reason);

    (void)server;
    if (!status)
        status = home_settings_check(&settings, &options, &reason);
    if (!status)
        status = home_client_make(&home_plugin.client, &options, &reason);
    hf_secret_wipe(token, sizeof token);
    if (status) {
        fprintf(stderr, "home: %s%s%s\n", reason.path, *reason.path ? ": " : "", reason.text);
        return status;
    }
    home_plugin_offer(&options);
    return 0;
}

static void home_plugin_stop(void)
{
    home_client_finish(&home_plugin.client);
}

HAFT_PLUGIN_WITH(.name = "home", .version = HAFT_VERSION, .tools = home_plugin.tool_list,
                 .resources = home_plugin.resource_list, .templates = home_plugin.template_list,
                 .prompts = home_plugin.prompt_list, .start = home_plugin_start,
                 .stop = home_plugin_stop);

/* For src/part/part.c: an address in the program, whose directory has its parts. */
const void *home_plugin_beside(void);
const void *home_plugin_beside(void)
{
    return (const void *)(uintptr_t)haft_server_new;
}
