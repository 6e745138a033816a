/* media_player_command - plays, pauses, skips, and sets volume and source of a media player. */
#include "tools/common.h"

HAFT_ENUMERATION(media_order, play, pause, stop, next, previous, volume, mute, select_source);
HAFT_STRUCT(media_player_command_args,
    HOME_ENTITY_ID,
    HAFT_ENUM(command, media_order, "What to do"),
    HAFT_OPTIONAL(HAFT_NUMBER(volume_level, "For volume: 0 to 1", .min = 0, .max = 1)),
    HAFT_OPTIONAL(HAFT_BOOLEAN(muted, "For mute: true if absent")),
    HAFT_OPTIONAL(HAFT_STRING(source, "For select_source: one of source_list")));

static void media_player_check(haft_refinement *refinement, const media_player_command_args *in)
{
    if ((in->command == media_order_volume) != in->has_volume_level)
        haft_refinement_add_issue(refinement, "volume_level",
                                  "volume_level and the command volume go together");
    if ((in->command == media_order_select_source) != in->has_source)
        haft_refinement_add_issue(refinement, "source",
                                  "source and the command select_source go together");
    if (in->command != media_order_mute && in->has_muted)
        haft_refinement_add_issue(refinement, "muted", "Only the command mute has muted");
}
HAFT_REFINE(media_player_command_args, media_player_check);

HAFT_STRUCT(media_data,
    HAFT_OPTIONAL(HAFT_NUMBER(volume_level, "Volume")),
    HAFT_OPTIONAL(HAFT_BOOLEAN(is_volume_muted, "Muted")),
    HAFT_OPTIONAL(HAFT_STRING(source, "Source")));

static const struct {
    const char *service;
    unsigned feature;
    const char *cannot;
} media_rows[] = {
    [media_order_play] = {"media_play", 16384, "cannot play on command"},
    [media_order_pause] = {"media_pause", 1, "cannot be paused"},
    [media_order_stop] = {"media_stop", 4096, "cannot be stopped"},
    [media_order_next] = {"media_next_track", 32, "cannot skip to the next track"},
    [media_order_previous] = {"media_previous_track", 16, "cannot go back to the previous track"},
    [media_order_volume] = {"volume_set", 4, "has no volume to set"},
    [media_order_mute] = {"volume_mute", 8, "cannot be muted"},
    [media_order_select_source] = {"select_source", 2048, "has no sources"},
};

static int media_player_command(haft_call *call, const media_player_command_args *in, entity *out)
{
    media_data data = {.has_volume_level = in->has_volume_level,
                       .volume_level = in->volume_level,
                       .has_is_volume_muted = in->command == media_order_mute,
                       .is_volume_muted = !in->has_muted || in->muted,
                       .has_source = in->has_source,
                       .source = in->source};
    const char *json;
    int status = hass_require(call, in->entity_id, "media_player", out);

    if (!status)
        status =
            home_needs(call, out, media_rows[in->command].feature, media_rows[in->command].cannot);
    if (!status && in->has_source)
        status = home_offers(call, out, "source_list", "source", in->source);
    if (status)
        return status;
    json = hass_data(call, &media_data_type, &data);
    return json ? home_act(call, out, media_rows[in->command].service, json, out) : HAFT_EFAIL;
}
HAFT_TOOL(media_player_command, media_player_command_args, entity,
          "Control a media player: playback, volume, source.", HOME_WRITES_MILDLY);
HOME_EXPORT(media_player_command);
