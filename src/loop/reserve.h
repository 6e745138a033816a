/* loop/reserve.h - room in a loop for the descriptors that will be watched there. */
#ifndef HAFT_SRC_RESERVE_H
#define HAFT_SRC_RESERVE_H

#include <haft/base.h>
#include <uv.h>

/* Has the loop make its table of watched descriptors as large as `n` of them need.  libuv ends the
 * process when there is no memory for that table to grow; so it grows before anybody is served.
 * What cannot be reserved (there may not be so many descriptors) is left out.  Something of it is
 * freed when the loop runs. */
void hf_loop_reserve(uv_loop_t *loop, const haft_allocator *allocator, size_t n);

#endif
