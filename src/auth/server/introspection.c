/* introspection.c - asks issuers about tokens that are not JWTs (RFC 7662).
 *
 * Requests with the same token share one question. An issuer that says that the token is not active
 * may not know it, so that the next one is asked. Whatever is not an answer is not a refusal: the
 * client may try again. */
#include <stdio.h>

#include "auth/client/assertion.h"
#include "auth/form.h"
#include "auth/wiping.h"
#include "auth/server/server.h"
#include "base/list.h"

enum {
    QUESTION_MAX = 256, /* at once */
    QUESTION_FORM = 128 << 10,
    QUESTION_HEADER = 16 << 10,
    QUESTION_ANSWER = 64 << 10,
    QUESTION_ARENA = 1 << 20,
    QUESTION_LOG_MS = 60000 /* between lines about failures */
};

static const char question_assertion_type[] =
    "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/* ---- under the lock ---- */

static struct issuer *question_next_issuer(struct authenticator *authenticator,
                                           const struct issuer *after)
{
    struct issuer *end = authenticator->issuers + authenticator->options.n_issuers;
    struct issuer *issuer = after ? authenticator->issuers + (after - authenticator->issuers) + 1
                                  : authenticator->issuers;

    while (issuer < end && !issuer->options.introspection)
        issuer++;
    return issuer < end ? issuer : NULL;
}

static struct question *question_new(struct authenticator *authenticator,
                                     const struct presented *presented, struct siphash_pair digest)
{
    const haft_allocator *memory = authenticator->memory;
    struct question *question = memory->alloc(memory->context, sizeof *question);

    if (!question)
        return NULL;
    *question =
        (struct question){.digest = digest, .issuer = question_next_issuer(authenticator, NULL)};
    haft_buffer_init(&question->form, memory, QUESTION_FORM);
    haft_buffer_init(&question->fetch.answer, memory, QUESTION_ANSWER);
    question->token = hf_wiping_copy(memory, presented->secret.data);
    question->path = hf_wiping_copy(memory, presented->path);
    LIST_PUSH(authenticator->questions, question, previous, next);
    authenticator->n_questions++;
    if (question->token && question->path)
        return question;
    hf_question_free(authenticator, question);
    return NULL;
}

struct question *hf_question_find(struct authenticator *authenticator,
                                  const struct presented *presented, struct siphash_pair digest)
{
    for (struct question *each = authenticator->questions; each; each = each->next)
        if (each->digest.first == digest.first && each->digest.second == digest.second &&
            !each->ended)
            return each;
    if (authenticator->n_questions >= QUESTION_MAX)
        return NULL;
    return question_new(authenticator, presented, digest);
}

void hf_question_free(struct authenticator *authenticator, struct question *question)
{
    const haft_allocator *memory = authenticator->memory;

    LIST_TAKE(authenticator->questions, question, previous, next);
    authenticator->n_questions--;
    hf_wiping_free(memory, question->token);
    hf_wiping_free(memory, question->path);
    haft_buffer_finish(&question->form);
    haft_buffer_finish(&question->fetch.answer);
    memory->release(memory->context, question, sizeof *question);
}

/* ---- the answer ---- */

/* Ends the question, after which no check can join it, and the checks that wait for it. */
static void question_end(struct question *question, struct known *known, enum token_error error,
                         bool unavailable)
{
    struct authenticator *authenticator = question->issuer->authenticator;

    uv_mutex_lock(&authenticator->lock);
    question->ended = true;
    uv_mutex_unlock(&authenticator->lock);
    hf_check_answered(question, known, error, unavailable);
    uv_mutex_lock(&authenticator->lock);
    hf_question_free(authenticator, question);
    uv_mutex_unlock(&authenticator->lock);
}

static void question_start(struct question *question);

/* This issuer does not vouch for the token: the next one is asked. */
static void question_go_on(struct question *question, enum token_error error)
{
    struct authenticator *authenticator = question->issuer->authenticator;
    struct issuer *next = question_next_issuer(authenticator, question->issuer);

    if (!next) {
        question_end(question, NULL, error, question->failed);
        return;
    }
    question->issuer = next;
    question->looked = false;
    question_start(question);
}

/* One line a minute, since anyone can send tokens that are asked about. */
static void question_log(struct issuer *issuer, const char *why)
{
    int64_t now = authenticator_now(issuer->authenticator, false);
    char more[64] = "";

    if (issuer->logged_at && now - issuer->logged_at < QUESTION_LOG_MS) {
        issuer->n_unlogged++;
        return;
    }
    if (issuer->n_unlogged)
        snprintf(more, sizeof more, " (and %u times before)", issuer->n_unlogged);
    issuer->logged_at = now;
    issuer->n_unlogged = 0;
    hf_authenticator_log(issuer->authenticator, HAFT_ERROR, "issuer %s: introspection failed: %s%s",
                         issuer->options.url, why, more);
}

static void question_fail(struct question *question, const char *why)
{
    question_log(question->issuer, why);
    question->failed = true;
    question_go_on(question, TOKEN_INACTIVE);
}

/* Whether the answer is about an access token: issuers may know refresh tokens as well. */
static bool question_is_access(haft_value *answer)
{
    const char *type = yyjson_get_str(yyjson_obj_get(answer, "token_type"));

    return !yyjson_obj_get(answer, "token_type") ||
           (type && (hf_text_is_ignoring_case(type, strlen(type), "bearer") ||
                     hf_text_is_ignoring_case(type, strlen(type), "dpop")));
}

static enum token_error question_check_answer(struct question *question, haft_value *answer,
                                              haft_arena *arena, struct known **ret_known)
{
    struct authenticator *authenticator = question->issuer->authenticator;
    int64_t now = authenticator_now(authenticator, true) / 1000;
    struct token_claims claims;
    struct token_rules rules;
    enum token_error error;

    if (!question_is_access(answer))
        return TOKEN_INACTIVE;
    if (hf_check_rules(authenticator, question->issuer, question->path, arena, &rules))
        return TOKEN_NO_MEMORY;
    error = hf_claims_check(answer, &rules, now, arena, &claims);
    if (error)
        return error;
    *ret_known = hf_known_new(authenticator, &claims, question->fetch.answer.data,
                              question->fetch.answer.size);
    return *ret_known ? TOKEN_OK : TOKEN_NO_MEMORY;
}

static void question_read(struct question *question, haft_arena *arena)
{
    const haft_buffer *text = &question->fetch.answer;
    haft_value *answer =
        haft_json_read(text->data, text->size, TOKEN_DEPTH, arena, &(haft_reason){0});
    yyjson_val *active = yyjson_is_obj(answer) ? yyjson_obj_get(answer, "active") : NULL;
    struct known *known = NULL;
    enum token_error error;

    if (!yyjson_is_bool(active)) {
        question_fail(question, "the answer is not valid");
        return;
    }
    if (!yyjson_get_bool(active)) {
        question_go_on(question, TOKEN_INACTIVE);
        return;
    }
    error = question_check_answer(question, answer, arena, &known);
    question_end(question, known, error, error == TOKEN_NO_MEMORY);
}

static void question_answered(struct auth_fetch *fetch, const char *error)
{
    struct question *question = fetch->context;
    haft_arena *arena;
    char text[64];

    if (error || fetch->status != 200) {
        snprintf(text, sizeof text, "it answered %d", fetch->status);
        question_fail(question, error ? error : text);
        return;
    }
    arena = haft_arena_new(fetch->authenticator->memory, QUESTION_ARENA);
    if (arena)
        question_read(question, arena);
    else
        question_fail(question, haft_strerror(HAFT_ENOMEM));
    haft_arena_free(arena);
}

/* ---- the question ---- */

/* Writes the form and the header of the client. */
static bool question_write(struct question *question, haft_buffer *header)
{
    struct issuer *issuer = question->issuer;
    const haft_issuer *options = &issuer->options;
    const struct authenticator *authenticator = issuer->authenticator;
    haft_buffer assertion;

    haft_buffer_clear(&question->form);
    hf_form_add(&question->form, "token", question->token);
    hf_form_add(&question->form, "token_type_hint", "access_token");
    if (!issuer->key) {
        hf_form_basic(header, authenticator->memory, options->client_id, options->client_secret);
        haft_buffer_add(header, "", 1);
        return !header->status && !question->form.status;
    }
    haft_buffer_init(&assertion, authenticator->memory, QUESTION_HEADER);
    if (hf_assertion_put(authenticator->crypto, issuer->key, authenticator->memory,
                         options->client_id, options->url, &assertion))
        assertion.status = HAFT_EFAIL;
    haft_buffer_add(&assertion, "", 1);
    hf_form_add(&question->form, "client_id", options->client_id);
    hf_form_add(&question->form, "client_assertion_type", question_assertion_type);
    if (!assertion.status)
        hf_form_add(&question->form, "client_assertion", assertion.data);
    haft_buffer_finish(&assertion);
    return !assertion.status && !question->form.status;
}

static void question_post(struct question *question, const char *url)
{
    struct http_field headers[] = {{"Accept", "application/json"},
                                   {"Content-Type", "application/x-www-form-urlencoded"},
                                   {"Authorization", NULL}};
    struct issuer *issuer = question->issuer;
    haft_buffer header;
    int status = HAFT_ENOMEM;

    question->fetch.authenticator = issuer->authenticator;
    question->fetch.client = hf_auth_fetch_client(issuer);
    question->fetch.done = question_answered;
    question->fetch.context = question;
    haft_buffer_init(&header, issuer->authenticator->memory, QUESTION_HEADER);
    if (question_write(question, &header)) {
        headers[2].value = header.data;
        status = hf_auth_fetch_start(
            &question->fetch, &(struct http_request_options){.method = "POST",
                                                             .url = url,
                                                             .headers = headers,
                                                             .n_headers = header.size ? 3 : 2,
                                                             .body = question->form.data,
                                                             .body_size = question->form.size,
                                                             .may_repeat = true});
    }
    haft_buffer_finish(&header);
    if (status)
        question_fail(question, haft_strerror(status));
}

/* Asks, when it is known where. */
static void question_start(struct question *question)
{
    struct issuer *issuer = question->issuer;
    const char *url =
        *issuer->options.introspection ? issuer->options.introspection : issuer->introspection;
    enum issuer_answer metadata = ISSUER_READY;

    if (!url)
        metadata = hf_issuer_ask_metadata(issuer, &question->generation);
    question->started = metadata != ISSUER_WAIT || question->looked;
    if (url)
        question_post(question, url);
    else if (metadata == ISSUER_READY)
        question_fail(question, "its metadata has no introspection_endpoint");
    else if (question->started)
        question_fail(question, "its metadata cannot be fetched");
    else
        question->looked = true;
}

/* Whether it can be asked now: the metadata that it waited for has come. */
static bool question_is_due(const struct question *question)
{
    return !question->started &&
           (!question->looked || question->generation != question->issuer->generation);
}

void hf_questions_go_on(struct authenticator *authenticator)
{
    struct question *due;

    do {
        uv_mutex_lock(&authenticator->lock);
        due = authenticator->questions;
        while (due && !question_is_due(due))
            due = due->next;
        uv_mutex_unlock(&authenticator->lock);
        if (due)
            question_start(due);
    } while (due);
}
