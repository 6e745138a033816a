/* support/file.h - temporary files with unique names. */
#ifndef HAFT_TESTS_FILE_H
#define HAFT_TESTS_FILE_H

enum { FILE_PATH = 64 };

/* Creates a file with the text and returns its path; the test removes it. */
void file_make(char ret_path[FILE_PATH], const char *text);

#endif
