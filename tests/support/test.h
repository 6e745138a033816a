/* support/test.h - includes cmocka with its prerequisites. */
#ifndef HAFT_TESTS_TEST_H
#define HAFT_TESTS_TEST_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

/* A string literal and its size, for tables of text that may contain NUL. */
#define TEXT(literal) (literal), sizeof(literal) - 1

/* Whether a sanitizer is active, which takes time and memory. */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define SANITIZED 1
#elif defined __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#if !defined SANITIZED
#define SANITIZED 0
#endif

#endif
