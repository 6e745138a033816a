/* process/forked.h - what a process does first that was forked without starting a program.
 *
 * It gives up the descriptors, signal handlers and signal mask of the process that it is a copy of.
 * All functions are async-signal-safe: that process may have had threads. */
#ifndef HAFT_SRC_PROCESS_FORKED_H
#define HAFT_SRC_PROCESS_FORKED_H

enum { FORKED_SOCKET = 3 /* descriptor of the only socket that such a process needs */ };

/* Sets the handlers of all signals to the default; of one; and of those that end a server, which must
 * leave it time to drain. */
void hf_forked_default_signals(void);
void hf_forked_set_signal(int number, void (*handler)(int));
void hf_forked_set_ends(void (*handler)(int));

void hf_forked_block_nothing(void);

/* Standard input is empty, and standard output goes where the log goes. */
void hf_forked_set_standard(void);

/* Closes all descriptors but the three standard ones and `fd`, which becomes FORKED_SOCKET. */
void hf_forked_close_others(int fd);

#endif
