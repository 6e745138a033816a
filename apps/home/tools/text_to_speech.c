/* text_to_speech - says something on a speaker, by a speech engine of Home Assistant. */
#include <string.h>

#include "tools/common.h"

enum { SPEECH_WAIT_MS = 2000 };

HAFT_STRUCT(text_to_speech_args,
    HAFT_STRING(message, "What to say", .min = 1, .max = 5000),
    HAFT_OPTIONAL(HAFT_STRING(voice, "Voice", .max = 100)),
    HAFT_OPTIONAL(HAFT_STRING(language, "Such as en", .max = 35)),
    HAFT_OPTIONAL(HAFT_STRING(media_player, "Speaker")));
HAFT_STRUCT(text_to_speech_result,
    HAFT_STRING(media_player, NULL),
    HAFT_STRING(engine, NULL),
    HAFT_STRING(media, NULL),
    HAFT_STRING(state, NULL));
HAFT_STRUCT(speech_options,
    HAFT_STRING(voice, "Voice"));
HAFT_STRUCT(speech_data,
    HAFT_STRING(entity_id, "Engine"),
    HAFT_STRING(media_player_entity_id, "Speaker"),
    HAFT_STRING(message, "Text"),
    HAFT_OPTIONAL(HAFT_STRING(language, "Language")),
    HAFT_OPTIONAL(HAFT_OBJECT(options, speech_options, "Options")));

/* The only available entity of a domain; otherwise an error that lists the entities of the domain. */
static int speech_only(haft_call *call, const char *domain, bool first, const char *what,
                       entity *ret_entity)
{
    struct hass_states states;
    const char *possible = NULL;
    size_t n = 0;
    int status = hass_states(call, &states);

    if (status)
        return status;
    for (size_t i = 0; i < states.n; i++) {
        const entity *one = &states.at[i];

        if (strcmp(one->domain, domain) != 0 || !strcmp(one->state, "unavailable") || (first && n))
            continue;
        n++;
        *ret_entity = *one;
        possible =
            possible ? haft_call_printf(call, "%s, %s", possible, one->entity_id) : one->entity_id;
        if (!possible)
            return HAFT_ENOMEM;
    }
    if (n == 1)
        return 0;
    return n ? home_fail(call, "Which %s? Possible: %s.", what, possible)
             : home_fail(call, "There is no %s that is available (domain %s).", what, domain);
}

static int text_to_speech(haft_call *call, const text_to_speech_args *in,
                          text_to_speech_result *out)
{
    speech_data data = {.message = in->message,
                        .has_language = in->has_language,
                        .language = in->language,
                        .has_options = in->has_voice,
                        .options = {.voice = in->voice}};
    struct hass_service service = {.domain = "tts", .service = "speak"};
    entity player, engine;
    const char *media;
    uint64_t before;
    int status = in->has_media_player
                     ? hass_require(call, in->media_player, "media_player", &player)
                     : speech_only(call, "media_player", false, "media_player", &player);

    if (!status)
        status = speech_only(call, "tts", true, "speech engine", &engine);
    if (status)
        return status;
    data.entity_id = engine.entity_id;
    data.media_player_entity_id = player.entity_id;
    service.data = hass_data(call, &speech_data_type, &data);
    if (!service.data)
        return HAFT_EFAIL;
    before = hass_changes(call, player.entity_id);
    status = hass_call(call, &service, NULL, NULL);
    if (!status)
        status = hass_wait_change(call, player.entity_id, before, SPEECH_WAIT_MS);
    if (!status || status == HASS_UNCHANGED)
        status = hass_state(call, player.entity_id, &player);
    if (status)
        return status;
    media = entity_text(&player, "media_content_id");
    *out = (text_to_speech_result){player.entity_id, engine.entity_id, media ? media : "",
                                   player.state};
    return 0;
}
HAFT_TOOL(text_to_speech, text_to_speech_args, text_to_speech_result,
          "Say something on a media player.", HOME_WRITES_MILDLY);
HOME_EXPORT(text_to_speech);
