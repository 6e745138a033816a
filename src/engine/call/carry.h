/* engine/call/carry.h - a call on its way to another process and back (carry.c). */
#ifndef HAFT_SRC_ENGINE_CALL_CARRY_H
#define HAFT_SRC_ENGINE_CALL_CARRY_H

#include "engine/call/call.h"

/* Writes what the handler needs. */
void hf_carry_write_call(haft_call *call, haft_buffer *out);
/* Makes a call of that, for an owner that has nothing else; NULL with *ret_status set. */
haft_call *hf_carry_read_call(struct owner *owner, const char *text, size_t size, int *ret_status);
/* Writes what the handler came to. */
void hf_carry_write_result(haft_call *call, int status, haft_buffer *out);
/* Reads that, from a process that may have lost its mind, into the call.  What the handler
 * returned, or HAFT_ECRASHED when it makes no sense. */
int hf_carry_read_result(haft_call *call, const char *text, size_t size);
/* The same of a notification that it wants sent: a negative result when it makes no sense. */
int hf_carry_read_notice(haft_call *call, const char *text, size_t size);

#endif
