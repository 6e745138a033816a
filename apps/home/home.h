/* home.h - the program `haft home`: what its files share. */
#ifndef HOME_H
#define HOME_H

#include "hass/hass.h"

struct hass;
struct hass_link;

/* What a home server is made with. */
struct home_options {
    const char *url;        /* of Home Assistant; NULL: the demo home in this process */
    const char *token;      /* NULL for none */
    const char *ca_file;    /* NULL: those of the system */
    unsigned timeout_ms;    /* of a request: 30,000 */
    const char *entities;   /* "light.*,-lock.*"; NULL: all */
    bool speech;            /* the five speech tools are offered */
    bool render_template;   /* so is render_template */
    const char *audio_dir;  /* that analyze_audio may read; NULL: none */
};

/* The Home Assistant client: hass.c. */
struct hass *hass_new(const struct home_options *options, struct hass_link link,
                      haft_reason *reterr_reason);
void hass_free(struct hass *hass);
HAFT_SERVER_CONTEXT(home_hass, struct hass)

/* Tools, resources and prompts; `registry.c` has the table. */
int home_add(haft_server *server, const struct home_options *options);

#endif
