/* weather.c - a tool with structured output.
 *
 * The handler fills in a struct; its type is the output schema that clients see, and results are
 * validated against it. */
#include <haft.h>

HAFT_STRUCT(weather_args,
    HAFT_STRING(city, "City name"),
    HAFT_OPTIONAL(HAFT_STRING(country, "Country code (e.g., US, UK)")));

HAFT_STRUCT(place,
    HAFT_STRING(city, "City name"),
    HAFT_STRING(country, "Country code"));

HAFT_STRUCT(degrees,
    HAFT_NUMBER(celsius, "In degrees Celsius"),
    HAFT_NUMBER(fahrenheit, "In degrees Fahrenheit"));

HAFT_ENUMERATION(sky, sunny, cloudy, rainy, stormy, snowy);

HAFT_STRUCT(weather,
    HAFT_OBJECT(location, place, "Where it is"),
    HAFT_OBJECT(temperature, degrees, "How warm it is"),
    HAFT_ENUM(conditions, sky, "What it looks like"),
    HAFT_NUMBER(humidity, "In percent", .min = 0, .max = 100));

static int get_weather(haft_call *call, const weather_args *in, weather *out)
{
    enum { CELSIUS = 22 }; /* a real tool would query a service */

    out->location.city = in->city;
    out->location.country = in->has_country ? in->country : "US";
    out->temperature.celsius = CELSIUS;
    out->temperature.fahrenheit = CELSIUS * 9 / 5.0 + 32;
    out->conditions = sky_sunny;
    out->humidity = 45;
    /* Without this, the result's text would be the struct as JSON. */
    return haft_text(call, "Weather in %s, %s: sunny, %d°C", in->city, out->location.country,
                     CELSIUS);
}
HAFT_TOOL(get_weather, weather_args, weather, "Get current weather for a location",
          .name = "get-weather");

int main(int argc, char **argv)
{
    haft_server *server = haft_server_new("weather-server", "1.0.0");

    if (server)
        haft_add(server, &get_weather_tool);
    return haft_main(server, argc, argv);
}
