/* process/supervisor.h - starts programs from a process that outlives none of them.
 *
 * The supervisor is a process of one thread, forked when the first program is started.  It is the
 * parent and the subreaper of all programs, and their end and that of everything they have started
 * is its own: when this process closes the socket between the two, even by dying of SIGKILL, the
 * supervisor kills all its descendants, repeatedly until none is left, and exits.  Each program leads
 * its own session and process group and adopts orphans among its descendants; when it ends,
 * what it has left behind is killed.  If the supervisor dies, the kernel kills the programs
 * (PR_SET_PDEATHSIG), they are reported as lost, and the next program gets a new supervisor.
 *
 * Everything here is called on the thread of the loop, and calls back there. */
#ifndef HAFT_SRC_PROCESS_SUPERVISOR_H
#define HAFT_SRC_PROCESS_SUPERVISOR_H

#include <sys/types.h>
#include <uv.h>

#include "process/sandbox.h"

struct supervisor;
struct supervisor_link;
struct supervised;

enum {
    SUPERVISED_MAX = 1024,      /* programs at once */
    SUPERVISED_WORDS = 4096,    /* arguments and environment variables together */
    SUPERVISED_TEXT = 128 << 10 /* bytes of these, the directory, and the sandbox */
};

/* Resource limits of a program (setrlimit); 0 for none. */
struct supervised_limits {
    uint64_t memory;      /* bytes of address space */
    uint64_t cpu_seconds; /* processor time of each process */
    uint64_t open_files;  /* descriptors */
    uint64_t processes;   /* of the user; not enforced for root */
    uint64_t file_size;   /* bytes of a file that it writes */
};

/* What to start. */
struct supervised_program {
    /* The first argument is the program; without a slash it is looked up in the PATH of the
     * environment.  Both lists end with NULL. */
    const char *const *arguments, *const *environment;
    const char *directory; /* NULL: that of this process */
    int fds[3];            /* standard input, output and error; -1 for /dev/null */
    struct supervised_limits limits;
    const struct sandbox *sandbox; /* opened with `programs`; NULL for none */
};

/* How it ended. */
struct supervised_end {
    int status; /* exit status, if it exited */
    int signal; /* signal that killed it; 0 for none */
    bool lost;  /* the supervisor has died or was closed, and the program with it */
};

/* A program that was started, embedded in what it belongs to.  Everything below the callbacks belongs
 * to the supervisor. */
struct supervised {
    /* Called once: it runs, or could not be started, and nothing follows.  The reason is NULL if it
     * runs.  May be NULL. */
    void (*on_start)(struct supervised *child, const haft_reason *failure);
    /* Called once for one that has run, after which the struct may be used for another. */
    void (*on_end)(struct supervised *child, const struct supervised_end *end);
    void *data;       /* of the owner */
    pid_t pid;        /* 0 until it runs */
    const char *name; /* for messages; that of arguments[0], which is copied */
    char name_room[64];
    struct supervisor_link *link; /* NULL when it is not in use */
    struct supervised *next, *previous;
    uint64_t id;
    char *packet; /* request that could not be sent yet */
    size_t packet_size;
    int packet_fds[4];
    int signal; /* to be sent; 0 for none */
    unsigned grace_ms;
    bool kill_pending;
};

/* Returns NULL without memory.  No process is started yet. */
struct supervisor *hf_supervisor_new(uv_loop_t *loop, const haft_allocator *allocator);
/* Returns *slot, or a new one that it stores there. */
struct supervisor *hf_supervisor_get(struct supervisor **slot, uv_loop_t *loop,
                                     const haft_allocator *allocator);

/* Starts no more programs, and ends the process when none is left, or after so many milliseconds: those
 * that still run are killed and reported as lost.  Frees the supervisor when its handles are closed,
 * and then calls `on_closed`, which may be NULL: within this call if no program was ever started.
 * Accepts NULL. */
void hf_supervisor_close(struct supervisor *supervisor, unsigned grace_ms,
                         void (*on_closed)(void *context), void *context);

/* Starts a program.  Takes ownership of the descriptors in every case, and copies everything else.
 * Returns 0, and calls back later; or an error with the reason, and does not call back: HAFT_ETOOBIG
 * beyond the limits above, HAFT_EBUSY if too many run or the supervisor cannot be forked,
 * HAFT_ENOMEM, HAFT_ECLOSED if it is being closed. */
int hf_supervisor_start(struct supervisor *supervisor, struct supervised *child,
                        const struct supervised_program *program, haft_reason *reterr_reason);

/* Sends a signal to the process group of a program that was started, and SIGKILL if it has not ended
 * after so many milliseconds; 0 for none.  Has no effect on one that has ended.  A later call
 * replaces an earlier one, except that time never gets longer. */
void hf_supervised_kill(struct supervised *child, int signal, unsigned grace_ms);

/* Whether it has been started, and its end has not been reported. */
bool hf_supervised_is_running(const struct supervised *child);

/* The process id of the supervisor; 0 if there is none.  For tests. */
pid_t hf_supervisor_pid(const struct supervisor *supervisor);

#endif
