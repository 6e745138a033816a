/* gateway/held.h - whatever waits to be let go by a test, each with how it goes on. */
#ifndef HAFT_TESTS_HELD_H
#define HAFT_TESTS_HELD_H

#include <haft/gateway.h>
#include <stdatomic.h>
#include <uv.h>

#include "support/test.h"

enum { MAX_HELD = 2048, HELD_PATIENCE_MS = 60000 };

static struct {
    uv_mutex_t lock;
    void *items[MAX_HELD];
    void (*go_on[MAX_HELD])(void *item, int status);
    size_t n;
    atomic_size_t count;
} held;

static void held_init(void)
{
    uv_mutex_init(&held.lock);
}

static int hold(void *item, void (*go_on)(void *item, int status))
{
    uv_mutex_lock(&held.lock);
    held.items[held.n] = item;
    held.go_on[held.n++] = go_on;
    uv_mutex_unlock(&held.lock);
    atomic_fetch_add(&held.count, 1);
    return HAFT_PENDING;
}

static void wait_for_held(size_t n)
{
    for (int ms = 0; atomic_load(&held.count) < n; ms++) {
        if (ms > HELD_PATIENCE_MS)
            fail_msg("%zu of %zu are held", atomic_load(&held.count), n);
        uv_sleep(1);
    }
    assert_int_equal(atomic_load(&held.count), n);
}

/* Lets all of them go that are held now; what they go on to may be held, too. */
static void let_go(int status)
{
    static void *items[MAX_HELD];
    static void (*go_on[MAX_HELD])(void *item, int status);
    size_t n;

    uv_mutex_lock(&held.lock);
    n = held.n;
    memcpy(items, held.items, sizeof items);
    memcpy(go_on, held.go_on, sizeof go_on);
    held.n = 0;
    atomic_fetch_sub(&held.count, n);
    uv_mutex_unlock(&held.lock);
    for (size_t i = 0; i < n; i++)
        go_on[i](items[i], status);
}

#endif
