/* haft/version.h - which haft this is: of the headers that a program is compiled with, and of the
 * library that it runs with.
 *
 *     #if HAFT_VERSION_NUMBER >= 0x000200
 *     printf("compiled for haft %s, running with %s\n", HAFT_VERSION, haft_version());
 *
 * The version is stated here and nowhere else: CMake reads it.  VERSIONING.md has what it promises. */
#ifndef HAFT_VERSION_H
#define HAFT_VERSION_H

#define HAFT_VERSION_MAJOR 0
#define HAFT_VERSION_MINOR 2
#define HAFT_VERSION_PATCH 0

/* "0.2.0" */
#define HAFT_VERSION HAFT_VERSION_TEXT_(HAFT_VERSION_MAJOR, HAFT_VERSION_MINOR, HAFT_VERSION_PATCH)

/* 0x000200: a byte each, so that numbers compare as versions do. */
#define HAFT_VERSION_NUMBER                                                                        \
    (HAFT_VERSION_MAJOR << 16 | HAFT_VERSION_MINOR << 8 | HAFT_VERSION_PATCH)

#ifdef __cplusplus
extern "C" {
#endif

/* HAFT_VERSION of the library, a constant. */
const char *haft_version(void);

/* HAFT_VERSION_NUMBER of the library. */
int haft_version_number(void);

#ifdef __cplusplus
}
#endif

/* ---- behind the macros ---- */
#define HAFT_VERSION_TEXT_(major, minor, patch) HAFT_VERSION_TEXT2_(major, minor, patch)
#define HAFT_VERSION_TEXT2_(major, minor, patch) #major "." #minor "." #patch

#endif
