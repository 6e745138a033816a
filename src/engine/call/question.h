/* engine/call/question.h - questions of a handler to the client, and answers (question.c,
 * input.c). */
#ifndef HAFT_SRC_ENGINE_CALL_QUESTION_H
#define HAFT_SRC_ENGINE_CALL_QUESTION_H

#include "engine/call/owner.h"
#include "protocol/rpc.h"

/* A question of a handler, and its answer. */
struct question {
    struct question *next;
    const char *key;
    const char *method; /* elicitation/create, ... */
    const char *params; /* JSON */
    yyjson_val *answer; /* NULL until received */
    int64_t request_id; /* legacy: id of the request that asks it; 0 before it is sent */
    bool fresh;         /* asked in this round */
    bool opens;         /* has a URL to open */
};

/* The questions of a call to the client. */
struct asking {
    struct question *questions;
    const char *state; /* the handler's state: haft_call_set_state */
    unsigned rounds;
    bool is_task;     /* the call is answered with the id of a task */
    bool begins_task; /* the handler returned HAFT_AGAIN because of haft_task_begin */
    /* Whether haft_task_begin makes it a task, in the process of an isolated handler: the server has
     * decided. */
    bool decided, may_begin;
};

/* Adds a question that a handler asked in another process, and discards an earlier answer. Returns
 * false if it is invalid. */
bool hf_question_put(haft_call *call, const char *key, const char *method, yyjson_val *params);
/* Writes a question as a member of an object: its key, with method and parameters. */
void hf_question_write(const struct question *question, struct json_writer *w);
/* Stores an answer for the handler, and replaces an earlier one. Returns false without memory. */
bool hf_question_give(haft_call *call, yyjson_val *key, yyjson_val *answer);
/* Restores the answers and the state that a retry contains. Returns false if it was rejected and
 * answered. */
bool hf_input_restore(haft_call *call);
/* Sends the questions of a handler that returned HAFT_AGAIN. */
void hf_input_ask(haft_call *call);
/* Processes a response of a legacy client. */
void hf_input_answer(struct owner *owner, const struct rpc_message *message);
/* Cancels questions that a legacy client has not answered. */
void hf_input_withdraw(haft_call *call, const char *reason);
/* Sends the error for a handler that returned HAFT_ECAPABILITY. */
void hf_input_refuse(haft_call *call);

#endif
