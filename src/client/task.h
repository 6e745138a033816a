/* client/task.h - a request that has become a task: the server works on it, and the client asks for its
 * state until it has ended. */
#ifndef HAFT_SRC_CLIENT_TASK_H
#define HAFT_SRC_CLIENT_TASK_H

#include "client/question.h"

#define CLIENT_TASK_EXTENSION META_PREFIX "tasks"

enum {
    CLIENT_TASK_ID_MAX = 512,      /* bytes of an id */
    CLIENT_TASK_POLL_MS = 1000,    /* between polls, if the server does not suggest anything */
    CLIENT_TASK_POLL_MIN_MS = 100, /* whatever it suggests */
    CLIENT_TASK_POLL_MAX_MS = 60000,
    CLIENT_TASK_LISTEN_MS = 1000, /* with rarer polls the client also subscribes to the task */
    CLIENT_TASK_RETRY_MAX_MS = 30000,
    CLIENT_TASK_FAILURES = 10,    /* polls that fail one after the other */
    CLIENT_TASK_GRACE_MS = 60000, /* after the time to live, in which the server may end it */
    CLIENT_TASK_MAX_MS = 86400000 /* for a task without a time to live, or with a longer one */
};

enum client_task_status {
    CLIENT_TASK_UNKNOWN,
    CLIENT_TASK_WORKING,
    CLIENT_TASK_INPUT_REQUIRED,
    CLIENT_TASK_COMPLETED,
    CLIENT_TASK_FAILED,
    CLIENT_TASK_CANCELLED
};

struct client_task {
    /* Requests about it; 0 for none.  `fetch` is tasks/result, for a legacy server. */
    int64_t poll, update, fetch, listen;
    int64_t token;   /* of progress of the call */
    haft_time begun; /* when the client learned of it */
    haft_time
        end; /* when the client gives up, without the time that the program has had questions */
    haft_time next;    /* of the next poll */
    haft_time polled;  /* of the latest poll */
    unsigned interval; /* between polls */
    unsigned failures; /* of polls, one after the other */
    uint64_t reported; /* hash of the status and the message that were reported as progress */
    haft_buffer keys;  /* hashes of the keys of its questions, a uint64_t each */
    bool owned;        /* the client has created it, and cancels it when it gives up */
    bool hinted;       /* something was heard of it while a poll was on its way */
    bool listened;     /* the client has subscribed to it, or tried to */
    size_t size;       /* of this struct, with the id */
    char id[];
};

/* Waits for the end of a task of an earlier time.  Returns the id of the request, or an error. */
int64_t hf_client_task_await(haft_client *client, const haft_client_exchange *exchange);
/* Sets the due of the request to the next point in time that matters. */
void hf_client_task_arm(haft_client *client, struct client_request *request);
/* Lets the client poll soon. */
void hf_client_task_hasten(haft_client *client, struct client_request *request);
/* Sends tasks/cancel, unless the task is not the client's. */
int hf_client_task_cancel(haft_client *client, const struct client_request *request);

/* ---- task_state.c ---- */

/* Reads a task, whose id must be that, or NULL.  Returns CLIENT_TASK_UNKNOWN with the reason if it is malformed. */
enum client_task_status hf_client_task_read(yyjson_val *value, const char *id,
                                            haft_reason *reterr_reason);
/* Whether the key of a question is new; remembers it. */
bool hf_client_task_is_new(struct client_task *task, yyjson_val *key);
/* Whether one of the questions is new. */
bool hf_client_task_has_new(const struct client_task *task, yyjson_val *questions);

/* ---- task_ask.c ---- */

/* Begins a request about a task: the id goes with it and, if they are not NULL, answers.  Its callback gets
 * the id of `request`.  Returns its id or an error. */
int64_t hf_client_task_send(haft_client *client, const struct client_request *request,
                            const char *method, const haft_buffer *responses,
                            haft_client_done *done, unsigned flags);
/* The request that a callback is about; NULL if it has ended. */
struct client_request *hf_client_task_of(haft_client *client, void *context);
/* Whether asking again may help: the result of a request about a task. */
bool hf_client_task_is_transient(const haft_client *client, int status, const haft_result *result);
/* Counts a failure with that status, in its callback, and polls later.  Ends the request if there were too
 * many. */
void hf_client_task_later(haft_client *client, struct client_request *request, int status);
/* Puts new questions of a task to the program.  Returns false if the request has ended. */
bool hf_client_task_ask(haft_client *client, struct client_request *request,
                        struct document *document, yyjson_val *value);
/* Sends the answers that the program has given and that have not been sent. */
void hf_client_task_answer(haft_client *client, struct client_request *request);
/* Subscribes to the task, and ends that. */
void hf_client_task_listen(haft_client *client, struct client_request *request);
void hf_client_task_unlisten(haft_client *client, struct client_task *task);

#endif
