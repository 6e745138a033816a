/* engine/call/pass.h - answers a call with what another server has answered (pass.c). */
#ifndef HAFT_SRC_ENGINE_CALL_PASS_H
#define HAFT_SRC_ENGINE_CALL_PASS_H

#include "engine/call/call.h"

/* Answers with the result of the same method, of any revision, as it is: it is copied, not checked
 * against a schema, and only blocks that the client's revision does not have are converted.
 * Returns 0, or an error that the handler can return. */
int hf_pass_result(haft_call *call, yyjson_val *result);

/* Answers with an error of the protocol.  The message is cut to PASS_MESSAGE bytes, and data of more than
 * PASS_DATA bytes are left out; they may be NULL.  Returns the status for the handler. */
enum { PASS_MESSAGE = 2048, PASS_DATA = 65536 };
int hf_pass_error(haft_call *call, int code, const char *message, yyjson_val *data);

/* Asks the client a question of another server: `params` as they came.  Members that belong to the
 * other connection are left out.  Returns HAFT_AGAIN; HAFT_ECAPABILITY if the client cannot be
 * asked; HAFT_EINVAL for another method; or HAFT_ENOMEM. */
int hf_pass_question(haft_call *call, const char *key, const char *method, yyjson_val *params);
/* The client's answer to it; NULL if there is none. */
yyjson_val *hf_pass_answer(const haft_call *call, const char *key);
/* Writes an object of all answers that the client has given. */
void hf_pass_answers(const haft_call *call, struct json_writer *w);

#endif
