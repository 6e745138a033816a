/* mcp_client.c - the cost of a client's call compared with a bare libcurl loop.
 *
 *     mcp-client bare|haft URL CALLS CONCURRENT
 *
 * Both call the tool `add` over HTTP in revision 2026-07-28 CALLS times, CONCURRENT at a time, and print
 * calls per second and microseconds of processor time per call.  `bare` is libcurl's multi interface as in
 * its examples: the same request every time, with the same headers, and an answer that nobody reads. */
#define _GNU_SOURCE
#include <curl/curl.h>
#include <haft.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <uv.h>

#define REVISION "2026-07-28"
#define META "io.modelcontextprotocol/"

#define REVISION_HEADER "MCP-Protocol-Version: " REVISION

static const char body[] =
    "{\"jsonrpc\":\"2.0\",\"id\":1000,\"method\":\"tools/call\",\"params\":{\"name\":\"add\","
    "\"arguments\":{\"a\":2,\"b\":40},\"_meta\":{\"" META "protocolVersion\":\"" REVISION "\","
    "\"" META "clientInfo\":{\"name\":\"client\",\"version\":\"1.0.0\"},"
    "\"" META "clientCapabilities\":{}}}}";
static const char *const headers[] = {
    "User-Agent: haft/" HAFT_VERSION,
    "Content-Type: application/json",
    "Accept: application/json, text/event-stream",
    REVISION_HEADER,
    "Mcp-Method: tools/call",
    "Mcp-Name: add",
};

struct bench {
    const char *url;
    long calls, concurrent, started, ended, failed;
    haft_client *client;
};

/* ---- bare ---- */

static size_t swallow(char *bytes, size_t one, size_t n, void *context)
{
    (void)bytes;
    (void)context;
    return one * n;
}

static CURL *bare_new(const struct bench *bench, struct curl_slist *fields)
{
    CURL *easy = curl_easy_init();

    curl_easy_setopt(easy, CURLOPT_URL, bench->url);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, body);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE, (long)sizeof body - 1);
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, fields);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, swallow);
    return easy;
}

static void bare_end(struct bench *bench, CURLM *multi, const CURLMsg *message)
{
    CURL *easy = message->easy_handle;
    long status = 0;

    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    bench->failed += message->data.result != CURLE_OK || status != 200;
    bench->ended++;
    curl_multi_remove_handle(multi, easy);
    if (bench->started++ < bench->calls)
        curl_multi_add_handle(multi, easy);
    else
        curl_easy_cleanup(easy);
}

static void bare_run(struct bench *bench)
{
    CURLM *multi = curl_multi_init();
    struct curl_slist *fields = NULL;
    CURLMsg *message;
    int running, left;

    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        fields = curl_slist_append(fields, headers[i]);
    for (; bench->started < bench->concurrent; bench->started++)
        curl_multi_add_handle(multi, bare_new(bench, fields));
    while (bench->ended < bench->calls) {
        curl_multi_perform(multi, &running);
        while ((message = curl_multi_info_read(multi, &left)))
            if (message->msg == CURLMSG_DONE)
                bare_end(bench, multi, message);
        if (bench->ended < bench->calls)
            curl_multi_poll(multi, NULL, 0, 1000, NULL);
    }
    curl_multi_cleanup(multi);
    curl_slist_free_all(fields);
}

/* ---- haft ---- */

static void haft_begin(struct bench *bench);

static void haft_done(void *context, haft_client *client, int status, const haft_result *result)
{
    struct bench *bench = context;

    bench->failed += status || result->is_error;
    bench->ended++;
    if (bench->started < bench->calls)
        haft_begin(bench);
    else if (bench->ended >= bench->calls)
        haft_client_close(client, NULL, NULL);
}

static void haft_begin(struct bench *bench)
{
    bench->started++;
    if (haft_client_begin(bench->client, HAFT_WITH(haft_client_exchange, .tool = "add",
                                                   .arguments = "{\"a\":2,\"b\":40}",
                                                   .done = haft_done, .context = bench)) <= 0)
        exit(1);
}

static void haft_run(struct bench *bench)
{
    haft_reason reason = {0};
    uv_loop_t loop;

    uv_loop_init(&loop);
    bench->client = haft_client_start(&loop, HAFT_WITH(haft_target, .url = bench->url, .proxy = ""),
                                      HAFT_WITH(haft_client_options, .revision = REVISION,
                                                .max_in_flight = (unsigned)bench->concurrent),
                                      NULL, NULL, &reason);
    if (!bench->client) {
        fprintf(stderr, "%s\n", reason.text);
        exit(1);
    }
    for (long i = 0; i < bench->concurrent; i++)
        haft_begin(bench);
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
    struct rusage before, after;
    uint64_t begun, ended;
    double cpu;

    if (argc != 5)
        return 2;
    bench.url = argv[2];
    bench.calls = atol(argv[3]);
    bench.concurrent = atol(argv[4]);
    curl_global_init(CURL_GLOBAL_DEFAULT);
    getrusage(RUSAGE_SELF, &before);
    begun = uv_hrtime();
    if (!strcmp(argv[1], "bare"))
        bare_run(&bench);
    else
        haft_run(&bench);
    ended = uv_hrtime();
    getrusage(RUSAGE_SELF, &after);
    cpu = seconds(after.ru_utime) + seconds(after.ru_stime) - seconds(before.ru_utime) -
          seconds(before.ru_stime);
    printf("{\"speed\":%.0f,\"cpu\":%.3f,\"failed\":%ld}\n",
           (double)bench.calls / ((double)(ended - begun) / 1e9), cpu * 1e6 / (double)bench.calls,
           bench.failed);
    return bench.failed ? 1 : 0;
}
