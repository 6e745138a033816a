/* engine/call/carry.h - transfers a call to another process and its result back (carry.c). */
#ifndef HAFT_SRC_ENGINE_CALL_CARRY_H
#define HAFT_SRC_ENGINE_CALL_CARRY_H

#include "engine/call/call.h"

/* Serializes what the handler needs. */
void hf_carry_write_call(haft_call *call, haft_buffer *out);
/* Creates a call from that, for an owner without other calls; NULL with *ret_status set. */
haft_call *hf_carry_read_call(struct owner *owner, const char *text, size_t size, int *ret_status);
/* Serializes the handler's result. */
void hf_carry_write_result(haft_call *call, int status, haft_buffer *out);
/* Reads the result into the call; the process may be compromised. Returns the handler's status, or
 * HAFT_ECRASHED if the text is invalid. */
int hf_carry_read_result(haft_call *call, const char *text, size_t size);
/* The same for a notification that it wants to send: returns a negative status if it is invalid. */
int hf_carry_read_notice(haft_call *call, const char *text, size_t size);

#endif
