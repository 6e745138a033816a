/* loop/reserve.h - preallocates a loop's table of descriptors. */
#ifndef HAFT_SRC_RESERVE_H
#define HAFT_SRC_RESERVE_H

#include <haft/base.h>
#include <uv.h>

/* Makes the loop's table of watched descriptors large enough for `n`. libuv aborts if there is no
 * memory for that table, so it grows before serving starts. Reserves less if the process may not
 * have so many descriptors. Some of the memory is freed when the loop runs. */
void hf_loop_reserve(uv_loop_t *loop, const haft_allocator *allocator, size_t n);

#endif
