/* client/list.h - lists of what a server offers: all pages, kept for as long as the server
 * permits; and what is known of its tools. */
#ifndef HAFT_SRC_CLIENT_LIST_H
#define HAFT_SRC_CLIENT_LIST_H

#include "client/request.h"

enum { LIST_KINDS = 4 };

/* A list that is being fetched, or has been. */
struct list {
    haft_buffer items;   /* JSON of the entries so far */
    haft_buffer cursors; /* hashes of the cursors so far */
    haft_buffer skipped; /* tools that cannot be called, and why, each with a NUL */
    haft_buffer places;  /* where each of them begins, a size_t */
    unsigned pages;
    bool running;
    bool asked;     /* it was fetched for calls of tools */
    bool wanted;    /* the program has asked for it, and waits */
    bool unfetched; /* it is complete, and the program that waits has not seen it */
    int status;     /* of one that failed */
    int http_status;
    char error[256];
    struct document *document;   /* that holds the entries */
    yyjson_val *entries, *value; /* and the result of the last page */
    struct document *last;       /* its document; with `message` of an error */
    yyjson_val *message;
    haft_time until; /* fresh before this time */
    bool fresh;
    struct list_wait *first_wait, *last_wait; /* callbacks that wait for it */
};

struct lists {
    struct list kinds[LIST_KINDS];
    struct tools *tools; /* NULL before the list of tools is known */
    /* A malformed entry does not make the list malformed, but is left out, as haft_client_skipped
     * reports. */
    bool lenient;
};

/* The shape of a result of the method without that of its entries; NULL for other methods. */
const struct shape *hf_list_shape(const char *method);
/* Begins to fetch a list, unless that is going on.  Returns 0 or an error. */
int hf_list_begin(haft_client *client, haft_offer kind);
/* Forgets a list that the server has changed. */
void hf_list_changed(haft_client *client, haft_offer kind);
/* Whether the list can be used without asking the server. */
bool hf_list_is_fresh(haft_client *client, const struct list *list);
/* Returns 0, or HAFT_EINVAL with the reason if there is no such kind. */
int hf_list_check_kind(haft_client *client, const char *function, haft_offer kind);
/* The outcome of a list that is not being fetched, and a reference to its document, which may be
 * NULL after an error. */
int hf_list_read(haft_client *client, struct list *list, haft_result *ret_result,
                 struct document **ret_document);
/* The same; the client keeps its document as the latest
 * result. */
int hf_list_result(haft_client *client, struct list *list, haft_result *ret_result);
/* Why the list of tools does not have the one with the name; NULL if it was not left out. */
const char *hf_list_skipped(const haft_client *client, yyjson_val *name);
/* Reports a list to a callback that waits for it. Returns false if there is none. */
bool hf_list_report(haft_client *client);
void hf_list_waits_finish(haft_client *client, struct list *list);
void hf_lists_init(haft_client *client);
void hf_lists_finish(haft_client *client);

/* ---- tool.c ---- */

/* Whether anything about tools must be known before one is called. */
bool hf_tool_matters(const haft_client *client);
/* Prepares a call: checks its arguments, and sets the headers that repeat them, in client->scratch.
 * Returns 0; HAFT_PENDING if the list of tools is being fetched; or an error with the reason in
 * *reterr_reason. */
int hf_tool_prepare(haft_client *client, yyjson_val *params, haft_header **ret_headers,
                    size_t *ret_n, haft_reason *reterr_reason);
/* Whether a call is sent with the wish for a task: the tool requires it, or permits it and it is `wanted`.  Only
 * in revisions in which the client decides. */
bool hf_tool_is_task(const haft_client *client, yyjson_val *params, bool wanted);
/* Checks the structured content of a result against the tool's output schema. */
int hf_tool_check_result(haft_client *client, const struct client_request *request,
                         yyjson_val *result, haft_reason *reterr_reason);
/* Why a tool of a list cannot be called over this transport; NULL if it can be. */
const char *hf_tool_fault(const haft_client *client, yyjson_val *tool);
/* Takes over a list of tools; 0 or HAFT_ENOMEM. */
int hf_tools_learn(haft_client *client, struct document *document, yyjson_val *list);
void hf_tools_forget(haft_client *client);

#endif
