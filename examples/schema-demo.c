/* schema-demo.c - one declaration, five uses.
 *
 * Declares the arguments of a weather tool, then prints a table for people, the JSON Schema for a
 * model, a decoded struct, the issues of an invalid value, and the struct as JSON again. */
#include <haft.h>
#include <stdio.h>
#include <string.h>

HAFT_ENUMERATION(unit, celsius, fahrenheit);

HAFT_STRUCT(point,
    HAFT_NUMBER(lat, "Degrees north", .min = -90, .max = 90),
    HAFT_NUMBER(lon, "Degrees east", .min = -180, .max = 180));

HAFT_STRUCT(at_city,
    HAFT_STRING(name, "City name", .min = 1, .max = 80));

HAFT_CHOICE(place, "kind",
    HAFT_CASE(city, at_city),
    HAFT_CASE(point, point));

HAFT_STRUCT(weather_args,
    HAFT_UNION(where, place, "Where to look"),
    HAFT_DEFAULT(HAFT_ENUM(scale, unit, "Temperature scale"), unit_celsius),
    HAFT_OPTIONAL(HAFT_INTEGER(days, "Days ahead", .min = 1, .max = 14)),
    HAFT_ARRAY(tags, HAFT_STRING(tag, "One label", .max = 16), "Labels to keep", .max = 4));

static void show(const char *title, const haft_buffer *text)
{
    printf("== %s\n%.*s\n", title, (int)text->size, text->data);
}

static void decode(const haft_schema *schema, const char *json, haft_arena *arena,
                   haft_buffer *text)
{
    weather_args args;
    haft_issues issues;

    haft_arena_reset(arena);
    haft_buffer_clear(text);
    printf("== decode %s\n", json);
    if (haft_schema_decode_text(schema, json, strlen(json), arena, &args, &issues)) {
        haft_issues_text(&issues, text);
        printf("%.*s\n\n", (int)text->size, text->data);
        return;
    }
    printf("where: %s, tags: %zu, days: %s\n",
           args.where.kind == place_city ? args.where.as.city.name : "a point", args.n_tags,
           args.has_days ? "given" : "not given");
    haft_schema_encode(schema, &args, arena, text, &issues);
    printf("and back: %.*s\n\n", (int)text->size, text->data);
}

int main(void)
{
    haft_schema *schema;
    haft_reason error;
    haft_arena *arena;
    haft_buffer text;

    if (haft_schema_compile(&weather_args_type, NULL, &schema, &error)) {
        fprintf(stderr, "%s: %s\n", error.path, error.text);
        return 1;
    }
    arena = haft_arena_new(NULL, 1 << 20);
    haft_buffer_init(&text, NULL, 1 << 20);
    haft_schema_print(schema, &text);
    show("for people", &text);
    haft_buffer_clear(&text);
    haft_schema_emit(schema, NULL, &text);
    show("for models", &text);
    puts("");
    decode(schema, "{\"where\":{\"kind\":\"city\",\"name\":\"Oslo\"},\"tags\":[\"wind\"]}", arena,
           &text);
    decode(schema,
           "{\"where\":{\"kind\":\"point\",\"lat\":\"x\",\"lon\":999},\"days\":0.5,"
           "\"scale\":\"kelvin\",\"tags\":[\"ok\",7],\"day\":3}",
           arena, &text);
    haft_buffer_finish(&text);
    haft_arena_free(arena);
    haft_schema_free(schema);
    return 0;
}
