/* fuzz_hass.c - whatever Home Assistant says: each line is a message to a client that has connected.  The
 * first line may be a service, "light.turn_on {data}": what --entities hides must not be in what is sent. */
#include <stdlib.h>

#include "hass/decide.h"
#include "hass/filter.h"
#include "hass/redact.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void hass_require_(bool holds)
{
    if (!holds)
        abort();
}

static void fuzz_send(void *context, const char *text, size_t size)
{
    haft_arena *arena = haft_arena_new(NULL, 64 << 20);

    (void)context;
    hass_require_(arena && haft_json_read(text, size, 0, arena, NULL));
    haft_arena_free(arena);
}

/* All states are whole, in order, and can be copied without what is hidden. */
static void fuzz_look(struct hass *hass, haft_arena *arena)
{
    struct state *const *sorted = hass_table_sorted(&hass->states);
    haft_buffer out;

    haft_buffer_init(&out, NULL, 64 << 20);
    for (size_t i = 0; i < hass->states.n; i++) {
        yyjson_val *value, *clean;
        const char *why;
        size_t at, from = 0;

        hass_require_(!i || strcmp(state_id(sorted[i - 1]), state_id(sorted[i])) < 0);
        hass_require_(hass_table_find(&hass->states, state_id(sorted[i]), sorted[i]->id) ==
                      sorted[i]);
        hass_require_(!hf_json_parse(state_attributes(sorted[i]), sorted[i]->attributes, arena,
                                     &value, &at, &why));
        hass_require_(!hass_redact_value(hass, arena, value, &clean));
        haft_buffer_clear(&out);
        haft_json_write(clean, &out);
        /* Names of services may stay. */
        if (!memchr(out.data, 'a', out.size) || !strstr(state_attributes(sorted[i]), "action"))
            if (!strstr(state_attributes(sorted[i]), "service"))
                hass_require_(!hass_find_hidden(hass, out.data, out.size, &from, &at));
    }
    haft_buffer_finish(&out);
}

static void fuzz_decide(struct hass *hass, haft_arena *arena, const char *line, size_t size)
{
    const char *dot = memchr(line, '.', size), *space = memchr(line, ' ', size);
    struct hass_service service = {.without_target = size % 2};
    struct reach reach;
    yyjson_val *data;

    if (!dot || !space || space < dot)
        return;
    data = haft_json_read(space, size - (size_t)(space - line), 0, arena, NULL);
    service.domain = haft_arena_copy(arena, line, (size_t)(dot - line));
    service.service = haft_arena_copy(arena, dot + 1, (size_t)(space - dot - 1));
    if (!yyjson_is_obj(data) || haft_utf8_valid(line, size) != size)
        return;
    reach = hass_decide(hass, arena, &service, data);
    if (reach.verdict == REACH_ALLOWED) {
        yyjson_val *ids = yyjson_obj_get(reach.data, "entity_id"), *id;
        size_t i, max;

        yyjson_arr_foreach(ids, i, max, id)
            hass_require_(hass_shows(hass, yyjson_get_str(id)));
        hass_require_(!yyjson_obj_get(reach.data, "area_id") &&
                      !yyjson_obj_get(reach.data, "device_id"));
    }
}

static void fuzz_say(struct hass *hass, const char *text, size_t size)
{
    hass_on_message(hass, text, size);
    hass->conn.close = false; /* the keeper does not run: the next message comes all the same */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char required[] = "{\"type\":\"auth_required\"}", ok[] = "{\"type\":\"auth_ok\"}";
    const struct home_options options = {.entities =
                                             "light.*,switch.a,group.*,scene.*,-light.secret"};
    struct hass_link link = {.send = fuzz_send, .context = &link};
    struct hass *hass = hass_new(&options, link, NULL);
    haft_arena *arena = haft_arena_new(NULL, 256 << 20);
    const char *text = (const char *)data, *end = text + size, *first = text;
    size_t first_size = 0;

    hass_require_(hass && arena);
    hass->conn.phase = PHASE_OPENING;
    fuzz_say(hass, required, sizeof required - 1);
    fuzz_say(hass, ok, sizeof ok - 1);
    while (text < end) {
        const char *line_end = memchr(text, '\n', (size_t)(end - text));
        size_t line = (size_t)((line_end ? line_end : end) - text);

        if (text == first && line && *text >= 'a' && *text <= 'z')
            first_size = line;
        else
            fuzz_say(hass, text, line);
        text += line + (line_end != NULL);
    }
    fuzz_look(hass, arena);
    fuzz_decide(hass, arena, first, first_size);
    haft_arena_free(arena);
    hass_free(hass);
    return 0;
}
