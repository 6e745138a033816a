/* client/question.h - questions of the server, and the rounds in which a modern one asks them. */
#ifndef HAFT_SRC_CLIENT_QUESTION_H
#define HAFT_SRC_CLIENT_QUESTION_H

#include "client/client.h"

/* Questions of one round, and open ones of a legacy server. */
enum { QUESTIONS_OPEN = 64 };

enum question_state {
    QUESTION_NEW,     /* has not been put to the program */
    QUESTION_OPEN,    /* the program has it */
    QUESTION_ANSWERED /* waits for the others of its round */
};

struct haft_question {
    haft_client *client; /* NULL: answers are not wanted any more */
    struct haft_question *previous, *next;
    const haft_allocator *allocator;
    struct document *document; /* what the values below are of */
    const char *method;
    yyjson_val *params;
    yyjson_val *id;                 /* of a legacy server's request, or */
    struct client_request *request; /* the client's request, */
    yyjson_val *key;                /* and the name of the question */
    enum question_state state;
    bool sent;   /* its answer is on its way to a task */
    bool *ended; /* set when it ends while it is put to the program */
    haft_buffer answer;
};

/* Makes a question; NULL without memory. */
struct haft_question *hf_question_new(haft_client *client, struct document *document,
                                      const char *method, yyjson_val *params);
/* Puts a question to the program; it may be gone afterwards. */
void hf_question_present(haft_client *client, haft_question *question);
/* Whether the program can be asked this. */
bool hf_question_is_known(const haft_client *client, const char *method);
/* Checks the parameters, which are at `path`.  Returns 0, or HAFT_EINVAL with the reason. */
int hf_question_check(const char *method, yyjson_val *params, const char *path,
                      haft_reason *reterr_reason);

/* The answers that were on their way are to be sent again, or have arrived. */
void hf_question_settle(haft_client *client, const struct client_request *request, bool again);

/* ---- round.c ---- */

/* Makes the questions of a round; of a task those that are new.  Returns 0; HAFT_EINVAL with the reason if one
 * is malformed; HAFT_ECAPABILITY if one cannot be asked; or HAFT_ENOMEM. */
int hf_round_make_all(haft_client *client, struct client_request *request,
                      struct document *document, yyjson_val *questions, haft_reason *reterr_reason);
/* Puts the new questions of a request to the program.  Returns false if the request has ended then. */
bool hf_round_present(haft_client *client, struct client_request *request);
/* Writes {"key":ANSWER,...} of all questions of a request whose answers have not been sent.  Returns their
 * number. */
size_t hf_round_put_answers(haft_client *client, const struct client_request *request,
                            haft_buffer *out);

/* Repeats a request with the answers. */
void hf_round_continue(haft_client *client, struct client_request *request);
/* Ends a request with the result that asks, because the program does not answer. */
void hf_round_give_up(haft_client *client, struct client_request *request);

#endif
