/* props.c - what stands around a server under fault; see props.h.
 *
 * A directory belongs to one process of the driver, which has one server at a time: two of them
 * never meet in it. */
#define _GNU_SOURCE
#include "fault/props.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_ROOM = 128, BLOCK = 1 << 16 };

/* Counts for the process that started it. */
static struct collector {
    int port; /* 0: there is none */
    atomic_size_t *spans;
} collector;

/* ---- the directory ---- */

static const char *const left_behind[] = {PLACE_SETTINGS, PLACE_PLUGIN, PLACE_PLUGIN ".new",
                                          PLACE_SOCKET,   PLACE_AUDIT,  PLACE_LOG};

static const char *path_of(const struct peer *peer, const char *name, char room[PATH_ROOM])
{
    snprintf(room, PATH_ROOM, "%s/%s", peer->place, name);
    return room;
}

bool props_init(struct peer *peer)
{
    snprintf(peer->place, sizeof peer->place, "/tmp/haft-fault-XXXXXX");
    return mkdtemp(peer->place) != NULL;
}

void props_finish(struct peer *peer)
{
    props_clean(peer);
    rmdir(peer->place);
}

bool props_clean(struct peer *peer)
{
    char room[PATH_ROOM];

    for (size_t i = 0; i < sizeof left_behind / sizeof *left_behind; i++)
        if (unlink(path_of(peer, left_behind[i], room)) && errno != ENOENT) {
            peer_say_why(peer, "%s: %s", room, strerror(errno));
            return false;
        }
    return true;
}

static bool write_file(struct peer *peer, const char *name, const char *bytes, size_t size)
{
    char room[PATH_ROOM];
    int fd = open(path_of(peer, name, room), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    bool whole = fd >= 0 && write(fd, bytes, size) == (ssize_t)size;

    if (!whole)
        peer_say_why(peer, "%s: %s", room, strerror(errno));
    peer_let_go(&fd);
    return whole;
}

bool props_unread_audit(struct peer *peer)
{
    static const char settings[] = "{\"audit\": {\"file\": \"" PLACE_AUDIT "\"}}\n";
    char room[PATH_ROOM];

    if (!props_clean(peer) || !write_file(peer, PLACE_SETTINGS, settings, sizeof settings - 1))
        return false;
    if (mkfifo(path_of(peer, PLACE_AUDIT, room), 0600)) {
        peer_say_why(peer, "%s: %s", room, strerror(errno));
        return false;
    }
    return true;
}

/* ---- plugins ---- */

static bool copy_plugin(struct peer *peer, const char *from, const char *name)
{
    static char bytes[4 << 20];
    int fd = open(from, O_RDONLY | O_CLOEXEC);
    ssize_t size = fd < 0 ? -1 : read(fd, bytes, sizeof bytes);

    peer_let_go(&fd);
    if (size <= 0 || size == (ssize_t)sizeof bytes) {
        peer_say_why(peer, "%s: cannot be copied", from);
        return false;
    }
    return write_file(peer, name, bytes, (size_t)size);
}

bool props_plugin(struct peer *peer)
{
    static const char settings[] = "{\"plugins\": [\"" PLACE_PLUGIN "\"]}\n";

    return props_clean(peer) && copy_plugin(peer, PLUGINS "word-1.so", PLACE_PLUGIN) &&
           write_file(peer, PLACE_SETTINGS, settings, sizeof settings - 1);
}

bool props_exchange(struct peer *peer)
{
    char from[PATH_ROOM], to[PATH_ROOM];

    return copy_plugin(peer, PLUGINS "word-2.so", PLACE_PLUGIN ".new") &&
           !rename(path_of(peer, PLACE_PLUGIN ".new", from), path_of(peer, PLACE_PLUGIN, to));
}

bool props_endpoints(struct peer *peer)
{
    static const char settings[] =
        "{\"plugins\": [\"" PLACE_PLUGIN "\"], \"gateway\": {\"endpoints\": ["
        "{\"name\": \"fault\"}, {\"endpoint\": \"/more\"}]}}\n";

    return write_file(peer, PLACE_SETTINGS, settings, sizeof settings - 1);
}

/* ---- a collector ---- */

static size_t count_of(const char *text, const char *word)
{
    size_t n = 0;

    for (; (text = strstr(text, word)); text += strlen(word))
        n++;
    return n;
}

/* Whether the request is all there. */
static bool is_whole(const char *text, size_t size)
{
    const char *body = strstr(text, "\r\n\r\n"), *length = strstr(text, "Content-Length: ");

    return body && length && length < body &&
           size >= (size_t)(body + 4 - text) + strtoul(length + 16, NULL, 10);
}

/* A request that breaks off is not counted. */
static void take_spans(int fd)
{
    static const char answer[] = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";
    static char text[BLOCK];
    size_t size = 0;
    ssize_t n;

    do {
        n = recv(fd, text + size, sizeof text - 1 - size, 0);
        size += n > 0 ? (size_t)n : 0;
        text[size] = '\0';
    } while (n > 0 && !is_whole(text, size));
    if (n <= 0)
        return;
    atomic_fetch_add(collector.spans, count_of(text, "\"spanId\":"));
    send(fd, answer, sizeof answer - 1, MSG_NOSIGNAL);
}

static _Noreturn void collect(int listener)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) {
        int fd = accept(listener, NULL, NULL);

        if (fd < 0 && errno != EINTR)
            _exit(1);
        if (fd >= 0)
            take_spans(fd);
        peer_let_go(&fd);
    }
}

static bool start_collector(void)
{
    struct sockaddr_in name = {.sin_family = AF_INET};
    socklen_t size = sizeof name;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    pid_t pid = -1;

    collector.spans = mmap(NULL, sizeof *collector.spans, PROT_READ | PROT_WRITE,
                           MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (fd >= 0 && collector.spans != MAP_FAILED &&
        !bind(fd, (struct sockaddr *)&name, sizeof name) && !listen(fd, 16) &&
        !getsockname(fd, (struct sockaddr *)&name, &size))
        pid = fork();
    if (!pid)
        collect(fd);
    peer_let_go(&fd);
    if (pid > 0)
        collector.port = ntohs(name.sin_port);
    return pid > 0;
}

bool props_collector(struct peer *peer)
{
    char settings[128];
    int size;

    if (!collector.port && !start_collector()) {
        peer_say_why(peer, "there is no collector: %s", strerror(errno));
        return false;
    }
    size = snprintf(settings, sizeof settings, "{\"trace\": {\"otlp\": \"http://127.0.0.1:%d\"}}\n",
                    collector.port);
    return props_clean(peer) && write_file(peer, PLACE_SETTINGS, settings, (size_t)size);
}

size_t props_spans(void)
{
    return atomic_load(collector.spans);
}
