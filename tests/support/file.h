/* support/file.h - a file for somebody to read, where nobody else's is. */
#ifndef HAFT_TESTS_FILE_H
#define HAFT_TESTS_FILE_H

enum { FILE_PATH = 64 };

/* Makes one that holds the text, and says where; the test removes it. */
void file_make(char ret_path[FILE_PATH], const char *text);

#endif
