/* demo/picture.h - what the camera sees: the front door, as a PNG. */
#ifndef HOME_DEMO_PICTURE_H
#define HOME_DEMO_PICTURE_H

#include <haft.h>

/* Appends the picture.  The lamp beside the door is green while it is locked, else red. */
void demo_picture_write(haft_buffer *out, bool locked);

#endif
