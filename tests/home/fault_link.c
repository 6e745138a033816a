/* fault_link.c - a link that passes everything on until a message has a given text in it, and then breaks
 * as the situation wants. */
#include "home/fault_link.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yyjson.h>

#include "support/test.h"

static const char burning[] = "The device is on fire.";

/* ---- what is asked ---- */

/* Notes a line, and decides whether it is the one.  True when the link misbehaves for it. */
static bool fault_note(struct fault_link *fault, const char *line)
{
    size_t size = strlen(line);
    bool here;

    pthread_mutex_lock(&fault->lock);
    fault->asked = realloc(fault->asked, fault->n_asked + size + 2);
    if (!fault->asked)
        abort();
    memcpy(fault->asked + fault->n_asked, line, size);
    memcpy(fault->asked + fault->n_asked + size, "\n", 2);
    fault->n_asked += size + 1;
    here = fault->situation >= HASS_ERROR && *fault->at && strstr(line, fault->at);
    fault->struck = fault->struck || here;
    /* An error is the answer to one thing; the rest is as before. */
    here = fault->situation == HASS_ERROR && *fault->at ? here : fault->struck;
    pthread_mutex_unlock(&fault->lock);
    return here;
}

static void fault_swallow(struct fault_link *fault)
{
    pthread_mutex_lock(&fault->lock);
    fault->swallowed++;
    pthread_cond_broadcast(&fault->moved);
    pthread_mutex_unlock(&fault->lock);
}

/* ---- answers of its own ---- */

const struct fault_answer *fault_answers;

/* The answer to a line, to be freed; NULL if it is for the home behind the link. */
static char *fault_scripted(const struct fault_link *fault, const char *line,
                            const struct fault_answer **ret_answer)
{
    const struct fault_answer *at = fault->answers;
    char *copy;

    while (at && at->part && !strstr(line, at->part))
        at++;
    if (!at || !at->part)
        return NULL;
    *ret_answer = at;
    copy = strdup(at->answer);
    if (!copy)
        abort();
    for (char *c = copy; *c; c++)
        *c = *c == '\'' ? '"' : *c;
    return copy;
}

/* ---- requests ---- */

static void *fault_request(void *context, const struct link_request *request,
                           void (*done)(void *who, const struct link_response *response), void *who)
{
    struct fault_link *fault = context;
    size_t size = strlen(request->path) + (request->body ? strlen(request->body) : 0) + 16;
    char *line = malloc(size);
    struct fault_pending *pending;
    const struct fault_answer *found;
    char *own;
    bool here;

    if (!line)
        abort();
    snprintf(line, size, "%s %s %s", request->method, request->path,
             request->body ? request->body : "");
    here = fault_note(fault, line);
    own = here ? NULL : fault_scripted(fault, line, &found);
    free(line);
    if (own) {
        done(who, &(struct link_response){.status = found->status,
                                          .type = found->type ? found->type : "text/plain",
                                          .body = own,
                                          .size = strlen(own)});
        free(own);
        return NULL;
    }
    if (!here)
        return fault->inner.request(fault->inner.context, request, done, who);
    if (fault->situation == HASS_ERROR) {
        static const char body[] = "{\"message\":\"The device is on fire.\"}";

        done(who,
             &(struct link_response){
                 .status = 500, .type = "application/json", .body = body, .size = sizeof body - 1});
        return NULL;
    }
    if (fault->situation == LOST) {
        done(who, &(struct link_response){.text = "the connection was cut", .maybe_done = true});
        return NULL;
    }
    pending = malloc(sizeof *pending);
    if (!pending)
        abort();
    *pending = (struct fault_pending){.done = done, .who = who};
    pthread_mutex_lock(&fault->lock);
    pending->next = fault->pending;
    fault->pending = pending;
    pthread_mutex_unlock(&fault->lock);
    fault_swallow(fault);
    return pending;
}

static void fault_cancel(void *context, void *handle)
{
    struct fault_link *fault = context;
    struct fault_pending **link, *found;

    pthread_mutex_lock(&fault->lock);
    for (link = &fault->pending; *link && *link != handle;)
        link = &(*link)->next;
    found = *link;
    if (found)
        *link = found->next;
    pthread_mutex_unlock(&fault->lock);
    if (!found) {
        fault->inner.cancel(fault->inner.context, handle);
        return;
    }
    found->done(found->who, &(struct link_response){.text = "cancelled", .maybe_done = true});
    free(found);
}

/* ---- the socket ---- */

static void fault_message(void *who, const char *text, size_t size)
{
    struct fault_link *fault = who;

    fault->message(fault->who, text, size);
}

static void fault_closed(void *who, const char *reason)
{
    struct fault_link *fault = who;
    bool cut;

    pthread_mutex_lock(&fault->lock);
    cut = fault->struck && fault->situation == LOST;
    pthread_mutex_unlock(&fault->lock);
    fault->closed(fault->who, cut ? "the connection was cut" : reason);
}

static int fault_open(void *context, void (*message)(void *who, const char *text, size_t size),
                      void (*closed)(void *who, const char *reason), void *who)
{
    struct fault_link *fault = context;
    bool struck;

    pthread_mutex_lock(&fault->lock);
    fault->message = message;
    fault->closed = closed;
    fault->who = who;
    struck = fault->struck;
    fault->deaf = struck && fault->situation > LOST;
    pthread_mutex_unlock(&fault->lock);
    if (struck && fault->situation == LOST) {
        closed(who, "the connection was cut");
        return 0;
    }
    if (fault->deaf) {
        fault_swallow(fault);
        return 0;
    }
    return fault->inner.open(fault->inner.context, fault_message, fault_closed, fault);
}

/* The answer to a command, if it is one: its result, or an error. */
static void fault_answer_own(struct fault_link *fault, const char *text, size_t size,
                             const struct fault_answer *found, const char *own)
{
    yyjson_doc *doc = yyjson_read(text, size, 0);
    yyjson_val *id = yyjson_obj_get(yyjson_doc_get_root(doc), "id");
    long long number = (long long)yyjson_get_sint(id);
    size_t room = strlen(own) + 256;
    char *answer = malloc(room);
    int n;

    if (!answer)
        abort();
    n = found->status
            ? snprintf(answer, room,
                       "{\"id\":%lld,\"type\":\"result\",\"success\":false,\"error\":{\"code\":"
                       "\"%s\",\"message\":\"%s\"}}",
                       number, found->type, own)
            : snprintf(answer, room,
                       "{\"id\":%lld,\"type\":\"result\",\"success\":true,\"result\":%s}", number,
                       own);
    if (id)
        fault->message(fault->who, answer, (size_t)n);
    yyjson_doc_free(doc);
    free(answer);
}

/* The answer to a command that fails, if it is one. */
static void fault_answer_error(struct fault_link *fault, const char *text, size_t size)
{
    yyjson_doc *doc = yyjson_read(text, size, 0);
    yyjson_val *id = yyjson_obj_get(yyjson_doc_get_root(doc), "id");
    char answer[256];
    int n = snprintf(answer, sizeof answer,
                     "{\"id\":%lld,\"type\":\"result\",\"success\":false,\"error\":{\"code\":"
                     "\"home_assistant_error\",\"message\":\"%s\"}}",
                     (long long)yyjson_get_sint(id), burning);

    if (id)
        fault->message(fault->who, answer, (size_t)n);
    yyjson_doc_free(doc);
}

static void fault_send(void *context, const char *text, size_t size)
{
    struct fault_link *fault = context;
    char *line = strndup(text, size), *own;
    const struct fault_answer *found;
    bool here, auth;

    if (!line)
        abort();
    auth = strstr(line, "\"type\":\"auth\"");
    here = fault_note(fault, line);
    own = here ? NULL : fault_scripted(fault, line, &found);
    free(line);
    if (own)
        fault_answer_own(fault, text, size, found, own);
    else if (!here || (fault->situation == HASS_ERROR && auth))
        fault->inner.send(fault->inner.context, text, size);
    else if (fault->situation == HASS_ERROR)
        fault_answer_error(fault, text, size);
    else if (fault->situation == LOST)
        fault->inner.close(fault->inner.context);
    else
        fault_swallow(fault);
    free(own);
}

static void fault_close(void *context)
{
    struct fault_link *fault = context;
    bool deaf;

    pthread_mutex_lock(&fault->lock);
    deaf = fault->deaf;
    fault->deaf = false;
    pthread_mutex_unlock(&fault->lock);
    if (deaf)
        fault->closed(fault->who, "closed");
    else
        fault->inner.close(fault->inner.context);
}

static void fault_free(void *context)
{
    struct fault_link *fault = context;

    fault->inner.free(fault->inner.context);
    free(fault->asked);
    fault->asked = NULL;
    pthread_cond_destroy(&fault->moved);
    pthread_mutex_destroy(&fault->lock);
}

struct hass_link fault_link_init(struct fault_link *fault, struct hass_link inner,
                                 enum situation situation, const char *at)
{
    *fault = (struct fault_link){.inner = inner,
                                 .situation = situation,
                                 .struck = situation >= HASS_ERROR && !at,
                                 .answers = fault_answers};
    snprintf(fault->at, sizeof fault->at, "%s", at ? at : "");
    for (char *c = fault->at; *c; c++)
        *c = *c == '\'' ? '"' : *c;
    assert_int_equal(pthread_mutex_init(&fault->lock, NULL), 0);
    assert_int_equal(pthread_cond_init(&fault->moved, NULL), 0);
    return (struct hass_link){.request = fault_request,
                              .cancel = fault_cancel,
                              .open = fault_open,
                              .send = fault_send,
                              .close = fault_close,
                              .free = fault_free,
                              .context = fault,
                              .token = inner.token};
}
