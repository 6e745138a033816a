/* http_client.c - the cost of the HTTP client compared with a bare libcurl loop.
 *
 *     http-client bare|libcurl|haft|all URL REQUESTS CONCURRENT
 *
 * Each sends the same POST request REQUESTS times, CONCURRENT at a time, and prints requests per second and
 * microseconds of CPU time per request. `bare` is libcurl's multi interface as in its examples: no limits, no
 * checks, reused handles. `libcurl` is the client with `no_direct`; `haft` is the client as it is. `all` runs them
 * in turn, three times, since the load of the machine changes. */
#define _GNU_SOURCE
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <haft/part.h>

#include "part/http_client.h"

static const char body[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{}}";

struct bench {
    const char *url;
    bool no_direct;
    long requests, concurrent, started, ended, failed;
    const struct http_client_functions *http;
    http_client *client;
};

static size_t swallow(char *bytes, size_t one, size_t n, void *context)
{
    (void)bytes;
    (void)context;
    return one * n;
}

static CURL *bare_new(const struct bench *bench)
{
    CURL *easy = curl_easy_init();

    curl_easy_setopt(easy, CURLOPT_URL, bench->url);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, body);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE, (long)sizeof body - 1);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, swallow);
    return easy;
}

static void bare_run(struct bench *bench)
{
    CURLM *multi = curl_multi_init();
    CURLMsg *message;
    int running, left;

    for (long i = 0; i < bench->concurrent; i++, bench->started++)
        curl_multi_add_handle(multi, bare_new(bench));
    while (bench->ended < bench->requests) {
        curl_multi_perform(multi, &running);
        while ((message = curl_multi_info_read(multi, &left))) {
            CURL *easy = message->easy_handle;

            bench->failed += message->data.result != CURLE_OK;
            bench->ended++;
            curl_multi_remove_handle(multi, easy);
            if (bench->started < bench->requests) {
                bench->started++;
                curl_multi_add_handle(multi, easy);
            } else {
                curl_easy_cleanup(easy);
            }
        }
        if (bench->ended < bench->requests)
            curl_multi_poll(multi, NULL, 0, 1000, NULL);
    }
    curl_multi_cleanup(multi);
}

static void haft_start(struct bench *bench);

static void on_end(void *context, const struct http_end *end)
{
    struct bench *bench = context;

    bench->failed += end->error != HTTP_OK;
    bench->ended++;
    if (bench->started < bench->requests)
        haft_start(bench);
}

static void haft_start(struct bench *bench)
{
    static const struct http_field headers[] = {{"Content-Type", "application/json"}};

    bench->started++;
    if (!bench->http->start(bench->client,
                            &(struct http_request_options){.method = "POST",
                                                           .url = bench->url,
                                                           .headers = headers,
                                                           .n_headers = 1,
                                                           .body = body,
                                                           .body_size = sizeof body - 1,
                                                           .on_end = on_end,
                                                           .context = bench},
                            NULL))
        exit(2);
}

static void haft_run(struct bench *bench)
{
    uv_loop_t loop;

    uv_loop_init(&loop);
    bench->http = hf_http_client_open("bench", NULL);
    bench->client = hf_http_client_new(
        bench->http, &loop,
        &(struct http_client_options){.max_requests = (unsigned)bench->concurrent,
                                      .no_direct = bench->no_direct,
                                      .max_connections = (unsigned)bench->concurrent,
                                      .max_per_host = (unsigned)bench->concurrent},
        NULL);
    for (long i = 0; i < bench->concurrent; i++)
        haft_start(bench);
    while (bench->ended < bench->requests)
        uv_run(&loop, UV_RUN_ONCE);
    bench->http->destroy(bench->client);
    uv_run(&loop, UV_RUN_DEFAULT);
    uv_loop_close(&loop);
}

static double used_seconds(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static const struct way {
    const char *name;
    bool no_direct;
    void (*run)(struct bench *bench);
} ways[] = {{"bare", false, bare_run}, {"libcurl", true, haft_run}, {"haft", false, haft_run}};

/* Returns the number of requests that failed. */
static long measure(const struct way *way, const char *url, long requests, long concurrent)
{
    struct bench bench = {
        .url = url, .no_direct = way->no_direct, .requests = requests, .concurrent = concurrent};
    double used = used_seconds();
    uint64_t start = uv_hrtime();
    double took;

    way->run(&bench);
    took = (double)(uv_hrtime() - start) / 1e9;
    printf("%-7s %ld at a time: %6.0f requests/s, %4.1f us of processor time each, %ld failed\n",
           way->name, concurrent, (double)requests / took,
           (used_seconds() - used) * 1e6 / (double)requests, bench.failed);
    return bench.failed;
}

int main(int argc, char **argv)
{
    enum { ROUNDS = 3, WAYS = sizeof ways / sizeof *ways };
    bool all = argc == 5 && !strcmp(argv[1], "all");
    long failed = 0;

    if (argc != 5)
        return 2;
    curl_global_init(CURL_GLOBAL_DEFAULT);
    haft_part_register(&haft_http_client_part);
    for (int i = 0; i < (all ? ROUNDS * WAYS : WAYS); i++)
        if (all || !strcmp(argv[1], ways[i].name))
            failed += measure(&ways[i % WAYS], argv[2], strtol(argv[3], NULL, 10),
                              strtol(argv[4], NULL, 10));
    curl_global_cleanup();
    return failed ? 1 : 0;
}
