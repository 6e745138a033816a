/* picture.h - pictures of cameras. */
#ifndef HOME_PICTURE_H
#define HOME_PICTURE_H

#include "home.h"

/* More bytes than that are too many for a model. */
enum { HOME_MOST_PICTURE = 2 << 20 };

/* The current picture of a camera, an image of at most HOME_MOST_PICTURE bytes.  Returns 0 or an error of the
 * call. */
int home_picture(haft_call *call, const entity *camera, struct hass_answer *ret_picture);

#endif
