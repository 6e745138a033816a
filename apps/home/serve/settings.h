/* serve/settings.h - the options of the home, for the command `haft home`, its help and its plugin. */
#ifndef HOME_SETTINGS_H
#define HOME_SETTINGS_H

#include <haft/option.h>

#include "home.h"

/* clang-format off */
HAFT_OPTION_STRUCT(home_settings,
    HAFT_OPTION_STRING(hass, "--hass", "URL of a Home Assistant to use instead of the demo home, such as http://homeassistant.local:8123",
                       .takes = "URL", .variable = "HASS_HOST"),
    HAFT_OPTION_SECRET(token, NULL, "long-lived access token for --hass", .variable = "HASS_TOKEN"),
    HAFT_OPTION_PATH(ca, "--hass-ca", "trust the CA certificates in FILE, instead of the system's, for --hass", .takes = "FILE",
                     .variable = "HASS_CA"),
    HAFT_OPTION_DURATION(timeout, "--hass-timeout", "time limit of a request to Home Assistant", .takes = "TIME",
                         .initial = "30s", .min = 100, .max = 3600000),
    HAFT_OPTION_STRING(entities, "--entities",
                       "entities that the model can see and control, as globs; a minus hides: light.*,-light.hall",
                       .takes = "GLOBS", .variable = "HASS_ENTITIES"),
    HAFT_OPTION_FLAG(render_template, "--render-template",
                     "offer the tool render_template (Jinja of Home Assistant); not with --entities"),
    HAFT_OPTION_PATH(audio_dir, "--audio-dir", "directory whose WAV files the tool analyze_audio may read", .takes = "DIR",
                     .variable = "HASS_AUDIO_DIR"),
    HAFT_OPTION_FLAG(demo, "--demo", "use the demo home; the default without --hass"),
    HAFT_OPTION_ADDRESS(listen, "--listen",
                        "with --demo: serve the demo home as a Home Assistant on this address, instead of MCP",
                        .takes = "[HOST:]PORT"),
    HAFT_OPTION_FLAG(speech, NULL, "true offers the four speech tools; the demo home offers them unless it is false",
                     .variable = "ENABLE_SPEECH_FEATURES"));
/* clang-format on */

enum { HOME_DEMO_SEED = 20260801 };

/* What the settings say of a client.  Returns 0, or HAFT_EINVAL with the reason. */
int home_settings_check(const home_settings *settings, struct home_options *ret_options,
                        haft_reason *reterr_reason);

/* A client, and the demo home that it is for; NULL for none. */
struct home_client {
    struct hass *hass;
    struct demo *demo;
};
/* Makes them; nothing is connected yet.  Returns 0, or an error with the reason. */
int home_client_make(struct home_client *client, const struct home_options *options,
                     haft_reason *reterr_reason);
void home_client_finish(struct home_client *client);

#endif
