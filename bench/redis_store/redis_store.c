/* redis_store.c - takes a second with 64 in flight, and the latency of one, beside bare commands of hiredis.
 *
 *     redis-store SOCKET SECONDS */
#include <haft/redis.h>
#include <hiredis/hiredis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <uv.h>

enum { IN_FLIGHT = 64, MAX_TIMES = 1 << 20 };

static double now_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

/* ---- results ---- */

static double times[MAX_TIMES];
static size_t n_times;

static int times_compare(const void *left, const void *right)
{
    double difference = *(const double *)left - *(const double *)right;

    return difference < 0 ? -1 : difference > 0;
}

static void times_print(const char *what, size_t done, double us)
{
    qsort(times, n_times, sizeof *times, times_compare);
    printf("%-36s %9.0f/s   p50 %7.1f us   p99 %7.1f us\n", what, (double)done / us * 1e6,
           n_times ? times[n_times / 2] : 0, n_times ? times[n_times * 99 / 100] : 0);
    n_times = 0;
}

static void times_add(double us)
{
    if (n_times < MAX_TIMES)
        times[n_times++] = us;
}

/* ---- bare commands ---- */

static void bare_run(const char *path, double us, int in_flight, const char *what,
                     const char *script)
{
    redisContext *redis = redisConnectUnix(path);
    redisReply *reply = NULL;
    char sha[64] = "";
    size_t done = 0;
    double begin;

    if (!redis || redis->err)
        exit(1);
    if (script) {
        reply = redisCommand(redis, "SCRIPT LOAD %s", script);
        snprintf(sha, sizeof sha, "%s", reply->str);
        freeReplyObject(reply);
    }
    for (begin = now_us(); now_us() - begin < us; done += (size_t)in_flight) {
        double sent = now_us();

        for (int i = 0; i < in_flight; i++)
            if (script)
                redisAppendCommand(redis, "EVALSHA %s 1 bare 1000000 60000", sha);
            else
                redisAppendCommand(redis, "PING");
        for (int i = 0; i < in_flight; i++)
            if (redisGetReply(redis, (void **)&reply) == REDIS_OK)
                freeReplyObject(reply);
        times_add(now_us() - sent);
    }
    times_print(what, done, now_us() - begin);
    redisFree(redis);
}

/* ---- the store ---- */

struct run {
    haft_store *store;
    uv_loop_t loop;
    uv_timer_t keep;
    double until;
    size_t done, failed;
    int open;
    haft_rate rate;
};

struct one {
    haft_store_request request;
    haft_store_op op;
    struct run *run;
    double sent;
    char group[16];
};

static void one_submit(struct one *one);

static void one_done(haft_store_request *request)
{
    struct one *one = request->context;
    struct run *run = one->run;

    run->done++;
    run->failed += request->status < 0;
    times_add(now_us() - one->sent);
    if (now_us() < run->until)
        one_submit(one);
    else if (!--run->open)
        uv_stop(&run->loop);
}

static void one_submit(struct one *one)
{
    one->sent = now_us();
    one->op = (haft_store_op){.kind = HAFT_STORE_TAKE, .key = {"t", 1}, .rate = one->run->rate};
    one->request = (haft_store_request){.space = "rate",
                                        .group = {one->group, strlen(one->group)},
                                        .ops = &one->op,
                                        .n_ops = 1,
                                        .done = one_done,
                                        .context = one};
    if (haft_store_submit(one->run->store, &one->request) != HAFT_PENDING)
        exit(2);
}

static void run_keep(uv_timer_t *timer)
{
    (void)timer;
}

static void store_run(const char *url, double us, int in_flight, haft_rate rate, const char *what)
{
    static struct one ones[IN_FLIGHT];
    struct run run = {.open = in_flight, .rate = rate};
    double begin;

    run.store = haft_redis_store_new(url, HAFT_WITH(haft_redis_options, .take_ms = 5000), NULL);
    if (!run.store || uv_loop_init(&run.loop))
        exit(3);
    uv_timer_init(&run.loop, &run.keep);
    uv_timer_start(&run.keep, run_keep, 100, 100);
    haft_store_attach(run.store, &run.loop);
    begin = now_us();
    run.until = begin + us;
    for (int i = 0; i < in_flight; i++) {
        ones[i].run = &run;
        snprintf(ones[i].group, sizeof ones[i].group, "client %d", i);
        one_submit(&ones[i]);
    }
    uv_run(&run.loop, UV_RUN_DEFAULT);
    times_print(what, run.done, now_us() - begin);
    if (run.failed)
        printf("%zu failed\n", run.failed);
    haft_store_detach(run.store, &run.loop);
    uv_close((uv_handle_t *)&run.keep, NULL);
    uv_run(&run.loop, UV_RUN_DEFAULT);
    uv_loop_close(&run.loop);
    haft_store_free(run.store);
}

int main(int argc, char **argv)
{
    static const char counter[] = "return redis.call('INCR', KEYS[1])";
    char url[256];
    double us;

    if (argc != 3)
        return 64;
    us = atof(argv[2]) * 1e6 / 5;
    snprintf(url, sizeof url, "redis+unix://%s", argv[1]);
    bare_run(argv[1], us, 1, "bare PING, 1 in flight", NULL);
    store_run(url, us, 1, (haft_rate){1000, 60000}, "take, 1 in flight");
    bare_run(argv[1], us, IN_FLIGHT, "bare EVALSHA of INCR, 64 in flight", counter);
    store_run(url, us, IN_FLIGHT, (haft_rate){1000, 60000}, "take, 64 in flight, exact window");
    store_run(url, us, IN_FLIGHT, (haft_rate){1000000, 60000}, "take, 64 in flight, slices");
    return 0;
}
