/* home_client.c - the Home Assistant client under a flood of events.
 *
 *     home-client SECONDS
 *
 * A home of 5,000 entities, in this process, sends 1,000 state_changed events a second for SECONDS.  Prints one
 * line for each measure: memory before and after, the time of list_devices while the home is quiet and
 * during the flood, and the processor time of an event in the client and in a bare yyjson_read of the same text.
 * bench/home runs it several times. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <yyjson.h>

#include <haft/client.h>

#include "hass/client.h"
#include "registry.h"

enum { ENTITIES = 5000, RATE = 1000, BATCH = 10, VARIANTS = 4, MOST_CALLS = 100000 };

/* ---- the home ---- */

struct flood {
    void (*message)(void *who, const char *text, size_t size);
    void (*closed)(void *who, const char *reason);
    void *who;
    unsigned long long watch; /* id of the subscription to states */
    char *events[ENTITIES * VARIANTS];
    size_t sizes[ENTITIES * VARIANTS];
    double client_us; /* processor time of an event */
    long seconds;
    atomic_bool done;
};

static int flood_state(char *out, size_t room, unsigned i, unsigned variant)
{
    return snprintf(
        out, room,
        "{\"entity_id\":\"sensor.extra_%04u\",\"state\":\"%u\",\"attributes\":{\"state_class\":"
        "\"measurement\",\"unit_of_measurement\":\"W\",\"device_class\":\"power\",\"friendly_name\":"
        "\"Extra %04u\"},\"last_changed\":\"2026-11-16T09:00:00.%06u+00:00\",\"last_reported\":"
        "\"2026-11-16T09:00:00.%06u+00:00\",\"last_updated\":\"2026-11-16T09:00:00.%06u+00:00\","
        "\"context\":{\"id\":\"01JD0000000000000000%06u\",\"parent_id\":null,\"user_id\":null}}",
        i, 1000 + i * 7 % 9000 + variant, i, i, i, i, i);
}

static void flood_say(struct flood *flood, const char *text)
{
    flood->message(flood->who, text, strlen(text));
}

static void flood_states(struct flood *flood, unsigned long long id)
{
    size_t room = ENTITIES * 600 + 128, size = 0;
    char *text = malloc(room);

    if (!text)
        exit(2);
    size += (size_t)snprintf(text, room,
                             "{\"id\":%llu,\"type\":\"result\",\"success\":true,\"result\":[", id);
    for (unsigned i = 0; i < ENTITIES; i++) {
        if (i)
            text[size++] = ',';
        size += (size_t)flood_state(text + size, room - size, i, 0);
    }
    snprintf(text + size, room - size, "]}");
    flood_say(flood, text);
    free(text);
}

static void flood_send(void *context, const char *text, size_t size)
{
    struct flood *flood = context;
    yyjson_doc *doc = yyjson_read(text, size, 0);
    yyjson_val *message = yyjson_doc_get_root(doc);
    const char *type = yyjson_get_str(yyjson_obj_get(message, "type"));
    unsigned long long id = yyjson_get_uint(yyjson_obj_get(message, "id"));
    char answer[128];

    if (!strcmp(type, "auth")) {
        flood_say(flood, "{\"type\":\"auth_ok\",\"ha_version\":\"2026.8.0\"}");
    } else if (!strcmp(type, "get_states")) {
        flood_states(flood, id);
    } else {
        if (yyjson_equals_str(yyjson_obj_get(message, "event_type"), "state_changed"))
            flood->watch = id;
        snprintf(answer, sizeof answer,
                 "{\"id\":%llu,\"type\":\"result\",\"success\":true,\"result\":%s}", id,
                 strstr(type, "_registry/list") ? "[]" : "null");
        flood_say(flood, answer);
    }
    yyjson_doc_free(doc);
}

static int flood_open(void *context, void (*message)(void *who, const char *text, size_t size),
                      void (*closed)(void *who, const char *reason), void *who)
{
    struct flood *flood = context;

    flood->message = message;
    flood->closed = closed;
    flood->who = who;
    flood_say(flood, "{\"type\":\"auth_required\",\"ha_version\":\"2026.8.0\"}");
    return 0;
}

static void flood_close(void *context)
{
    struct flood *flood = context;

    flood->closed(flood->who, "closed");
}

static void *flood_request(void *context, const struct link_request *request,
                           void (*done)(void *who, const struct link_response *response), void *who)
{
    (void)context;
    (void)request;
    done(who, &(struct link_response){.text = "there is no REST here"});
    return NULL;
}

static void flood_cancel(void *context, void *handle)
{
    (void)context;
    (void)handle;
}

static void flood_free(void *context)
{
    (void)context;
}

/* ---- time and memory ---- */

static double clock_us(clockid_t which)
{
    struct timespec now;

    clock_gettime(which, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static long resident_kb(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    long total = 0, resident = 0;

    if (!file || fscanf(file, "%ld %ld", &total, &resident) != 2)
        exit(2);
    fclose(file);
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

static void sleep_until(double us)
{
    struct timespec at = {(time_t)(us / 1e6), (long)(us - (double)(time_t)(us / 1e6) * 1e6) * 1000};

    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
}

/* ---- the flood ---- */

static void flood_prepare(struct flood *flood)
{
    static char old_state[1024], new_state[1024], text[4096];

    for (unsigned k = 0; k < ENTITIES * VARIANTS; k++) {
        unsigned i = k * 2741 % ENTITIES, variant = k / ENTITIES; /* in no order */
        int size;

        flood_state(old_state, sizeof old_state, i, variant);
        flood_state(new_state, sizeof new_state, i, variant + 1);
        size = snprintf(
            text, sizeof text,
            "{\"id\":%llu,\"type\":\"event\",\"event\":{\"event_type\":\"state_changed\",\"data\":{"
            "\"entity_id\":\"sensor.extra_%04u\",\"old_state\":%s,\"new_state\":%s},\"origin\":"
            "\"LOCAL\",\"time_fired\":\"2026-11-16T09:00:00.%06u+00:00\",\"context\":{\"id\":"
            "\"01JD0000000000000000%06u\",\"parent_id\":null,\"user_id\":null}}}",
            flood->watch, i, old_state, new_state, i, i);
        flood->events[k] = strdup(text);
        flood->sizes[k] = (size_t)size;
        if (!flood->events[k])
            exit(2);
    }
}

static void *flood_run(void *context)
{
    struct flood *flood = context;
    double next = clock_us(CLOCK_MONOTONIC), began = clock_us(CLOCK_THREAD_CPUTIME_ID);
    long n = flood->seconds * RATE;

    for (long k = 0; k < n; k++) {
        size_t which = (size_t)k % (ENTITIES * VARIANTS);

        if (k % BATCH == 0) {
            sleep_until(next);
            next += 1e6 * BATCH / RATE;
        }
        flood->message(flood->who, flood->events[which], flood->sizes[which]);
    }
    flood->client_us = (clock_us(CLOCK_THREAD_CPUTIME_ID) - began) / (double)n;
    atomic_store(&flood->done, true);
    return NULL;
}

/* The same pace, and nothing but a parse. */
static double bare_run(const struct flood *flood)
{
    double next = clock_us(CLOCK_MONOTONIC), began = clock_us(CLOCK_THREAD_CPUTIME_ID);
    long n = flood->seconds * RATE;

    for (long k = 0; k < n; k++) {
        size_t which = (size_t)k % (ENTITIES * VARIANTS);
        yyjson_doc *doc;

        if (k % BATCH == 0) {
            sleep_until(next);
            next += 1e6 * BATCH / RATE;
        }
        doc = yyjson_read(flood->events[which], flood->sizes[which], 0);
        if (!doc)
            exit(2);
        yyjson_doc_free(doc);
    }
    return (clock_us(CLOCK_THREAD_CPUTIME_ID) - began) / (double)n;
}

/* ---- calls ---- */

static int compare_doubles(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;

    return (left > right) - (left < right);
}

/* Calls list_devices, until the flood is over or `most` times. */
static void ask(haft_client *client, struct flood *flood, const char *name, size_t most)
{
    static double took[MOST_CALLS];
    size_t n = 0;

    while (n < most && !atomic_load(&flood->done)) {
        double began = clock_us(CLOCK_MONOTONIC);
        haft_result result;

        if (haft_client_call(client, "list_devices", "{\"domain\":\"sensor\"}", &result) ||
            result.is_error) {
            fprintf(stderr, "list_devices: %s\n", result.text);
            exit(1);
        }
        took[n++] = clock_us(CLOCK_MONOTONIC) - began;
        usleep(20000);
    }
    qsort(took, n, sizeof *took, compare_doubles);
    printf("%s %.0f %.0f %zu\n", name, took[n / 2], took[n * 99 / 100], n);
}

int main(int argc, char **argv)
{
    static struct flood flood;
    struct hass_link link = {.request = flood_request,
                             .cancel = flood_cancel,
                             .open = flood_open,
                             .send = flood_send,
                             .close = flood_close,
                             .free = flood_free,
                             .context = &flood,
                             .token = "none"};
    struct home_options options = {.url = "http://flood.test"};
    haft_reason reason;
    struct hass *hass = hass_new(&options, link, &reason);
    haft_server *server = haft_server_new_with(
        "home", "1", HAFT_WITH(haft_server_options, .data = home_hass_data(hass)));
    haft_client *client;
    pthread_t thread;
    long before;

    flood.seconds = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
    if (flood.seconds < 1 || !hass || home_add_tools(server, &options))
        return 2;
    client = haft_client_new(server, NULL);
    ask(client, &flood, "warm", 5);
    flood_prepare(&flood);
    ask(client, &flood, "idle", 100);
    for (size_t k = 0; k < ENTITIES * VARIANTS; k++) /* every entity has its largest state once */
        flood.message(flood.who, flood.events[k], flood.sizes[k]);
    before = resident_kb();
    if (pthread_create(&thread, NULL, flood_run, &flood))
        return 2;
    ask(client, &flood, "busy", MOST_CALLS);
    pthread_join(thread, NULL);
    printf("memory %ld %ld\n", before, resident_kb());
    printf("event %.2f %.2f\n", flood.client_us, bare_run(&flood));
    haft_client_free(client);
    haft_server_free(server);
    hass_free(hass);
    for (size_t k = 0; k < ENTITIES * VARIANTS; k++)
        free(flood.events[k]);
    return 0;
}
