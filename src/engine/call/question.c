/* question.c - questions of a handler to its client, and the answers.
 *
 * A question has a key. A handler that asks gets the answer if there is one; otherwise the question
 * is recorded and the handler returns, to be called again from the start when there is an answer.
 * input.c transfers questions to the client. */
#include <string.h>

#include "schema/text/format_check.h"
#include "engine/call/call.h"
#include "engine/offer/form.h"
#include "engine/call/question.h"

enum { QUESTION_FORM_LIMIT = 1 << 20 };

/* The first member of the parameters of a question with a URL to open. */
#define URL_MODE JSON_FIRST_KEY("mode") "\"url\""

/* ---- a call's questions ---- */

static struct question *question_find(const haft_call *call, const char *key)
{
    struct question *question = call->asking.questions;

    while (question && strcmp(question->key, key) != 0)
        question = question->next;
    return question;
}

static struct question *question_add(haft_call *call, const char *key, size_t size)
{
    struct question *question = haft_arena_zalloc(call->arena, 1, sizeof *question);
    struct question **link = &call->asking.questions;

    if (!question)
        return NULL;
    question->key = haft_arena_copy(call->arena, key, size);
    if (!question->key)
        return NULL;
    while (*link)
        link = &(*link)->next;
    *link = question;
    return question;
}

/* Returns the answer to a question; otherwise records the question and returns NULL, with the
 * status for the handler in *ret_status. */
static yyjson_val *ask(haft_call *call, const char *key, const char *method, const char *params,
                       int *ret_status)
{
    struct question *question = question_find(call, key);

    if (question && question->answer)
        return question->answer;
    *ret_status = HAFT_AGAIN;
    if (!question)
        question = question_add(call, key, strlen(key));
    if (!question || !params) {
        *ret_status = HAFT_ENOMEM;
        return NULL;
    }
    question->method = method;
    question->params = params;
    question->opens = !strncmp(params + 1, URL_MODE, sizeof URL_MODE - 1);
    question->fresh = true;
    return NULL;
}

/* Repeats a question whose answer was invalid. */
static int ask_again(haft_call *call, const char *key, const char *method, const char *params)
{
    struct question *question = question_find(call, key);
    int status = 0;

    question->answer = NULL;
    question->request_id = 0;
    ask(call, key, method, params, &status);
    return status;
}

/* Checks JSON of the program and puts it on one line; NULL with *ret_status set if it is
 * invalid. */
static const char *own_json(haft_call *call, const char *json, yyjson_val **ret_value,
                            int *ret_status)
{
    haft_reason reason = {.code = HAFT_EINVAL};
    yyjson_val *value =
        haft_json_read(json, strlen(json), call->server->options.max_depth, call->arena, &reason);
    haft_buffer text;
    const char *copy;

    if (!yyjson_is_obj(value)) {
        *ret_status = value ? HAFT_EINVAL : reason.code;
        return NULL;
    }
    haft_buffer_init(&text, call->server->allocator, QUESTION_FORM_LIMIT);
    haft_json_write(value, &text);
    copy = hf_text_of(call->arena, &text).data;
    *ret_status = copy ? 0 : HAFT_ENOMEM;
    *ret_value = value;
    return copy;
}

/* Returns HAFT_ECAPABILITY and keeps what is missing for the response. */
static int lacks(haft_call *call, const char *json)
{
    call->error.data = json;
    return HAFT_ECAPABILITY;
}

bool hf_question_put(haft_call *call, const char *key, const char *method, yyjson_val *params)
{
    static const char *const methods[] = {"elicitation/create", "sampling/createMessage",
                                          "roots/list"};
    struct question *question = question_find(call, key);
    haft_buffer text;
    size_t i = 0;

    while (i < sizeof methods / sizeof *methods && strcmp(methods[i], method))
        i++;
    if (i == sizeof methods / sizeof *methods || !yyjson_is_obj(params))
        return false;
    if (!question)
        question = question_add(call, key, strlen(key));
    if (!question)
        return false;
    haft_buffer_init(&text, call->server->allocator, QUESTION_FORM_LIMIT);
    haft_json_write(params, &text);
    question->params = hf_text_of(call->arena, &text).data;
    question->method = methods[i];
    question->opens = yyjson_equals_str(yyjson_obj_get(params, "mode"), "url");
    question->answer = NULL;
    question->request_id = 0;
    question->fresh = true;
    return question->params;
}

bool hf_question_give(haft_call *call, yyjson_val *key, yyjson_val *answer)
{
    struct question *question = question_find(call, yyjson_get_str(key));

    if (!question)
        question = question_add(call, yyjson_get_str(key), yyjson_get_len(key));
    if (question)
        question->answer = answer;
    return question;
}

void hf_question_write(const struct question *question, struct json_writer *w)
{
    hf_json_begin_object(hf_json_name(w, question->key, strlen(question->key)));
    hf_json_text(json_key(w, "method"), question->method);
    hf_json_raw(json_key(w, "params"), question->params, strlen(question->params));
    hf_json_end_object(w);
}

/* ---- elicitation ---- */

/* A client that declares elicitation without modes supports forms. */
static bool can_form(const haft_call *call)
{
    return haft_client_can(call, "elicitation.form") ||
           (haft_client_can(call, "elicitation") && !haft_client_can(call, "elicitation.url"));
}

static const char *elicit_params(haft_call *call, const char *message, const char *schema)
{
    bool mode = hf_revision_rows[call->revision].modes;
    haft_buffer params;
    struct json_writer w = {.out = &params};
    const char *text;

    haft_buffer_init(&params, call->server->allocator, QUESTION_FORM_LIMIT);
    hf_json_begin_object(&w);
    if (mode)
        hf_json_text(json_key(&w, "mode"), "form");
    hf_json_text(json_key(&w, "message"), message);
    hf_json_raw(json_key(&w, "requestedSchema"), schema, strlen(schema));
    hf_json_end_object(&w);
    text = hf_text_of(call->arena, &params).data;
    return text;
}

/* The user's action; 0 if the answer has none. */
static int action_of(yyjson_val *answer)
{
    yyjson_val *action = yyjson_obj_get(answer, "action");

    return yyjson_equals_str(action, "accept")    ? HAFT_ACCEPTED
           : yyjson_equals_str(action, "decline") ? HAFT_DECLINED
           : yyjson_equals_str(action, "cancel")  ? HAFT_DISMISSED
                                                  : 0;
}

static int elicit_form(haft_call *call, const char *key, const char *message, const char *schema,
                       haft_value **ret_content)
{
    const char *params;
    yyjson_val *answer;
    int status = 0, action;

    if (!hf_revision_rows[call->revision].elicitation || !can_form(call))
        return lacks(call, "{\"elicitation\":{\"form\":{}}}");
    params = elicit_params(call, message, schema);
    answer = ask(call, key, "elicitation/create", params, &status);
    if (!answer)
        return status;
    action = action_of(answer);
    if (action == HAFT_ACCEPTED)
        *ret_content = rpc_object(answer, "content");
    if (!action || (action == HAFT_ACCEPTED && !*ret_content))
        return ask_again(call, key, "elicitation/create", params);
    return action;
}

/* Whether the content matches the form: 1, 0 or an error. */
static int fits_form(haft_call *call, const char *form, yyjson_val *content)
{
    haft_schema_options options =
        HAFT_INIT(haft_schema_options, .allocator = call->server->allocator,
                  .defaults = HAFT_DEFAULTS_ANNOTATE);
    haft_schema *schema = NULL;
    haft_issues issues;
    haft_reason reason;
    int status = haft_schema_parse(form, strlen(form), &options, &schema, &reason);

    if (status) {
        haft_log(call, HAFT_ERROR, "form: %s: %s", reason.path, reason.text);
        return status;
    }
    status = haft_schema_validate(schema, content, call->arena, &issues);
    haft_schema_free(schema);
    return status == HAFT_EISSUES ? 0 : status ? status : 1;
}

int haft_elicit_json(haft_call *call, const char *key, const char *message, const char *schema,
                     haft_value **ret_content)
{
    yyjson_val *value;
    const char *why;
    bool selects;
    int status, action;

    schema = own_json(call, schema, &value, &status);
    if (!schema)
        return status;
    why = hf_form_check(value, call->arena, &selects);
    if (why) {
        haft_log(call, HAFT_ERROR, "form %s: %s", key, why);
        return HAFT_ESCHEMA;
    }
    if (selects && !hf_revision_rows[call->revision].modes)
        return lacks(call, "{\"elicitation\":{\"form\":{}}}");
    action = elicit_form(call, key, message, schema, ret_content);
    if (action != HAFT_ACCEPTED)
        return action;
    status = fits_form(call, schema, *ret_content);
    if (!status)
        return ask_again(call, key, "elicitation/create", elicit_params(call, message, schema));
    return status < 0 ? status : HAFT_ACCEPTED;
}

int haft_elicit(haft_call *call, const char *key, const char *message, const haft_type *form,
                void *ret_content)
{
    const struct form *compiled =
        hf_form_of(call->server, call->item ? call->item->module : NULL, form);
    haft_value *content = NULL;
    haft_issues issues;
    int action, status;

    if (!compiled)
        return HAFT_ESCHEMA;
    action = elicit_form(call, key, message, compiled->json, &content);
    if (action != HAFT_ACCEPTED)
        return action;
    status = haft_schema_decode(compiled->schema, content, call->arena, ret_content, &issues);
    if (status == HAFT_EISSUES)
        return ask_again(call, key, "elicitation/create",
                         elicit_params(call, message, compiled->json));
    return status ? status : HAFT_ACCEPTED;
}

int haft_elicit_url(haft_call *call, const char *key, const char *message, const char *url)
{
    const struct revision_row *row = &hf_revision_rows[call->revision];
    haft_buffer params;
    struct json_writer w = {.out = &params};
    const char *text;
    yyjson_val *answer;
    int status = 0, action;

    if (!hf_rfc_uri(url, strlen(url))) {
        haft_log(call, HAFT_ERROR, "%s: \"%s\" is not an absolute URL", key, url);
        return HAFT_EINVAL;
    }
    if (!row->modes || !haft_client_can(call, "elicitation.url"))
        return lacks(call, "{\"elicitation\":{\"url\":{}}}");
    haft_buffer_init(&params, call->server->allocator, QUESTION_FORM_LIMIT);
    hf_json_begin_object(&w);
    hf_json_text(json_key(&w, "mode"), "url");
    hf_json_text(json_key(&w, "message"), message);
    hf_json_text(json_key(&w, "url"), url);
    hf_json_end_object(&w);
    text = hf_text_of(call->arena, &params).data;
    answer = ask(call, key, "elicitation/create", text, &status);
    if (!answer)
        return status;
    action = action_of(answer);
    return action ? action : ask_again(call, key, "elicitation/create", text);
}

/* ---- sampling and roots ---- */

int haft_sample(haft_call *call, const char *key, const char *request, haft_value **ret_result)
{
    yyjson_val *answer, *value;
    int status = 0;

    if (!haft_client_can(call, "sampling"))
        return lacks(call, "{\"sampling\":{}}");
    request = own_json(call, request, &value, &status);
    if (!request)
        return status;
    if (!yyjson_is_arr(yyjson_obj_get(value, "messages")) ||
        !yyjson_is_num(yyjson_obj_get(value, "maxTokens"))) {
        haft_log(call, HAFT_ERROR, "%s: sampling needs \"messages\" and \"maxTokens\"", key);
        return HAFT_EINVAL;
    }
    if ((yyjson_obj_get(value, "tools") || yyjson_obj_get(value, "toolChoice")) &&
        !haft_client_can(call, "sampling.tools"))
        return lacks(call, "{\"sampling\":{\"tools\":{}}}");
    answer = ask(call, key, "sampling/createMessage", request, &status);
    if (answer)
        *ret_result = answer;
    return answer ? 0 : status;
}

int haft_roots(haft_call *call, const char *key, haft_value **ret_roots)
{
    yyjson_val *answer, *roots;
    int status = 0;

    if (!haft_client_can(call, "roots"))
        return lacks(call, "{\"roots\":{}}");
    answer = ask(call, key, "roots/list", "{}", &status);
    if (!answer)
        return status;
    roots = yyjson_obj_get(answer, "roots");
    if (!yyjson_is_arr(roots))
        return ask_again(call, key, "roots/list", "{}");
    *ret_roots = roots;
    return 0;
}

/* ---- state ---- */

const char *haft_call_state(const haft_call *call)
{
    return call->asking.state;
}

int haft_call_set_state(haft_call *call, const char *text)
{
    call->asking.state = haft_arena_copy(call->arena, text, strlen(text));
    return call->asking.state ? 0 : HAFT_ENOMEM;
}
