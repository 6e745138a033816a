/* support/test.h - cmocka with what it wants included first. */
#ifndef HAFT_TESTS_TEST_H
#define HAFT_TESTS_TEST_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

/* A string literal and its size: for tables of text that may hold a NUL. */
#define TEXT(literal) (literal), sizeof(literal) - 1

#endif
