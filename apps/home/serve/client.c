/* client.c - from the settings of the home to its Home Assistant client. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "hass/demo_link.h"
#include "hass/filter.h"
#include "hass/net_link.h"
#include "serve/settings.h"

static int client_check_directory(const char *path, haft_reason *reterr_reason)
{
    struct stat about;

    if (!stat(path, &about) && !S_ISDIR(about.st_mode))
        errno = ENOTDIR;
    else if (!access(path, R_OK | X_OK))
        return 0;
    return hf_error_set(reterr_reason, HAFT_EINVAL, "--audio-dir", "cannot open %.200s: %s", path,
                        strerror(errno));
}

/* An empty variable is ignored elsewhere; here that would show everything. */
static bool client_has_empty_list(const home_settings *settings)
{
    const char *list = getenv("HASS_ENTITIES");

    return !settings->entities && list && !*list;
}

int home_settings_check(const home_settings *settings, struct home_options *ret_options,
                        haft_reason *reterr_reason)
{
    const char *speech;

    if (settings->demo && settings->hass)
        return hf_error_set(reterr_reason, HAFT_EINVAL, "",
                            "--demo cannot be combined with --hass, which HASS_HOST also sets");
    if (settings->listen && !settings->demo)
        return hf_error_set(reterr_reason, HAFT_EINVAL, "", "--listen needs --demo");
    if (settings->hass && net_link_check(settings->hass, reterr_reason))
        return HAFT_EINVAL;
    if (settings->hass && !settings->token)
        return hf_error_set(reterr_reason, HAFT_EINVAL, "",
                            "--hass needs a token: set HASS_TOKEN or HASS_TOKEN_FILE");
    if (settings->ca && !settings->hass)
        return hf_error_set(reterr_reason, HAFT_EINVAL, "", "--hass-ca needs --hass");
    if (settings->ca && access(settings->ca, R_OK))
        return hf_error_set(reterr_reason, HAFT_EINVAL, "--hass-ca", "cannot read %.200s: %s",
                            settings->ca, strerror(errno));
    if (settings->audio_dir && client_check_directory(settings->audio_dir, reterr_reason))
        return HAFT_EINVAL;
    if (settings->render_template && settings->entities)
        return hf_error_set(
            reterr_reason, HAFT_EINVAL, "",
            "--render-template cannot be combined with --entities, since templates see all entities");
    if (client_has_empty_list(settings))
        return hf_error_set(
            reterr_reason, HAFT_EINVAL, "HASS_ENTITIES",
            "it is empty; write a list such as light.*, or unset it to show all entities");
    if (settings->entities && hass_filter_check(settings->entities, reterr_reason))
        return HAFT_EINVAL;
    speech = getenv("ENABLE_SPEECH_FEATURES");
    *ret_options = (struct home_options){.url = settings->hass,
                                         .token = settings->token,
                                         .ca_file = settings->ca,
                                         .timeout_ms = (unsigned)settings->timeout,
                                         .entities = settings->entities,
                                         .speech = settings->speech &&
                                                   (!settings->hass || (speech && *speech)),
                                         .render_template = settings->render_template,
                                         .audio_dir = settings->audio_dir};
    return 0;
}

static int client_to_demo(struct home_client *client, struct hass_link *ret_link,
                          haft_reason *reterr_reason)
{
    client->demo = demo_new(&(struct demo_options){.seed = HOME_DEMO_SEED});
    if (!client->demo)
        return hf_error_set(reterr_reason, HAFT_ENOMEM, "", "out of memory");
    *ret_link = demo_link_new(client->demo);
    return 0;
}

int home_client_make(struct home_client *client, const struct home_options *options,
                     haft_reason *reterr_reason)
{
    struct net_link_options net = {
        .url = options->url, .token = options->token, .ca_file = options->ca_file};
    struct hass_link link;
    int status;

    *client = (struct home_client){0};
    status = options->url ? net_link_new(&net, &link, reterr_reason)
                          : client_to_demo(client, &link, reterr_reason);
    if (status)
        return status;
    client->hass = hass_new(options, link, reterr_reason);
    if (client->hass)
        return 0;
    home_client_finish(client);
    return HAFT_ENOMEM;
}

void home_client_finish(struct home_client *client)
{
    hass_free(client->hass);
    demo_free(client->demo);
    *client = (struct home_client){0};
}
