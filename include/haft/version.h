/* haft/version.h - the version of the headers that a program is compiled with, and of the library
 * that it runs with.
 *
 *     #if HAFT_VERSION_NUMBER >= 0x000200
 *     printf("compiled for haft %s, running with %s\n", HAFT_VERSION, haft_version());
 *
 * This header is the only place that has the version; CMake reads it from here.  VERSIONING.md
 * describes the compatibility between versions. */
#ifndef HAFT_VERSION_H
#define HAFT_VERSION_H

/* Parts of the version of these headers. */
#define HAFT_VERSION_MAJOR 0
#define HAFT_VERSION_MINOR 2
#define HAFT_VERSION_PATCH 0

/* Version of these headers as a string literal, such as "0.2.0". */
#define HAFT_VERSION HAFT_VERSION_TEXT_(HAFT_VERSION_MAJOR, HAFT_VERSION_MINOR, HAFT_VERSION_PATCH)

/* Version of these headers as a number that can be compared, with a byte for each part:
 * 0x000200. */
#define HAFT_VERSION_NUMBER                                                                        \
    (HAFT_VERSION_MAJOR << 16 | HAFT_VERSION_MINOR << 8 | HAFT_VERSION_PATCH)

#ifdef __cplusplus
extern "C" {
#endif

/* Returns HAFT_VERSION of the library that the program runs with, a constant. */
const char *haft_version(void);

/* Returns HAFT_VERSION_NUMBER of the library that the program runs with. */
int haft_version_number(void);

#ifdef __cplusplus
}
#endif

/* ---- behind the macros ---- */
#define HAFT_VERSION_TEXT_(major, minor, patch) HAFT_VERSION_TEXT2_(major, minor, patch)
#define HAFT_VERSION_TEXT2_(major, minor, patch) #major "." #minor "." #patch

#endif
