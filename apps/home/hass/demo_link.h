/* hass/demo_link.h - the demo home in this process, as a link of the Home Assistant client. */
#ifndef HOME_DEMO_LINK_H
#define HOME_DEMO_LINK_H

#include "demo/demo.h"
#include "hass/link.h"

/* A link to a demo home, which must outlive it.  A thread of the link lets the time of the home pass
 * while the socket is open.  Without memory its context is NULL, which hass_new refuses. */
struct hass_link demo_link_new(struct demo *demo);
/* The same for a home with that token, which is copied. */
struct hass_link demo_link_with_token(struct demo *demo, const char *token);

#endif
