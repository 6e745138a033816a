/* tools/lights.h - what the tools for several lights share: which lights, how they look, and how they
 * looked before. */
#ifndef HOME_TOOLS_LIGHTS_H
#define HOME_TOOLS_LIGHTS_H

#include "tools/common.h"

/* How a light looks.  Zero: off. */
struct home_look {
    bool on;
    int brightness;     /* 1 to 255; 0: not said */
    int kelvin;         /* 0: not white, or not said */
    int rgb[3];         /* if has_rgb */
    bool has_rgb;       /* it has a color */
    double transition;  /* seconds; 0: at once */
    const char *effect; /* NULL for none */
};

/* The lights to use: those that are named, which must be there and available, or all that are available.
 * Groups are replaced by their members.  No light is there twice; none at all is an error. */
int home_lights(haft_call *call, const char *const *ids, size_t n, entity **ret_at, size_t *ret_n);

/* The look of a light now. */
struct home_look home_look_of(const entity *light);
/* What a light can show of a look, by its supported_color_modes. */
struct home_look home_look_for(const entity *light, struct home_look look);
bool home_same_look(const struct home_look *left, const struct home_look *right);
/* A color of the rainbow, by its hue in degrees. */
void home_hue(double degrees, int ret_rgb[3]);

/* Step k of a pattern for light i of n. */
HAFT_ENUMERATION(home_pattern, sweep, pulse, rainbow);
struct home_look home_pattern_look(home_pattern pattern, size_t i, size_t n, unsigned k);

/* Gives a light a look, and waits for the answer, but not for the light. */
int home_show(haft_call *call, const entity *light, const struct home_look *look);
/* The same without waiting, also after a call. */
void home_tell_look(struct hass *hass, const char *entity_id, const struct home_look *look);
/* Restores the looks that lights had when they were read: waits for each answer if `status` is 0 and the call
 * has not been cancelled, and for none otherwise.  Returns the status, or a new error. */
int home_restore(haft_call *call, const entity *lights, size_t n, int status);

#endif
