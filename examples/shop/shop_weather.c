/* shop_weather.c - the weather as a route: a typical day in June at a few places, by name or by
 * coordinates. */
#include "shop.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const struct station {
    const char *city;
    double latitude, longitude;
    double temperature, humidity;
    const char *conditions;
} stations[] = {
    {"Berlin", 52.52, 13.41, 19.5, 62, "partly cloudy"},
    {"London", 51.51, -0.13, 17, 70, "light rain"},
    {"Nairobi", -1.29, 36.82, 20.5, 66, "partly cloudy"},
    {"New York", 40.71, -74.01, 24, 63, "sunny"},
    {"Oslo", 59.91, 10.75, 16.5, 64, "clear"},
    {"Singapore", 1.35, 103.82, 30, 82, "thunderstorms"},
    {"Sydney", -33.87, 151.21, 14.5, 71, "windy"},
    {"Tokyo", 35.68, 139.69, 23, 76, "overcast"},
};
enum { STATIONS = sizeof stations / sizeof *stations };

/* The distance in degrees is only approximate, which is sufficient here. */
static const struct station *nearest(double latitude, double longitude)
{
    const struct station *best = NULL;
    double least = 0;

    for (size_t i = 0; i < STATIONS; i++) {
        double east = fabs(stations[i].longitude - longitude);
        double distance = hypot(stations[i].latitude - latitude, east > 180 ? 360 - east : east);

        if (!best || distance < least) {
            best = &stations[i];
            least = distance;
        }
    }
    return best;
}

/* Reads a decimal number, independent of the locale; returns false if there is none. */
static bool read_degrees(const char **text, double most, double *ret_degrees)
{
    const char *c = *text + strspn(*text, " ");
    bool minus = *c == '-';
    double value = 0, scale = 1;
    size_t digits = 0;

    c += minus;
    for (; *c >= '0' && *c <= '9'; c++, digits++)
        value = value * 10 + (*c - '0');
    if (*c == '.')
        for (c++; *c >= '0' && *c <= '9'; c++, digits++)
            value += (*c - '0') * (scale /= 10);
    *text = c + strspn(c, " ");
    *ret_degrees = minus ? -value : value;
    return digits && value <= most;
}

static const struct station *station_of(const char *location)
{
    const char *at = location;
    double latitude, longitude;

    for (size_t i = 0; i < STATIONS; i++)
        if (!strcasecmp(stations[i].city, location))
            return &stations[i];
    if (read_degrees(&at, 90, &latitude) && *at++ == ',' && read_degrees(&at, 180, &longitude) &&
        !*at)
        return nearest(latitude, longitude);
    return NULL;
}

HAFT_STRUCT(weather_args,
    HAFT_STRING(location, "City name, or latitude and longitude: 52.5,13.4", .min = 1, .max = 100));
HAFT_STRUCT(weather,
    HAFT_STRING(location, "Where it was looked"),
    HAFT_NUMBER(temp, "In degrees Celsius"),
    HAFT_STRING(conditions, "What it looks like"),
    HAFT_NUMBER(humidity, "In percent", .min = 0, .max = 100));

static int get_weather(haft_call *call, const weather_args *in, weather *out)
{
    const struct station *station = station_of(in->location);

    if (!station)
        return haft_problem(call, 404, "There is no station at %s.", in->location);
    *out = (weather){.location = station->city,
                     .temp = station->temperature,
                     .conditions = station->conditions,
                     .humidity = station->humidity};
    return 0;
}
HAFT_ROUTE(get_weather, "GET", "/weather", weather_args, weather, "Look at the weather of a place",
           .id = "weather", .annotations = {.read_only = HAFT_YES, .open_world = HAFT_NO},
           .quick = true);

const haft_route *const shop_weather_list[] = {&get_weather_route, NULL};
