/* engine/call/question.h - what a handler asks the client, and the answers (question.c, input.c). */
#ifndef HAFT_SRC_ENGINE_CALL_QUESTION_H
#define HAFT_SRC_ENGINE_CALL_QUESTION_H

#include "engine/call/owner.h"
#include "protocol/rpc.h"

/* A question that a handler has put, and its answer. */
struct question {
    struct question *next;
    const char *key;
    const char *method; /* elicitation/create, ... */
    const char *params; /* JSON */
    yyjson_val *answer; /* NULL until it has come */
    int64_t request_id; /* legacy: of the request that asks it; 0 before it is sent */
    bool fresh;         /* put in this round */
    bool opens;         /* it has an address to open */
};

/* What a call asks the client. */
struct asking {
    struct question *questions;
    const char *state; /* of the handler's own: haft_call_set_state */
    unsigned rounds;
};

/* A question that a handler has put elsewhere; an answer that it had is none.  False when it cannot
 * be one. */
bool hf_question_put(haft_call *call, const char *key, const char *method, yyjson_val *params);
/* A member of an object: its key, with the method and the parameters. */
void hf_question_write(const struct question *question, struct json_writer *w);
/* An answer for the handler to find, in the place of one that is there.  False without memory. */
bool hf_question_give(haft_call *call, yyjson_val *key, yyjson_val *answer);
/* What a retry brings along: answers and state.  False when it was refused and answered. */
bool hf_input_restore(haft_call *call);
/* The handler has returned HAFT_AGAIN. */
void hf_input_ask(haft_call *call);
/* The answer of a legacy client. */
void hf_input_answer(struct owner *owner, const struct rpc_message *message);
/* Takes back what a legacy client has been asked and has not answered. */
void hf_input_withdraw(haft_call *call, const char *reason);
/* Why a handler returned HAFT_ECAPABILITY. */
void hf_input_refuse(haft_call *call);

#endif
