/* colour.c - conversions between colour spaces, with the formulas that Home Assistant uses. */
#include "demo/colour.h"

#include <math.h>
#include <string.h>

double demo_round(double value, int decimals)
{
    double scale = pow(10, decimals);

    return round(value * scale) / scale;
}

struct demo_rgb demo_rgb_of_hs(double hue, double saturation)
{
    double h = fmod(hue, 360) / 60, s = saturation / 100, f = h - floor(h);
    double p = 255 * (1 - s), q = 255 * (1 - s * f), t = 255 * (1 - s * (1 - f));
    const struct demo_rgb sectors[] = {{255, t, p}, {q, 255, p}, {p, 255, t},
                                       {p, q, 255}, {t, p, 255}, {255, p, q}};
    struct demo_rgb rgb = sectors[h >= 0 && h < 6 ? (int)h : 0];

    return (struct demo_rgb){round(rgb.r), round(rgb.g), round(rgb.b)};
}

void demo_rgb_to_hs(struct demo_rgb rgb, double *ret_hue, double *ret_saturation)
{
    double high = fmax(rgb.r, fmax(rgb.g, rgb.b)), low = fmin(rgb.r, fmin(rgb.g, rgb.b));
    double range = high - low, hue = 0;

    if (range > 0) {
        if (high == rgb.r)
            hue = fmod((rgb.g - rgb.b) / range + 6, 6);
        else if (high == rgb.g)
            hue = (rgb.b - rgb.r) / range + 2;
        else
            hue = (rgb.r - rgb.g) / range + 4;
    }
    *ret_hue = demo_round(hue * 60, 3);
    *ret_saturation = high > 0 ? demo_round(range / high * 100, 3) : 0;
}

static double colour_linear(double value)
{
    value /= 255;
    return value > 0.04045 ? pow((value + 0.055) / 1.055, 2.4) : value / 12.92;
}

static double colour_gamma(double value)
{
    value = value < 0 ? 0 : value;
    return value <= 0.0031308 ? 12.92 * value : 1.055 * pow(value, 1 / 2.4) - 0.055;
}

void demo_rgb_to_xy(struct demo_rgb rgb, double *ret_x, double *ret_y)
{
    double r = colour_linear(rgb.r), g = colour_linear(rgb.g), b = colour_linear(rgb.b);
    double x = r * 0.664511 + g * 0.154324 + b * 0.162028;
    double y = r * 0.283881 + g * 0.668433 + b * 0.047685;
    double z = r * 0.000088 + g * 0.072310 + b * 0.986039, sum = x + y + z;

    *ret_x = sum > 0 ? demo_round(x / sum, 3) : 0;
    *ret_y = sum > 0 ? demo_round(y / sum, 3) : 0;
}

struct demo_rgb demo_rgb_of_xy(double x, double y)
{
    double across = y > 0 ? x / y : 0, rest = y > 0 ? (1 - x - y) / y : 0;
    double r = colour_gamma(across * 1.656492 - 0.354851 - rest * 0.255038);
    double g = colour_gamma(-across * 0.707196 + 1.655397 + rest * 0.036152);
    double b = colour_gamma(across * 0.051713 - 0.121364 + rest * 1.011530);
    double high = fmax(r, fmax(g, b)), scale = high > 0 ? 255 / high : 0;

    return (struct demo_rgb){round(r * scale), round(g * scale), round(b * scale)};
}

static double colour_byte(double value)
{
    return round(value < 0 ? 0 : value > 255 ? 255 : value);
}

struct demo_rgb demo_rgb_of_kelvin(double kelvin)
{
    double t = kelvin / 100;
    double r = t <= 66 ? 255 : 329.698727446 * pow(t - 60, -0.1332047592);
    double g = t <= 66 ? 99.4708025861 * log(t) - 161.1195681661
                       : 288.1221695283 * pow(t - 60, -0.0755148492);
    double b = t >= 66 ? 255 : t <= 19 ? 0 : 138.5177312231 * log(t - 10) - 305.0447927307;

    return (struct demo_rgb){colour_byte(r), colour_byte(g), colour_byte(b)};
}

bool demo_rgb_of_name(const char *name, struct demo_rgb *ret_rgb)
{
    static const struct {
        const char *name;
        struct demo_rgb rgb;
    } names[] = {
        {"black", {0, 0, 0}},          {"blue", {0, 0, 255}},       {"brown", {165, 42, 42}},
        {"coral", {255, 127, 80}},     {"cyan", {0, 255, 255}},     {"gold", {255, 215, 0}},
        {"gray", {128, 128, 128}},     {"green", {0, 128, 0}},      {"indigo", {75, 0, 130}},
        {"lavender", {230, 230, 250}}, {"lime", {0, 255, 0}},       {"magenta", {255, 0, 255}},
        {"maroon", {128, 0, 0}},       {"navy", {0, 0, 128}},       {"olive", {128, 128, 0}},
        {"orange", {255, 165, 0}},     {"orchid", {218, 112, 214}}, {"pink", {255, 192, 203}},
        {"purple", {128, 0, 128}},     {"red", {255, 0, 0}},        {"salmon", {250, 128, 114}},
        {"silver", {192, 192, 192}},   {"teal", {0, 128, 128}},     {"tomato", {255, 99, 71}},
        {"turquoise", {64, 224, 208}}, {"violet", {238, 130, 238}}, {"white", {255, 255, 255}},
        {"yellow", {255, 255, 0}},
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i].name, name)) {
            *ret_rgb = names[i].rgb;
            return true;
        }
    return false;
}
