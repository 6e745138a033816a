/* demo/colour.h - colours of lamps, in the four ways in which Home Assistant writes them. */
#ifndef HOME_DEMO_COLOUR_H
#define HOME_DEMO_COLOUR_H

#include <stdbool.h>

struct demo_rgb {
    double r, g, b; /* 0 to 255 */
};

struct demo_rgb demo_rgb_of_hs(double hue, double saturation);
struct demo_rgb demo_rgb_of_xy(double x, double y);
struct demo_rgb demo_rgb_of_kelvin(double kelvin);
/* False for a name that is not of CSS. */
bool demo_rgb_of_name(const char *name, struct demo_rgb *ret_rgb);
void demo_rgb_to_hs(struct demo_rgb rgb, double *ret_hue, double *ret_saturation);
void demo_rgb_to_xy(struct demo_rgb rgb, double *ret_x, double *ret_y);
double demo_round(double value, int decimals);

#endif
