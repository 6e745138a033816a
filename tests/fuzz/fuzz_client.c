/* fuzz_client.c - any messages and events from a server, in any order: every request is reported
 * exactly once, and nothing of the client is left.
 *
 * The first byte chooses the transport and the revision.  After it, each line is a message, or begins
 * with ! and a letter that says what else happens. */
#include <stdlib.h>
#include <string.h>

#include "client/client.h"

enum { KEPT = 8, MANY = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct run {
    haft_client *client; /* NULL once it is closed */
    haft_receiver receiver;
    haft_time now, timer;
    unsigned begun, done, tag;
    bool closes; /* in the next callback */
    haft_question *kept[KEPT];
    size_t n_kept;
    haft_subscription *subscription;
    unsigned closed;
};

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void maybe_close(struct run *run)
{
    haft_client *client = run->client;

    if (!run->closes || !client)
        return;
    run->client = NULL;
    run->subscription = NULL;
    haft_client_free(client);
}

/* ---- the program ---- */

static void on_done(void *context, haft_client *client, int status, const haft_result *result)
{
    struct run *run = context;

    require(!status == !!result && haft_client_error(client, NULL));
    require(!result || result->text);
    run->done++;
    maybe_close(run);
}

static void on_progress(void *context, double progress, double total, const char *message)
{
    (void)progress;
    (void)total;
    require(message);
    maybe_close(context);
}

static int on_ask(void *context, haft_question *question)
{
    struct run *run = context;

    if (run->n_kept < KEPT && run->now % 2) {
        run->kept[run->n_kept++] = question;
        maybe_close(run);
        return 0;
    }
    if (run->now % 3)
        return 1;
    return haft_question_accept(question, NULL);
}

static void on_changed(void *context, haft_client *client, haft_offer kind, const char *uri)
{
    (void)client;
    (void)kind;
    (void)uri;
    maybe_close(context);
}

/* ---- the transport ---- */

static void take(void *context, const haft_outgoing *message)
{
    struct run *run = context;

    require(message->size && haft_utf8_valid(message->text, message->size) == message->size);
    if (message->tag)
        run->tag = (unsigned)(uintptr_t)message->tag;
}

static void let_go(void *context, void *tag, bool over)
{
    (void)context;
    (void)tag;
    require(over);
}

static void finish(void *context)
{
    struct run *run = context;

    run->closed++;
}

static haft_time tell_time(void *context)
{
    return ((struct run *)context)->now;
}

static void set_timer(void *context, haft_time at)
{
    ((struct run *)context)->timer = at;
}

static int restart(void *context)
{
    return ((struct run *)context)->now % 5 ? 0 : HAFT_ECLOSED;
}

/* ---- events ---- */

static void begin(struct run *run, const char *method, const char *tool)
{
    if (run->begun < MANY &&
        haft_client_begin(run->client,
                          HAFT_WITH(haft_client_exchange, .method = tool ? NULL : method,
                                    .tool = tool, .arguments = tool ? "{\"a\":\"b\"}" : NULL,
                                    .done = on_done, .progress = on_progress, .context = run)) > 0)
        run->begun++;
}

/* Reports a call that has become a task. */
static void on_begun(void *context, haft_client *client, const char *task, haft_value *value)
{
    require(client && *task && strlen(task) <= 512 && value);
    maybe_close(context);
}

/* Waits for a task, or calls a tool that may become one. */
static void begin_task(struct run *run, const char *task)
{
    if (run->begun < MANY &&
        haft_client_begin(run->client,
                          HAFT_WITH(haft_client_exchange, .task = task, .tool = task ? NULL : "t",
                                    .as_task = !task, .done = on_done, .progress = on_progress,
                                    .begun = on_begun, .context = run)) > 0)
        run->begun++;
}

static void question(struct run *run, char how)
{
    haft_question *one = run->n_kept ? run->kept[--run->n_kept] : NULL;
    int status;

    if (!one)
        return;
    status = how == 'q' ? haft_question_accept(one, NULL) : haft_question_decline(one);
    if (status == HAFT_EINVAL || status == HAFT_ENOMEM || status == HAFT_ETOOBIG)
        haft_question_refuse(one, -1, NULL);
}

static void event(struct run *run, char letter)
{
    haft_receiver *to = &run->receiver;
    void *tag = (void *)(uintptr_t)run->tag;
    haft_result result;

    switch (letter) {
    case 't':
        run->now += 10007;
        if (run->timer && run->timer <= run->now)
            to->tick(to->context, run->now);
        break;
    case 'f':
    case 'g':
        to->failed(to->context, run->now % 4 ? tag : NULL,
                   &(haft_failure){.status = HAFT_ECLOSED,
                                   .text = "f",
                                   .http_status = run->now % 3 ? 0 : 404,
                                   .session_gone = letter == 'g'});
        break;
    case 'c':
        to->closed(to->context, run->now % 2 ? tag : NULL);
        break;
    case 'l':
        to->too_long(to->context, 5, run->now % 2 ? tag : NULL);
        break;
    case 'h':
        to->held(to->context, tag, run->now % 2);
        break;
    case 'b':
        begin(run, "resources/read", NULL);
        break;
    case 'k':
        begin(run, NULL, "t");
        break;
    case 'w':
        begin_task(run, run->now % 2 ? "T1" : NULL);
        break;
    case 'p': /* a poll, but no timeout */
        run->now += 1501;
        if (run->timer && run->timer <= run->now)
            to->tick(to->context, run->now);
        break;
    case 'x':
        haft_client_cancel(run->client, (int64_t)run->tag);
        break;
    case 'i':
        haft_client_list(run->client, (haft_offer)(run->now % 4), &result);
        break;
    case 's':
        haft_subscription_free(run->subscription);
        run->subscription = haft_client_subscribe(
            run->client,
            HAFT_WITH(haft_topics, .tools = true, .uris = (const char *const[]){"a:b", NULL}),
            on_changed, run);
        break;
    case 'z':
        run->closes = true;
        break;
    default:
        run->now++;
    }
}

static void play(struct run *run, const char *text, size_t size)
{
    while (size) {
        const char *end = memchr(text, '\n', size);
        size_t n = end ? (size_t)(end - text) : size;

        if (n > 1 && *text == '!' && (text[1] == 'q' || text[1] == 'r'))
            question(run, text[1]);
        else if (run->client && n > 1 && *text == '!')
            event(run, text[1]);
        else if (run->client)
            run->receiver.message(run->receiver.context, text, n,
                                  (void *)(uintptr_t)(run->now % 2 ? run->tag : 0), run->now);
        size -= n + !!end;
        text += n + !!end;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const revisions[] = {NULL, "2026-07-28", "2025-11-25", "2024-11-05"};
    struct run run = {.now = 1};
    unsigned choice = size ? *data : 0;
    bool http = choice & 4;
    haft_transport transport =
        HAFT_INIT(haft_transport, .send = take, .let_go = http ? let_go : NULL, .close = finish,
                  .context = &run, .restart = restart, .now = tell_time, .set_timer = set_timer);

    if (!size)
        return 0;
    run.client = hf_client_start(
        &transport,
        HAFT_WITH(haft_client_options, .revision = revisions[choice & 3], .ask = on_ask,
                  .context = &run, .check_arguments = choice & 8, .check_results = choice & 8,
                  .max_in_flight = 3, .max_rounds = 3, .max_pages = 3, .log_level = "info"),
        &(struct client_start){.probe = true}, &run.receiver, NULL);
    require(run.client);
    begin(&run, NULL, "t");
    play(&run, (const char *)data + 1, size - 1);
    if (run.client)
        haft_client_free(run.client);
    while (run.n_kept)
        question(&run, 'r');
    require(run.done == run.begun);
    require(run.closed == 1);
    return 0;
}
