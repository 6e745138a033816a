/* mcp_question.c - questions of an MCP upstream, which the client whose call caused them answers.
 *
 * A modern upstream ends its request with the questions and a state: the call ends in the same way, with
 * that state in its own, and nothing is kept here.  A legacy upstream sends a request and waits: the
 * call is parked until its client comes back with the answer. */
#include <stdio.h>
#include <string.h>

#include "client/client.h"
#include "engine/call/notify.h"
#include "engine/call/pass.h"
#include "upstream/mcp.h"

/* ---- modern upstreams ---- */

int hf_mcp_question_keep(struct mcp_call *one, haft_value *result)
{
    yyjson_val *state = yyjson_obj_get(result, "requestState"), *key, *value;
    yyjson_val *requests = yyjson_obj_get(result, "inputRequests");
    haft_buffer text;
    struct json_writer w = {.out = &text};
    size_t i, n;
    int status;

    haft_buffer_init(&text, one->mcp->upstream->set->allocator,
                     one->call->server->options.max_message);
    haft_buffer_add(&text, (char[]){MCP_STATE_ROUND}, 1);
    hf_json_begin_object(&w);
    if (yyjson_is_str(state))
        hf_json_value(json_key(&w, "state"), state);
    hf_json_begin_array(json_key(&w, "keys"));
    if (requests)
        yyjson_obj_foreach(requests, i, n, key, value)
            hf_json_value(&w, key);
    hf_json_end_array(&w);
    hf_json_end_object(&w);
    haft_buffer_add(&text, "", 1);
    status = text.status ? text.status : haft_call_set_state(one->call, text.data);
    haft_buffer_finish(&text);
    return status;
}

int hf_mcp_question_round(struct mcp_call *one, haft_value *result)
{
    yyjson_val *requests = yyjson_obj_get(result, "inputRequests"), *key, *value;
    int status = hf_mcp_question_keep(one, result);
    size_t i, n;

    if (status || !yyjson_obj_size(requests))
        return status ? status : HAFT_EPROTOCOL;
    yyjson_obj_foreach(requests, i, n, key, value) {
        const char *method = yyjson_get_str(rpc_string(value, "method"));

        status = method ? hf_pass_question(one->call, yyjson_get_str(key), method,
                                           rpc_object(value, "params"))
                        : HAFT_EPROTOCOL;
        if (status != HAFT_AGAIN)
            return status;
    }
    return HAFT_AGAIN;
}

void hf_mcp_question_put(const struct mcp_call *one, struct json_writer *w)
{
    const char *state = haft_call_state(one->call);
    haft_value *kept;
    yyjson_val *key, *answer;
    size_t i, n;

    if (!state || *state != MCP_STATE_ROUND)
        return;
    kept = haft_json_read(state + 1, strlen(state + 1), 0, one->call->arena, NULL);
    hf_json_begin_object(json_key(w, "inputResponses"));
    yyjson_arr_foreach(yyjson_obj_get(kept, "keys"), i, n, key) {
        answer = hf_pass_answer(one->call, yyjson_get_str(key));
        if (answer)
            hf_json_value(hf_json_name(w, yyjson_get_str(key), yyjson_get_len(key)), answer);
    }
    hf_json_end_object(w);
    if (yyjson_obj_get(kept, "state"))
        hf_json_value(json_key(w, "requestState"), yyjson_obj_get(kept, "state"));
}

/* ---- whose a call is ---- */

static struct mcp_owner question_owner(const struct mcp_call *one)
{
    const haft_call *call = one->call;
    const char *principal = call ? haft_call_principal(call) : NULL;
    struct mcp_owner owner = {.session = NULL};
    struct sha256 hash;

    if (!call)
        return one->owner;
    /* Modern clients over HTTP have no session, and share an owner. */
    if (*call->owner->number && (!call->request.peer || !hf_revision_rows[call->revision].modern)) {
        owner.session = call->owner;
        memcpy(owner.number, call->owner->number, sizeof owner.number);
    }
    if (principal) {
        owner.is_known = true;
        hf_sha256_init(&hash);
        hf_sha256_add(&hash, principal, strlen(principal));
        hf_sha256_finish(&hash, owner.principal);
    }
    return owner;
}

/* Whether both are the same client, who may be asked for either. */
static bool question_is_same_owner(const struct mcp_owner *left, const struct mcp_owner *right)
{
    if (left->session && left->session == right->session && !strcmp(left->number, right->number))
        return true;
    return left->is_known && right->is_known &&
           !memcmp(left->principal, right->principal, sizeof left->principal);
}

void hf_mcp_question_left(const struct mcp_call *one)
{
    struct mcp_link *link = one->link;
    struct mcp_owner owner = question_owner(one);
    uint64_t now = uv_now(&one->mcp->upstream->set->outbound.loop);
    unsigned i = 0;

    if (!link || !link->client)
        return;
    while (i < link->n_left && link->left[i].until > now &&
           !question_is_same_owner(&link->left[i].owner, &owner))
        i++;
    if (i == MCP_LEFT || (!owner.session && !owner.is_known)) {
        link->unknown_until = now + MCP_LEFT_MS;
        return;
    }
    link->left[i] = (struct mcp_left){.owner = owner, .until = now + MCP_LEFT_MS};
    if (i == link->n_left)
        link->n_left++;
}

/* Whether no call of another client was left. */
static bool question_left_only(const struct mcp_link *link, const struct mcp_owner *owner)
{
    uint64_t now = uv_now(&link->mcp->upstream->set->outbound.loop);

    if (link->unknown_until > now)
        return false;
    for (unsigned i = 0; i < link->n_left; i++)
        if (link->left[i].until > now && !question_is_same_owner(&link->left[i].owner, owner))
            return false;
    return true;
}

/* ---- asking ---- */

static void question_shift(struct mcp_call *one)
{
    one->n_questions--;
    memmove(one->questions, one->questions + 1, one->n_questions * sizeof *one->questions);
}

/* Refuses the first question. */
static void question_refuse(struct mcp_call *one, int code, const char *why)
{
    haft_question *question = one->questions[0].question;

    question_shift(one);
    haft_question_refuse(question, code, why);
}

/* Asks the client the first question that it can be asked.  The call may have ended afterwards. */
static void question_ask(struct mcp_call *one)
{
    atomic_fetch_add(&one->refs, 1);
    while (one->call && one->n_questions) {
        struct mcp_question *first = &one->questions[0];
        haft_call *call = one->call;
        bool room = hf_mcp_parked_make_room(one);
        int status;

        if (one->call != call) /* it has ended while another one was left */
            break;
        snprintf(first->key, sizeof first->key, "q%u", ++one->n_asked);
        status = room ? hf_pass_question(call, first->key, haft_question_method(first->question),
                                         haft_question_params(first->question))
                      : HAFT_EBUSY;
        if (status == HAFT_AGAIN && !hf_mcp_parked_set_key(one)) {
            hf_mcp_park(one);
            one->owner = question_owner(one);
            one->call = NULL;
            haft_finish(call, HAFT_AGAIN);
            break;
        }
        call->error.data = NULL;
        question_refuse(one, status == HAFT_ECAPABILITY ? RPC_METHOD_NOT_FOUND : RPC_INTERNAL_ERROR,
                        status == HAFT_ECAPABILITY ? "The client does not support this question."
                                                   : "The client cannot be asked.");
    }
    hf_mcp_call_drop(one);
}

void hf_mcp_question_drop(struct mcp_call *one)
{
    while (one->n_questions)
        question_refuse(one, RPC_INTERNAL_ERROR, "The call has ended.");
}

/* ---- the client comes back ---- */

/* The upstream has ended the call meanwhile. */
static void question_report(struct mcp_call *one)
{
    haft_call *call = one->call;
    haft_value *result = NULL;
    haft_reason reason = {.code = 0};

    if (one->status) {
        hf_mcp_call_fail(one, one->status, one->outcome.size ? one->outcome.data : "");
        return;
    }
    result = haft_json_read(one->outcome.data, one->outcome.size - 1, JSON_MAX_DEPTH, call->arena,
                            &reason);
    if (result)
        hf_mcp_call_answer(one, result);
    else
        hf_mcp_call_fail(one, reason.code, reason.text);
}

static void question_answer(struct mcp_call *one)
{
    haft_question *question = one->questions[0].question;
    yyjson_val *answer = hf_pass_answer(one->call, one->questions[0].key);
    haft_buffer text;

    if (!answer) { /* asked again */
        question_ask(one);
        return;
    }
    haft_buffer_init(&text, one->mcp->upstream->set->allocator, CLIENT_ANSWER_LIMIT);
    haft_json_write(answer, &text);
    haft_buffer_add(&text, "", 1);
    question_shift(one);
    atomic_fetch_add(&one->refs, 1);
    if (text.status || haft_question_answer(question, text.data) == HAFT_ENOMEM)
        haft_question_refuse(question, RPC_INTERNAL_ERROR, "The answer cannot be passed on.");
    haft_buffer_finish(&text);
    question_ask(one); /* the next one, if there is one */
    hf_mcp_call_drop(one);
}

bool hf_mcp_question_resume(struct mcp_call *one)
{
    const char *state = haft_call_state(one->call);
    struct mcp_call *parked;
    haft_call *call = one->call;

    if (!state || *state != MCP_STATE_PARKED)
        return false;
    parked = hf_mcp_parked_find(one->mcp, state);
    if (!parked) {
        hf_mcp_call_fail(one, HAFT_ENOTFOUND, "the call does not wait for this answer any more");
        return true;
    }
    hf_mcp_unpark(parked);
    parked->call = call;
    parked->item = one->item;
    parked->argument = one->argument;
    parked->value = one->value;
    atomic_store(&parked->cancelling, MCP_WANTED);
    haft_call_on_cancel(call, hf_mcp_call_cancelled, parked);
    one->call = NULL;
    hf_mcp_call_drop(one);
    if (parked->ended)
        question_report(parked);
    else if (parked->n_questions)
        question_answer(parked);
    return true;
}

/* ---- what the upstream sends ---- */

/* The call that a message is about if all calls share a connection: the latest, if all that the
 * upstream may work at are of one client; otherwise that is unknown, and NULL.  One that waits for an
 * answer may have asked more than one question.  One that was left is nobody's to answer for, but the message may be
 * about it. */
static struct mcp_call *question_guess(const struct mcp_link *link)
{
    struct mcp_call *found = NULL;
    struct mcp_owner owner, other;
    bool any = false;

    for (struct mcp_call *one = link->first; one; one = one->next) {
        if (!one->id)
            continue;
        other = question_owner(one);
        if (any && !question_is_same_owner(&owner, &other))
            return NULL;
        if (!one->abandoned && (!found || found->parked || !one->parked))
            found = one;
        owner = other;
        any = true;
    }
    return found && question_left_only(link, &owner) ? found : NULL;
}

static struct mcp_call *question_cause(const struct mcp_link *link)
{
    struct mcp_call *one = hf_mcp_call_of(link, hf_client_cause(link->client));

    return one ? one : question_guess(link);
}

/* One line for a while: an upstream may ask again and again. */
static void question_log_refused(struct mcp_link *link, const haft_question *question)
{
    uint64_t now = uv_now(&link->mcp->upstream->set->outbound.loop);

    if (link->refused_until > now) {
        link->n_refused++;
        return;
    }
    hf_server_log(link->mcp->upstream->set->server, HAFT_WARNING,
                  "upstream %s: refused %s, which cannot be related to one client%s%.0u",
                  link->mcp->upstream->name, haft_question_method(question),
                  link->n_refused ? "; others since the last such line: " : "", link->n_refused);
    link->refused_until = now + MCP_REFUSED_MS;
    link->n_refused = 0;
}

int hf_mcp_ask(void *context, haft_question *question)
{
    struct mcp_link *link = context;
    struct mcp_call *one = link->client ? question_cause(link) : NULL;

    if (link->mcp->upstream->stopped) { /* the answer would come to another upstream */
        haft_question_refuse(question, RPC_INTERNAL_ERROR, "The server is not used any more.");
        return 0;
    }
    if (!one || one->n_questions == MCP_QUESTIONS) {
        question_log_refused(link, question);
        haft_question_refuse(question, RPC_INTERNAL_ERROR,
                             "The question cannot be related to one client.");
        return 0;
    }
    one->questions[one->n_questions++] = (struct mcp_question){.question = question};
    if (one->call && one->n_questions == 1)
        question_ask(one);
    return 0;
}

void hf_mcp_notified(void *context, const char *method, haft_value *params)
{
    struct mcp_link *link = context;
    struct mcp_call *one;
    const char *data;

    if (strcmp(method, "notifications/message") != 0 || !link->client)
        return;
    one = question_cause(link);
    if (one && one->call) {
        hf_message_pass(one->call, params);
        return;
    }
    data = yyjson_get_str(rpc_string(params, "data"));
    hf_server_log(link->mcp->upstream->set->server, HAFT_DEBUG, "upstream %s: %.500s",
                  link->mcp->upstream->name, data ? data : "(a message that is not text)");
}
