/* home.h - the program `haft home`: what its files share. */
#ifndef HOME_H
#define HOME_H

#include "hass/hass.h"

struct hass;
struct hass_link;

/* What a home server is made with. */
struct home_options {
    const char *url;                 /* of Home Assistant; NULL: the demo home in this process */
    const char *token;               /* NULL for none */
    const char *ca_file;             /* NULL: those of the system */
    unsigned timeout_ms;             /* of a request: 30,000 */
    const char *entities;            /* "light.*,-lock.*"; NULL: all */
    bool speech;                     /* the four speech tools are offered */
    bool render_template;            /* so is render_template */
    const char *audio_dir;           /* that analyze_audio may read; NULL: none */
    const haft_allocator *allocator; /* NULL: malloc */
};

/* The Home Assistant client: hass.c.  It owns the link, also when hass_new fails.  It connects when
 * a call first needs it.  hass_free: no call uses it any more; NULL is fine. */
struct hass *hass_new(const struct home_options *options, struct hass_link link,
                      haft_reason *reterr_reason);
void hass_free(struct hass *hass);
/* Calls the function with each visible entity whose state changes, on a thread of the client's; it
 * must not wait, and not use the client.  NULL: no more, once this has returned.  For resources. */
void hass_watch(struct hass *hass, void (*on_change)(void *context, const char *entity_id),
                void *context);
/* The client of a call: the `data` of its server (home_hass_data).  In a plugin, whose servers
 * belong to the program, it is the `data` of the tool, resource or prompt. */
struct hass *home_hass(const haft_call *call);
static inline void *home_hass_data(struct hass *hass)
{
    return hass;
}

/* The directory that analyze_audio may read; NULL for none. */
const char *hass_audio_dir(const haft_call *call);

/* Tools, resources and prompts; `registry.c` has the table. */
int home_add(haft_server *server, const struct home_options *options);

/* Notifies subscribers of ha://states/{id} and ha://summary of every change, from the first call or
 * read on, which connects the client.  hass_watch with NULL ends it, before the server is freed. */
void home_watch(struct hass *hass, haft_server *server);

#endif
