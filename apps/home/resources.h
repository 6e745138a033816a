/* resources.h - what the home offers besides tools. */
#ifndef HOME_RESOURCES_H
#define HOME_RESOURCES_H

#include "home.h"

/* The tables of resources, templates of resources, and prompts; each ends with a row without a name. */
extern const haft_resource home_resources[], home_templates[];
extern const haft_prompt home_prompts[];

/* Add the resources ha://states/{id}, ha://camera/{id}, ha://areas and ha://summary, and the prompts.  Each
 * returns 0 or an error, with the reason in haft_server_error. */
int home_add_resources(haft_server *server);
int home_add_prompts(haft_server *server);

/* Suggest entity ids, of one domain unless it is NULL, or names of areas: first those that begin with the
 * value, then those that contain it.  Case is ignored. */
int home_complete_entity(haft_call *call, const char *domain, const char *value);
int home_complete_area(haft_call *call, const char *value);

#endif
