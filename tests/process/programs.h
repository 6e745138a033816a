/* process/programs.h - programs that tests start: the test's own executable with a word in front. */
#ifndef HAFT_TESTS_PROCESS_PROGRAMS_H
#define HAFT_TESTS_PROCESS_PROGRAMS_H

/* Runs the program that the first argument names, and does not return, unless it names none:
 *
 *   program-words WORD...   prints its arguments as a JSON array
 *   program-facts           prints its descriptors, session and signals
 *   program-tree TOKEN      starts processes that leave its group and ignore SIGTERM, and waits
 *   program-flood           writes without end
 *   program-silent          closes its descriptors and waits
 */
void programs_run(int argc, char **argv);

/* How many processes have a word among their arguments. */
int programs_count(const char *word);

#endif
