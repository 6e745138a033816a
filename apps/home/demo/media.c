/* media.c - media players: title, position, volume. */
#include "demo/service.h"
#include "demo/tick.h"

#define MEDIA_UNIT .ranged = true, .min = 0, .max = 1

static const struct demo_field media_volume_fields[] = {
    {.name = "volume_level", .kind = FIELD_NUMBER, .required = true, MEDIA_UNIT}};
static const struct demo_field media_mute_fields[] = {
    {.name = "is_volume_muted", .kind = FIELD_BOOL, .required = true}};
static const struct demo_field media_source_fields[] = {
    {.name = "source", .kind = FIELD_TEXT, .required = true}};
static const struct demo_field media_mode_fields[] = {{.name = "sound_mode", .kind = FIELD_TEXT}};
static const struct demo_field media_seek_fields[] = {{.name = "seek_position",
                                                       .kind = FIELD_NUMBER,
                                                       .required = true,
                                                       .ranged = true,
                                                       .min = 0,
                                                       .max = 1e9}};
static const struct demo_field media_shuffle_fields[] = {
    {.name = "shuffle", .kind = FIELD_BOOL, .required = true}};
static const struct demo_field media_repeat_fields[] = {
    {.name = "repeat", .kind = FIELD_CHOICE, .required = true, .choices = "off,all,one"}};
static const struct demo_field media_play_fields[] = {
    {.name = "media_content_id", .kind = FIELD_TEXT, .required = true},
    {.name = "media_content_type", .kind = FIELD_TEXT, .required = true},
    {.name = "announce", .kind = FIELD_BOOL},
    {.name = "enqueue", .kind = FIELD_CHOICE, .choices = "add,next,play,replace"},
    {.name = "extra", .kind = FIELD_OBJECT},
};

/* What there is to play; next and previous go through it. */
static const struct media_track {
    const char *id, *title, *artist;
    double seconds;
} media_tracks[] = {
    {"demo:0", "Morning Light", "The Kettles", 182},
    {"demo:1", "Two Keys", "Door and Chain", 214},
    {"demo:2", "Rain on the Skylight", "The Kettles", 247},
};
enum { MEDIA_TRACKS = sizeof media_tracks / sizeof *media_tracks };

/* ---- where it is ---- */

/* The second at which playback is now. */
static double media_position(struct demo *demo, const struct demo_entity *entity)
{
    haft_value *attributes = demo_attributes(demo, entity);
    double position = demo_number(attributes, "media_position", 0);
    const char *since = demo_text(attributes, "media_position_updated_at");
    int64_t at = entity->state->updated;

    if (strcmp(entity->state->text, "playing") != 0)
        return position;
    if (since)
        demo_time_read(since, &at);
    return position + demo_time_seconds(demo->now - at);
}

static void media_put_position(struct demo_draft *draft, struct demo_entity *entity, double seconds)
{
    double duration = yyjson_mut_get_num(yyjson_mut_obj_get(draft->root, "media_duration"));
    bool plays = !strcmp(draft->state, "playing");

    demo_draft_number(draft, "media_position", number_whole(seconds));
    demo_draft_time(draft, "media_position_updated_at", draft->demo->now);
    entity->due = plays && duration > seconds && duration - seconds < 1e6
                      ? draft->demo->now + (int64_t)((duration - seconds) * DEMO_SECOND)
                      : 0;
}

static void media_put_track(struct demo_draft *draft, struct demo_entity *entity, size_t track)
{
    const struct media_track *of = &media_tracks[track % MEDIA_TRACKS];

    demo_draft_text(draft, "media_content_id", of->id);
    demo_draft_text(draft, "media_content_type", "music");
    demo_draft_number(draft, "media_duration", of->seconds);
    demo_draft_text(draft, "media_title", of->title);
    demo_draft_text(draft, "media_artist", of->artist);
    media_put_position(draft, entity, 0);
}

static size_t media_track_of(struct demo *demo, const struct demo_entity *entity)
{
    const char *id = demo_text(demo_attributes(demo, entity), "media_content_id");

    for (size_t i = 0; id && i < MEDIA_TRACKS; i++)
        if (!strcmp(media_tracks[i].id, id))
            return i;
    return 0;
}

static int media_set_state(struct demo_call *call, struct demo_entity *entity, const char *state)
{
    double position = media_position(call->demo, entity);
    struct demo_draft draft;

    demo_draft_begin(&draft, call->demo, entity);
    draft.state = state;
    media_put_position(&draft, entity, position);
    return demo_draft_commit(&draft, &call->context);
}

/* The end of a track is the beginning of the next. */
int demo_media_tick(struct demo *demo, struct demo_entity *entity, int64_t at,
                    const struct demo_context *context)
{
    struct demo_draft draft;

    (void)at;
    demo_draft_begin(&draft, demo, entity);
    media_put_track(&draft, entity, media_track_of(demo, entity) + 1);
    return demo_draft_commit(&draft, context);
}

/* ---- services ---- */

static int media_turn_on(struct demo_call *call, struct demo_entity *entity)
{
    struct demo_draft draft;

    if (strcmp(entity->state->text, "off") != 0)
        return 0;
    demo_draft_begin(&draft, call->demo, entity);
    draft.state = "idle";
    if (!yyjson_obj_get(demo_attributes(call->demo, entity), "volume_level")) {
        demo_draft_number(&draft, "volume_level", 0.3);
        demo_draft_bool(&draft, "is_volume_muted", false);
    }
    return demo_draft_commit(&draft, &call->context);
}

static int media_turn_off(struct demo_call *call, struct demo_entity *entity)
{
    entity->due = 0;
    return demo_set_state(call, entity, "off");
}

static int media_toggle(struct demo_call *call, struct demo_entity *entity)
{
    return strcmp(entity->state->text, "off") ? media_turn_off(call, entity)
                                              : media_turn_on(call, entity);
}

static int media_play(struct demo_call *call, struct demo_entity *entity)
{
    struct demo_draft draft;

    if (demo_text(demo_attributes(call->demo, entity), "media_content_id"))
        return media_set_state(call, entity, "playing");
    demo_draft_begin(&draft, call->demo, entity);
    draft.state = "playing";
    media_put_track(&draft, entity, 0);
    return demo_draft_commit(&draft, &call->context);
}

static int media_pause(struct demo_call *call, struct demo_entity *entity)
{
    return media_set_state(call, entity, "paused");
}

static int media_play_pause(struct demo_call *call, struct demo_entity *entity)
{
    return strcmp(entity->state->text, "playing") ? media_play(call, entity)
                                                  : media_pause(call, entity);
}

static int media_stop(struct demo_call *call, struct demo_entity *entity)
{
    struct demo_draft draft;

    demo_draft_begin(&draft, call->demo, entity);
    draft.state = "idle";
    media_put_position(&draft, entity, 0);
    return demo_draft_commit(&draft, &call->context);
}

static int media_skip(struct demo_call *call, struct demo_entity *entity, size_t by)
{
    struct demo_draft draft;

    demo_draft_begin(&draft, call->demo, entity);
    draft.state = "playing";
    media_put_track(&draft, entity, media_track_of(call->demo, entity) + by);
    return demo_draft_commit(&draft, &call->context);
}

static int media_next(struct demo_call *call, struct demo_entity *entity)
{
    return media_skip(call, entity, 1);
}

static int media_previous(struct demo_call *call, struct demo_entity *entity)
{
    return media_skip(call, entity, MEDIA_TRACKS - 1);
}

static int media_seek(struct demo_call *call, struct demo_entity *entity)
{
    struct demo_draft draft;

    demo_draft_begin(&draft, call->demo, entity);
    media_put_position(&draft, entity, demo_number(call->data, "seek_position", 0));
    return demo_draft_commit(&draft, &call->context);
}

static int media_volume_to(struct demo_call *call, struct demo_entity *entity, double level)
{
    struct demo_draft draft;

    level = level < 0 ? 0 : level > 1 ? 1 : level;
    demo_draft_begin(&draft, call->demo, entity);
    demo_draft_number(&draft, "volume_level", (double)(int)(level * 100 + 0.5) / 100);
    return demo_draft_commit(&draft, &call->context);
}

static int media_volume_set(struct demo_call *call, struct demo_entity *entity)
{
    return media_volume_to(call, entity, demo_number(call->data, "volume_level", 0));
}

static int media_volume_up(struct demo_call *call, struct demo_entity *entity)
{
    return media_volume_to(call, entity,
                           demo_attribute(call->demo, entity, "volume_level", 0.5) + 0.1);
}

static int media_volume_down(struct demo_call *call, struct demo_entity *entity)
{
    return media_volume_to(call, entity,
                           demo_attribute(call->demo, entity, "volume_level", 0.5) - 0.1);
}

/* One attribute of the data's, under the name that the entity has for it. */
static int media_put(struct demo_call *call, struct demo_entity *entity, const char *name)
{
    struct demo_draft draft;

    demo_draft_begin(&draft, call->demo, entity);
    demo_draft_value(&draft, name, yyjson_obj_get(call->data, name));
    return demo_draft_commit(&draft, &call->context);
}

static int media_mute(struct demo_call *call, struct demo_entity *entity)
{
    return media_put(call, entity, "is_volume_muted");
}

static int media_shuffle(struct demo_call *call, struct demo_entity *entity)
{
    return media_put(call, entity, "shuffle");
}

static int media_repeat(struct demo_call *call, struct demo_entity *entity)
{
    return media_put(call, entity, "repeat");
}

static int media_choose(struct demo_call *call, struct demo_entity *entity, const char *name,
                        const char *list)
{
    haft_value *values = yyjson_obj_get(demo_attributes(call->demo, entity), list);
    const char *value = demo_text(call->data, name);

    if (!value || !demo_lists(values, value))
        return demo_fail(call, DEMO_ERROR, NULL, "%s %s is not one of: %s", name,
                         value ? value : "None", demo_join(call->demo, values));
    return media_put(call, entity, name);
}

static int media_select_source(struct demo_call *call, struct demo_entity *entity)
{
    return media_choose(call, entity, "source", "source_list");
}

static int media_select_mode(struct demo_call *call, struct demo_entity *entity)
{
    return media_choose(call, entity, "sound_mode", "sound_mode_list");
}

static int media_play_media(struct demo_call *call, struct demo_entity *entity)
{
    const char *id = demo_text(call->data, "media_content_id");
    struct demo_draft draft;

    demo_draft_begin(&draft, call->demo, entity);
    draft.state = "playing";
    demo_draft_text(&draft, "media_content_id", id);
    demo_draft_text(&draft, "media_content_type", demo_text(call->data, "media_content_type"));
    demo_draft_text(&draft, "media_title", id);
    demo_draft_remove(&draft, "media_artist");
    demo_draft_number(&draft, "media_duration", 30);
    media_put_position(&draft, entity, 0);
    return demo_draft_commit(&draft, &call->context);
}

#define MEDIA_ROW(name, text, run, feature)                                                        \
    {                                                                                              \
        name, text, run, SERVICE_TARGET, feature, NULL, 0                                          \
    }
#define MEDIA_ROW_WITH(name, text, run, feature, fields)                                           \
    {                                                                                              \
        name, text, run, SERVICE_TARGET, feature, SERVICE_FIELDS(fields)                           \
    }

const struct demo_service demo_services_media_player[] = {
    MEDIA_ROW("turn_on", "Turns on the power of the media player.", media_turn_on, 128),
    MEDIA_ROW("turn_off", "Turns off the power of the media player.", media_turn_off, 256),
    MEDIA_ROW("toggle", "Toggles a media player on/off.", media_toggle, 128 | 256),
    MEDIA_ROW("media_play", "Starts playback.", media_play, 16384),
    MEDIA_ROW("media_pause", "Pauses playback.", media_pause, 1),
    MEDIA_ROW("media_play_pause", "Toggles play/pause.", media_play_pause, 1 | 16384),
    MEDIA_ROW("media_stop", "Stops playback.", media_stop, 4096),
    MEDIA_ROW("media_next_track", "Selects the next track.", media_next, 32),
    MEDIA_ROW("media_previous_track", "Selects the previous track.", media_previous, 16),
    MEDIA_ROW_WITH("media_seek", "Seeks to a position.", media_seek, 2, media_seek_fields),
    MEDIA_ROW("volume_up", "Turns up the volume.", media_volume_up, 4 | 1024),
    MEDIA_ROW("volume_down", "Turns down the volume.", media_volume_down, 4 | 1024),
    MEDIA_ROW_WITH("volume_set", "Sets the volume.", media_volume_set, 4, media_volume_fields),
    MEDIA_ROW_WITH("volume_mute", "Mutes or unmutes the media player.", media_mute, 8,
                   media_mute_fields),
    MEDIA_ROW_WITH("select_source", "Sends the command to change the input source.",
                   media_select_source, 2048, media_source_fields),
    MEDIA_ROW_WITH("select_sound_mode", "Selects a specific sound mode.", media_select_mode, 65536,
                   media_mode_fields),
    MEDIA_ROW_WITH("shuffle_set", "Enables or disables the shuffle mode.", media_shuffle, 32768,
                   media_shuffle_fields),
    MEDIA_ROW_WITH("repeat_set", "Sets the repeat mode.", media_repeat, 0, media_repeat_fields),
    MEDIA_ROW_WITH("play_media", "Starts playing specified media.", media_play_media, 512,
                   media_play_fields),
    {0},
};
