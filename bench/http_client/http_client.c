/* http_client.c - the cost of the HTTP client compared with a bare libcurl loop.
 *
 *     http-client bare|haft URL REQUESTS CONCURRENT
 *
 * Both send the same POST request REQUESTS times, CONCURRENT at a time, and print requests per
 * second and microseconds of CPU time per request. `bare` is libcurl's multi interface as in its
 * examples: no limits, no checks, reused handles. */
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

    haft_part_register(&haft_http_client_part);
    uv_loop_init(&loop);
    bench->http = hf_http_client_open("bench", NULL);
    bench->client = hf_http_client_new(
        bench->http, &loop,
        &(struct http_client_options){.max_requests = (unsigned)bench->concurrent,
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

static double seconds(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

int main(int argc, char **argv)
{
    struct bench bench = {0};
    struct rusage usage;
    uint64_t start;
    double took;

    if (argc != 5)
        return 2;
    bench.url = argv[2];
    bench.requests = strtol(argv[3], NULL, 10);
    bench.concurrent = strtol(argv[4], NULL, 10);
    curl_global_init(CURL_GLOBAL_DEFAULT);
    start = uv_hrtime();
    (!strcmp(argv[1], "bare") ? bare_run : haft_run)(&bench);
    took = (double)(uv_hrtime() - start) / 1e9;
    getrusage(RUSAGE_SELF, &usage);
    printf("%s, %ld at a time: %.0f requests/s, %.1f us of processor time each, %ld failed\n",
           argv[1], bench.concurrent, (double)bench.requests / took,
           (seconds(usage.ru_utime) + seconds(usage.ru_stime)) * 1e6 / (double)bench.requests,
           bench.failed);
    curl_global_cleanup();
    return bench.failed ? 1 : 0;
}
