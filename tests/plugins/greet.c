/* greet.c - a plugin of which there are two versions, alike but for what they say.  GREET is 1 or 2.
 *
 * What becomes of it is told by a letter on the descriptor PLUGIN_LOG: s for start, e for its end. */
#define _POSIX_C_SOURCE 200809L
#include <haft.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define QUOTE(text) QUOTE_(text)
#define QUOTE_(text) #text

/* A name that haft has inside, too: each side must find its own. */
int hf_hash_bytes(const void *bytes, size_t size);

int hf_hash_bytes(const void *bytes, size_t size)
{
    (void)bytes;
    return GREET + (int)size;
}

HAFT_STRUCT(greet_args, HAFT_STRING(name, "Who is greeted", .min = 1));

static int greet(haft_call *call, const greet_args *in)
{
    return haft_text(call, "Hello, %s: %d", in->name, hf_hash_bytes("", 0));
}
HAFT_TOOL_IN(greet, greet_args, "Greets somebody");

/* Each version has a tool that the other has not. */
static int only(haft_call *call)
{
    return haft_text(call, "only %d", GREET);
}
HAFT_TOOL_BARE(only, "Is in one version", .name = "only_" QUOTE(GREET));

/* ---- a form, whose type is known by its address ---- */

#if GREET == 1
HAFT_STRUCT(form, HAFT_STRING(first, "The first"));
#else
HAFT_STRUCT(form, HAFT_STRING(other, "Another", .min = 1));
#endif

static int ask(haft_call *call)
{
    form in;
    int action = haft_elicit(call, "k", "Which?", &form_type, &in);

    if (action != HAFT_ACCEPTED)
        return action;
#if GREET == 1
    return haft_text(call, "first %s", in.first);
#else
    return haft_text(call, "other %s", in.other);
#endif
}
HAFT_TOOL_BARE(ask, "Asks");

/* ---- a call that a thread of the plugin finishes ---- */

static struct {
    pthread_t thread;
    haft_call *call;
    atomic_bool go;
} later;

static void *finish_later(void *context)
{
    struct timespec moment = {0, 1000000};

    (void)context;
    while (!atomic_load(&later.go) && !haft_call_cancelled(later.call))
        nanosleep(&moment, NULL);
    haft_text(later.call, "later %d", GREET);
    haft_finish(later.call, 0);
    nanosleep(&moment, NULL); /* it is still here when the call is over */
    return NULL;
}

static int wait_for_it(haft_call *call)
{
    later.call = call;
    return pthread_create(&later.thread, NULL, finish_later, NULL) ? HAFT_EBUSY : HAFT_PENDING;
}
HAFT_TOOL_BARE(wait_for_it, "Answers when go has been called, or nobody waits");

static int go(haft_call *call)
{
    atomic_store(&later.go, true);
    return haft_text(call, "gone");
}
HAFT_TOOL_BARE(go, "Lets it answer", .quick = true);

/* ---- the rest ---- */

static int alone(haft_call *call)
{
    return haft_text(call, "%d in a process of its own", GREET);
}
HAFT_TOOL_BARE(alone, "Runs elsewhere", .isolate = true);

static int read_note(haft_call *call, const char *uri)
{
    haft_contents contents = {.uri = uri, .text = "note " QUOTE(GREET)};

    return haft_embed(call, &contents);
}
static const haft_resource note =
    HAFT_INIT(haft_resource, .uri = "note://one", .name = "note", .read = read_note);
static const haft_resource notes =
    HAFT_INIT(haft_resource, .uri = "notes://{id}", .name = "notes", .read = read_note);

static int say_hello(haft_call *call, const void *arguments)
{
    (void)arguments;
    haft_prompt_say(call, "user");
    return haft_text(call, "prompt %d", GREET);
}
static const haft_prompt hello = HAFT_INIT(haft_prompt, .name = "hello", .get = say_hello);

static void tell(char letter)
{
    const char *fd = getenv("PLUGIN_LOG");

    if (fd && write((int)strtol(fd, NULL, 10), &letter, 1) != 1)
        perror("PLUGIN_LOG");
}

static int start(haft_server *server)
{
    (void)server;
    tell('s');
    return 0;
}

static void stop(void)
{
    if (later.call)
        pthread_join(later.thread, NULL);
    tell('e');
}

HAFT_PLUGIN_WITH(.name = "greet", .version = QUOTE(GREET),
                 .tools = HAFT_TOOLS(&greet_tool, &only_tool, &ask_tool, &wait_for_it_tool,
                                     &go_tool, &alone_tool),
                 .resources = HAFT_RESOURCES(&note), .templates = HAFT_RESOURCES(&notes),
                 .prompts = HAFT_PROMPTS(&hello), .start = start, .stop = stop);
