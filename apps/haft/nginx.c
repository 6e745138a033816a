/* nginx.c - the command nginx: the configuration of nginx in front of several replicas of a server.
 *
 * The id of a session begins with the number of its replica, so nginx needs no table to find it. The
 * other replicas are its backups: they continue the session if they share a store, and otherwise
 * answer 404, after which the client starts a new one. */
#include <string.h>

#include "program.h"
#include "show.h"

enum { NGINX_MAX_REPLICAS = 256 };

/* Whether the configuration can contain it without quotes. */
static bool nginx_is_word(const char *text)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-:/[]";

    return *text && !text[strspn(text, plain)];
}

static bool nginx_is_port(const char *text)
{
    unsigned long port = 0;
    size_t n = strspn(text, "0123456789");

    for (size_t i = 0; i < n && n <= 5; i++)
        port = port * 10 + (unsigned long)(text[i] - '0');
    return n && n <= 5 && !text[n] && port && port <= 65535;
}

/* "HOST:PORT" or "unix:PATH", as nginx takes it. */
static bool nginx_is_address(const char *text)
{
    const char *colon = strrchr(text, ':');

    if (!nginx_is_word(text))
        return false;
    if (!strncmp(text, "unix:", 5))
        return text[5] == '/';
    return colon && colon > text && nginx_is_port(colon + 1);
}

static void nginx_put_server(haft_buffer *out, const char *address, bool backup)
{
    haft_buffer_printf(out, "    server %s max_fails=1 fail_timeout=2s%s;\n", address,
                       backup ? " backup" : "");
}

static void nginx_put_end(haft_buffer *out)
{
    haft_buffer_puts(out, "    keepalive 32;\n"
                          "    keepalive_timeout 50s;\n"
                          "}\n\n");
}

/* How the replicas are started, as a comment. */
static void nginx_put_head(haft_buffer *out, const struct invocation *call)
{
    haft_buffer_puts(
        out, "# Written by haft nginx. nginx includes it in its http block, for example from\n"
             "# /etc/nginx/conf.d. Start the replicas with these options, besides their own:\n"
             "#\n");
    for (size_t i = 0; i < call->n_operands; i++)
        haft_buffer_printf(out,
                           "#   --http %s --replica %zu --replicas %zu --trusted-proxy PROXY "
                           "--allow-host NAME\n",
                           call->operands[i], i, call->n_operands);
    haft_buffer_puts(
        out, "#\n"
             "# PROXY is the address that nginx connects from (unix for Unix sockets), NAME the\n"
             "# host name that clients use.\n\n");
}

static void nginx_put_upstreams(haft_buffer *out, const struct invocation *call)
{
    haft_buffer_puts(out, "# Requests without a session.\n"
                          "upstream haft_any {\n"
                          "    least_conn;\n");
    for (size_t i = 0; i < call->n_operands; i++)
        nginx_put_server(out, call->operands[i], false);
    nginx_put_end(out);
    haft_buffer_puts(
        out, "# Sessions, by the replica that has made them. If it does not accept connections,\n"
             "# another one takes the session over from the store, or answers 404.\n");
    for (size_t i = 0; i < call->n_operands; i++) {
        haft_buffer_printf(out, "upstream haft_%04zx {\n", i);
        for (size_t k = 0; k < call->n_operands; k++)
            nginx_put_server(out, call->operands[(i + k) % call->n_operands], k);
        nginx_put_end(out);
    }
}

/* Both ways in which a client names its session; those of 2024-11-05 do it in the query. */
static void nginx_put_map(haft_buffer *out, const struct invocation *call)
{
    haft_buffer_puts(out, "map $http_mcp_session_id$arg_session $haft_upstream {\n"
                          "    default haft_any;\n");
    for (size_t i = 0; i < call->n_operands; i++)
        haft_buffer_printf(out, "    ~^%04zx[0-9a-f]+$ haft_%04zx;\n", i, i);
    haft_buffer_puts(out, "}\n\n");
}

static void nginx_put_location(haft_buffer *out)
{
    haft_buffer_puts(
        out,
        "    location / {\n"
        "        proxy_pass http://$haft_upstream;\n"
        "        proxy_http_version 1.1;\n"
        "        proxy_set_header Connection \"\";\n"
        "        proxy_set_header Host $host;\n"
        "        proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;\n"
        "        proxy_set_header X-Forwarded-Proto $scheme;\n"
        "        proxy_set_header Forwarded \"\";\n"
        "\n"
        "        # Events pass at once. haft sends a comment on an idle stream every 15 seconds; a\n"
        "        # call that is answered with JSON may be silent until its deadline.\n"
        "        proxy_buffering off;\n"
        "        proxy_cache off;\n"
        "        gzip off;\n"
        "        proxy_read_timeout 1h;\n"
        "        proxy_send_timeout 1m;\n"
        "        proxy_connect_timeout 2s;\n"
        "        proxy_socket_keepalive on;\n"
        "\n"
        "        # A client that leaves cancels its call.\n"
        "        proxy_ignore_client_abort off;\n"
        "\n"
        "        # A request goes to another replica only if none has received it: nginx does not\n"
        "        # repeat a POST that has been sent, and must not, because a tool would run twice.\n"
        "        proxy_next_upstream error timeout;\n"
        "        proxy_next_upstream_timeout 5s;\n"
        "    }\n"
        "\n"
        "    # Only for this machine and the monitoring system, at the replicas themselves.\n"
        "    location = /metrics {\n"
        "        return 404;\n"
        "    }\n");
}

static void nginx_put_front(haft_buffer *out, const struct nginx_words *words)
{
    const char *listen = words->listen ? words->listen : "8808";

    haft_buffer_printf(out, "server {\n    listen %s%s;\n", listen,
                       words->certificate ? " ssl" : "");
    if (words->server_name)
        haft_buffer_printf(out, "    server_name %s;\n", words->server_name);
    if (words->certificate)
        haft_buffer_printf(out,
                           "    ssl_certificate %s;\n"
                           "    ssl_certificate_key %s;\n"
                           "    ssl_protocols TLSv1.2 TLSv1.3;\n",
                           words->certificate, words->key ? words->key : words->certificate);
    haft_buffer_puts(out, "    # As --max-message of the replicas.\n"
                          "    client_max_body_size 4m;\n\n");
    nginx_put_location(out);
    haft_buffer_puts(out, "}\n");
}

/* Reports the first word that the configuration cannot contain. */
static int nginx_check(const struct invocation *call)
{
    const struct nginx_words *words = &call->nginx;
    const char *texts[] = {words->server_name, words->certificate, words->key};

    if (!call->n_operands || call->n_operands > NGINX_MAX_REPLICAS)
        return complain(EXIT_USAGE,
                        "nginx needs the addresses of 1 to %d replicas, such as "
                        "127.0.0.1:9001 127.0.0.1:9002",
                        NGINX_MAX_REPLICAS);
    for (size_t i = 0; i < call->n_operands; i++)
        if (!nginx_is_address(call->operands[i]))
            return complain(EXIT_USAGE,
                            "%s is not an address of a replica; write HOST:PORT or unix:/PATH",
                            call->operands[i]);
    if (words->listen && !nginx_is_port(words->listen) && !nginx_is_address(words->listen))
        return complain(EXIT_USAGE, "--listen: %s is not PORT, HOST:PORT or unix:/PATH",
                        words->listen);
    if (words->key && !words->certificate)
        return complain(EXIT_USAGE, "--tls-key requires --tls-cert");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i] && !nginx_is_word(texts[i]))
            return complain(EXIT_USAGE,
                            "%s contains a character that cannot be in the configuration",
                            texts[i]);
    return EXIT_DONE;
}

int act_nginx(struct invocation *call)
{
    int status = nginx_check(call);
    struct page page;

    if (status != EXIT_DONE)
        return status;
    page_init(&page);
    nginx_put_head(&page.text, call);
    nginx_put_upstreams(&page.text, call);
    nginx_put_map(&page.text, call);
    nginx_put_front(&page.text, &call->nginx);
    return page_print(&page);
}
