/* gateway/stand.h - a gateway behind an HTTP server, and what it answers. */
#ifndef HAFT_TESTS_STAND_H
#define HAFT_TESTS_STAND_H

#include "http/site.h"
#include <haft/gateway.h>

struct stand {
    haft_gateway *gateway;
    haft_app app;
    haft_http_mount mount;
    struct site *site;
};

/* Serves stand->gateway, which is freed in the end. */
static void stand_serve(struct stand *stand, haft_http_options options)
{
    stand->app = *haft_gateway_app(stand->gateway);
    stand->mount = (haft_http_mount)HAFT_INIT(haft_http_mount, .path = "/", .app = &stand->app);
    options.path = "";
    options.mounts = &stand->mount;
    options.n_mounts = 1;
    stand->site = site_open(options);
}

static void stand_close(struct stand *stand)
{
    site_close(stand->site);
    haft_gateway_free(stand->gateway);
}

/* The response to what was sent, valid until the next one; closes the connection. */
static const char *stand_hear(int fd)
{
    static char text[ROOM];

    assert_true(hear_all(fd, text, sizeof text));
    close(fd);
    return text;
}

static inline void stand_expect(int fd, const char *status, const char *part)
{
    const char *text = stand_hear(fd);

    if (!strstr(text, status) || !strstr(text, part))
        fail_msg("%s and %s are not in %s", status, part, text);
}

#endif
