/* process/supervisor_wire.h - what a server and its supervisor say to each other.
 *
 * Packets of a socket pair that only these two processes have, each with up to four descriptors. */
#ifndef HAFT_SRC_PROCESS_SUPERVISOR_WIRE_H
#define HAFT_SRC_PROCESS_SUPERVISOR_WIRE_H

#include "process/supervisor.h"

enum supervise_kind {
    SUPERVISE_START = 1, /* to the supervisor: struct supervise_start */
    SUPERVISE_KILL,      /* struct supervise_kill */
    SUPERVISE_STARTED,   /* from it, struct supervise_report: value is the process id */
    SUPERVISE_FAILED,    /* step and errno */
    SUPERVISE_EXITED,    /* exit status */
    SUPERVISE_SIGNALLED  /* signal */
};

/* What a program could not be started for. */
#define SUPERVISE_STEPS(X)                                                                         \
    X(FORK, "cannot create a process for it")                                                      \
    X(LIMITS, "cannot set its limits")                                                             \
    X(DESCRIPTORS, "cannot set its descriptors")                                                   \
    X(DIRECTORY, "cannot enter its directory")                                                     \
    X(SANDBOX, "cannot enter its sandbox")                                                         \
    X(EXECUTE, "cannot execute it")
enum supervise_step {
#define SUPERVISE_STEP_(name, text) SUPERVISE_STEP_##name,
    SUPERVISE_STEPS(SUPERVISE_STEP_)
#undef SUPERVISE_STEP_
        SUPERVISE_N_STEPS
};

enum {
    SUPERVISE_FDS = 4,
    SUPERVISE_RULESET = 3, /* index of the sandbox's descriptor */
    SUPERVISE_STACK = 256 << 10
};

/* Followed by the instructions of the filter, and by the strings, each with its NUL: arguments,
 * environment, directory. */
struct supervise_start {
    uint32_t kind;
    uint32_t fds; /* bits of those that come with the packet, in order */
    uint64_t id;
    struct supervised_limits limits;
    uint32_t n_arguments, n_environment;
    uint16_t n_instructions;
    bool has_directory, sandboxed, filters_signals;
};

struct supervise_kill {
    uint32_t kind;
    int32_t signal;
    uint64_t id;
    uint32_t grace_ms;
};

struct supervise_report {
    uint32_t kind;
    int32_t value, step;
    uint64_t id;
};

enum { SUPERVISE_PACKET = SUPERVISED_TEXT };

/* Send and receive a packet without waiting.  `bits` says which of the descriptors are there.
 * hf_supervise_send returns 0, HAFT_EBUSY if the socket is full, HAFT_ETOOBIG, or HAFT_ECLOSED.
 * hf_supervise_receive returns the size, 0 if there is none, or HAFT_ECLOSED; descriptors that the
 * packet did not announce, or of one that was cut, are closed. */
int hf_supervise_send(int socket, const void *packet, size_t size, const int fds[SUPERVISE_FDS]);
ssize_t hf_supervise_receive(int socket, void *packet, size_t room, int ret_fds[SUPERVISE_FDS],
                             size_t *ret_n_fds);

/* ---- supervisor_process.c ---- */

struct supervise;

/* Bytes of the process's state, which the server allocates before the fork. */
size_t hf_supervise_size(void);
/* The main function of the process.  `parent` is the server.  Does not return. */
_Noreturn void hf_supervise(void *state, int control, pid_t parent);

/* ---- supervisor_start.c ---- */

/* A request to start a program, read from a packet. */
struct supervise_request {
    struct supervise_start start;
    int fds[SUPERVISE_FDS]; /* -1 for none */
    char **arguments, **environment;
    const char *directory; /* NULL for none */
    struct sandbox sandbox;
    _Alignas(16) char stack[SUPERVISE_STACK]; /* of the new process until it executes the program */
};

/* Reads a packet, whose strings stay there.  `words` has room for SUPERVISED_WORDS + 2.  Returns false if
 * it is malformed. */
bool hf_supervise_read(struct supervise_request *request, char *packet, size_t size, const int *fds,
                       size_t n_fds, char **words);

/* Starts the program.  Returns its process id, or -1 with the step and errno. */
pid_t hf_supervise_start(struct supervise_request *request, enum supervise_step *reterr_step,
                         int *reterr_errno);

#endif
