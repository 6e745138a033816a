/* serve/serve.h - the command `haft home`. */
#ifndef HOME_SERVE_H
#define HOME_SERVE_H

/* Runs the command; argv[0] is what messages call the program.  Returns the exit status, which is `unable` if
 * it cannot serve. */
int home_main(int argc, char **argv, int unable);

#endif
