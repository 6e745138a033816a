/* supervisor_wire.c - packets with descriptors, and the request to start a program. */
#define _GNU_SOURCE /* MSG_CMSG_CLOEXEC */
#include "process/supervisor_wire.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

union supervise_control {
    struct cmsghdr head;
    char room[CMSG_SPACE(sizeof(int) * SUPERVISE_FDS)];
};

int hf_supervise_send(int socket, const void *packet, size_t size, const int fds[SUPERVISE_FDS])
{
    struct iovec part = {(void *)(uintptr_t)packet, size};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    union supervise_control control;
    int list[SUPERVISE_FDS];
    size_t n = 0;

    for (int i = 0; fds && i < SUPERVISE_FDS; i++)
        if (fds[i] >= 0)
            list[n++] = fds[i];
    if (n) {
        struct cmsghdr *head = &control.head;

        memset(&control, 0, sizeof control);
        message.msg_control = &control;
        message.msg_controllen = CMSG_SPACE(n * sizeof *list);
        head->cmsg_level = SOL_SOCKET;
        head->cmsg_type = SCM_RIGHTS;
        head->cmsg_len = CMSG_LEN(n * sizeof *list);
        memcpy(CMSG_DATA(head), list, n * sizeof *list);
    }
    for (;;) {
        if (sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0)
            return 0;
        if (errno == EAGAIN || errno == ENOBUFS || errno == ENOMEM || errno == ETOOMANYREFS)
            return HAFT_EBUSY;
        if (errno != EINTR)
            return errno == EMSGSIZE ? HAFT_ETOOBIG : HAFT_ECLOSED;
    }
}

static void supervise_close_list(const int *fds, size_t n)
{
    for (size_t i = 0; i < n; i++)
        close(fds[i]);
}

static size_t supervise_take_fds(struct msghdr *message, int *fds)
{
    struct cmsghdr *head = CMSG_FIRSTHDR(message);
    size_t n = 0;

    if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS) {
        n = (head->cmsg_len - CMSG_LEN(0)) / sizeof *fds;
        memcpy(fds, CMSG_DATA(head), n * sizeof *fds);
    }
    return n;
}

ssize_t hf_supervise_receive(int socket, void *packet, size_t room, int ret_fds[SUPERVISE_FDS],
                             size_t *ret_n_fds)
{
    struct iovec part = {packet, room};
    union supervise_control control;
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof control};
    ssize_t n;

    do
        n = recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return errno == EAGAIN || errno == ENOMEM || errno == ENOBUFS ? 0 : HAFT_ECLOSED;
    *ret_n_fds = supervise_take_fds(&message, ret_fds);
    if (!n || message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) {
        supervise_close_list(ret_fds, *ret_n_fds);
        *ret_n_fds = 0;
        return HAFT_ECLOSED; /* neither of the two sends such a packet */
    }
    return n;
}

/* ---- the request ---- */

/* The next text of the packet; NULL if there is none. */
static char *supervise_next_text(char **at, const char *end)
{
    char *text = *at, *nul = memchr(text, 0, (size_t)(end - text));

    if (!nul)
        return NULL;
    *at = nul + 1;
    return text;
}

/* Returns the list, which ends with NULL, or NULL if strings are missing; *words is what follows it. */
static char **supervise_next_list(char **at, const char *end, size_t n, char ***words)
{
    char **list = *words;

    for (size_t i = 0; i < n; i++) {
        list[i] = supervise_next_text(at, end);
        if (!list[i])
            return NULL;
    }
    list[n] = NULL;
    *words += n + 1;
    return list;
}

static bool supervise_assign_fds(struct supervise_request *request, const int *fds, size_t n_fds)
{
    size_t taken = 0;

    for (unsigned i = 0; i < SUPERVISE_FDS; i++) {
        bool there = request->start.fds >> i & 1;

        if (there && taken == n_fds)
            return false;
        request->fds[i] = there ? fds[taken++] : -1;
    }
    return taken == n_fds;
}

bool hf_supervise_read(struct supervise_request *request, char *packet, size_t size, const int *fds,
                       size_t n_fds, char **words)
{
    struct supervise_start *start = &request->start;
    char *at = packet + sizeof *start;
    const char *end = packet + size;
    size_t filter;

    if (size < sizeof *start)
        return false;
    memcpy(start, packet, sizeof *start);
    filter = start->n_instructions * sizeof(struct sandbox_instruction);
    if (!start->n_arguments || start->n_arguments > SUPERVISED_WORDS ||
        start->n_environment > SUPERVISED_WORDS - start->n_arguments ||
        start->n_instructions > SANDBOX_INSTRUCTIONS || filter > (size_t)(end - at) ||
        !supervise_assign_fds(request, fds, n_fds))
        return false;
    request->sandbox.ruleset = request->fds[SUPERVISE_RULESET];
    request->sandbox.signals = start->filters_signals;
    request->sandbox.program.size = start->n_instructions;
    memcpy(request->sandbox.program.at, at, filter);
    at += filter;
    request->arguments = supervise_next_list(&at, end, start->n_arguments, &words);
    request->environment =
        request->arguments ? supervise_next_list(&at, end, start->n_environment, &words) : NULL;
    request->directory =
        request->environment && start->has_directory ? supervise_next_text(&at, end) : NULL;
    return request->environment && !start->has_directory == !request->directory && at == end;
}
