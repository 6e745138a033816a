/* wait.c - waiting for Home Assistant on behalf of a call: never longer than the call has time, and not
 * after it was cancelled.
 *
 * A cancellation wakes nobody, so that each wait looks every WAIT_LOOK_MS. */
#include <stdarg.h>
#include <stdio.h>

#include "hass/client.h"
#include "hass/filter.h"

enum { WAIT_LOOK_MS = 50, WAIT_SPARE_MS = 100 };

/* ---- errors ---- */

/* Home Assistant may repeat what it was sent: the access token becomes stars. */
static void wait_hide_token(const struct hass *hass, char *text)
{
    enum { WAIT_SECRET = 8 }; /* shorter ones, such as the demo home's, are words */
    const char *token = hass->link.token;
    size_t size = token ? strlen(token) : 0;
    char *at = text;

    while (size >= WAIT_SECRET && (at = strstr(at, token))) {
        memset(at, '*', size);
        at += size;
    }
}

static int wait_fail(haft_call *call, int code, const char *format, va_list args)
{
    char *text = haft_arena_vprintf(haft_call_arena(call), format, args);
    int status;

    if (text)
        wait_hide_token(home_hass(call), text);
    status = haft_error(call, "%s", text ? text : "The server is out of memory.");
    return status ? status : code;
}

int hass_fail(haft_call *call, const char *format, ...)
{
    va_list args;
    int status;

    va_start(args, format);
    status = wait_fail(call, HAFT_EFAIL, format, args);
    va_end(args);
    return status;
}

int hass_fail_unknown(haft_call *call, const char *format, ...)
{
    va_list args;
    int status;

    va_start(args, format);
    status = wait_fail(call, HAFT_ENOTFOUND, format, args);
    va_end(args);
    return status;
}

int hass_no_memory(haft_call *call)
{
    return hass_fail(call, "The server is out of memory.");
}

int hass_fail_woken(const struct hass_wait *wait, enum hass_woken woken)
{
    return hass_fail_sent(wait, woken, NULL);
}

int hass_fail_sent(const struct hass_wait *wait, enum hass_woken woken, const char *sent)
{
    const char *name = wait->hass->name;
    double seconds = (double)(wait->ends - wait->starts) / 1e9;

    if (woken == WOKEN_CANCELLED && sent)
        return hass_fail(wait->call,
                         "The call was cancelled; Home Assistant may have carried the %s out.",
                         sent);
    if (woken == WOKEN_CANCELLED)
        return hass_fail(wait->call, "The call was cancelled.");
    if (sent)
        return hass_fail(wait->call,
                         "%s did not answer within %.1f s; it may have carried the %s out.", name,
                         seconds, sent);
    return hass_fail(wait->call, "%s did not answer within %.1f s.", name, seconds);
}

/* ---- waiting ---- */

struct hass_wait hass_wait_for(haft_call *call)
{
    struct hass *hass = home_hass(call);
    int64_t left = haft_call_time_left(call), limit = hass->timeout_ms;
    uint64_t now = uv_hrtime();

    /* An answer that comes with the deadline is too late: the client would see a timeout alone. */
    if (left >= 0)
        left -= left > 10 * WAIT_SPARE_MS ? WAIT_SPARE_MS : left / 10;
    if (left >= 0 && left < limit)
        limit = left;
    return (struct hass_wait){hass, call, now, now + (uint64_t)limit * 1000000};
}

enum hass_woken hass_wait_moment(const struct hass_wait *wait, uv_cond_t *cond, uint64_t ends)
{
    uint64_t now = uv_hrtime(), until = ends < wait->ends ? ends : wait->ends;

    if (haft_call_cancelled(wait->call))
        return WOKEN_CANCELLED;
    if (now >= until)
        return WOKEN_LATE;
    uv_cond_timedwait(cond, &wait->hass->lock,
                      until - now < hass_ms(WAIT_LOOK_MS) ? until - now : hass_ms(WAIT_LOOK_MS));
    return WOKEN_AGAIN;
}

static bool wait_start_keeper(struct hass *hass)
{
    if (!hass->kept)
        hass->kept = !uv_thread_create(&hass->keeper, hass_keep_connected, hass);
    return hass->kept;
}

/* Without a connection: gives the lock up, and says why. */
static int wait_fail_down(const struct hass_wait *wait)
{
    const struct hass_connection *conn = &wait->hass->conn;
    char reason[sizeof conn->reason];
    bool refused = conn->refused;

    snprintf(reason, sizeof reason, "%s", *conn->reason ? conn->reason : "it has not answered yet");
    uv_mutex_unlock(&wait->hass->lock);
    if (refused)
        return hass_fail(wait->call, "%s refused the access token: %s. Check HASS_TOKEN.",
                         wait->hass->name, reason);
    return hass_fail(wait->call, "%s cannot be reached: %s.", wait->hass->name, reason);
}

int hass_lock_ready(const struct hass_wait *wait, bool reads)
{
    struct hass *hass = wait->hass;
    const struct hass_connection *conn = &hass->conn;

    uv_mutex_lock(&hass->lock);
    if (!wait_start_keeper(hass)) {
        uv_mutex_unlock(&hass->lock);
        return hass_fail(wait->call, "The server cannot start a thread.");
    }
    for (;;) {
        uint64_t ends = wait->ends;
        enum hass_woken woken;

        hass_want(hass);
        if (conn->phase == PHASE_READY && !conn->close)
            return 0;
        if (conn->refused && conn->phase == PHASE_DOWN)
            return wait_fail_down(wait);
        if (reads && conn->failures && conn->phase < PHASE_SYNC)
            ends = wait->starts + hass_ms(hass->times.patience);
        woken = hass_wait_moment(wait, &hass->moved, ends);
        if (woken == WOKEN_LATE)
            return wait_fail_down(wait);
        if (woken == WOKEN_CANCELLED) {
            uv_mutex_unlock(&hass->lock);
            return hass_fail_woken(wait, woken);
        }
    }
}

int hass_sleep(haft_call *call, unsigned ms)
{
    struct hass_wait wait = hass_wait_for(call);
    uint64_t ends = wait.starts + hass_ms(ms);
    int64_t left = haft_call_time_left(call);
    enum hass_woken woken;

    wait.ends = left < 0 ? UINT64_MAX : wait.starts + (uint64_t)left * 1000000;
    uv_mutex_lock(&wait.hass->lock);
    do
        woken = hass_wait_moment(&wait, &wait.hass->moved, ends);
    while (woken == WOKEN_AGAIN);
    uv_mutex_unlock(&wait.hass->lock);
    if (woken == WOKEN_LATE && uv_hrtime() >= ends)
        return 0;
    return woken == WOKEN_LATE ? hass_fail(call, "The time of the call is over.")
                               : hass_fail_woken(&wait, woken);
}

/* ---- changes ---- */

uint64_t hass_changes(haft_call *call, const char *entity_id)
{
    struct hass *hass = home_hass(call);
    const struct state *state;
    uint64_t change;

    if (!hass_shows(hass, entity_id))
        return 0;
    uv_mutex_lock(&hass->lock);
    state = hass_table_find(&hass->states, entity_id, strlen(entity_id));
    change = state ? state->change : 0;
    uv_mutex_unlock(&hass->lock);
    return change;
}

int hass_wait_change(haft_call *call, const char *entity_id, uint64_t since, unsigned ms)
{
    struct hass_wait wait = hass_wait_for(call);
    struct hass *hass = wait.hass;
    uint64_t ends = ms ? wait.starts + hass_ms(ms) : wait.ends;
    enum hass_woken woken = WOKEN_AGAIN;
    bool changed = false, visible = hass_shows(hass, entity_id);
    int status = hass_lock_ready(&wait, false);

    if (status)
        return status;
    hass->watchers++;
    while (woken == WOKEN_AGAIN) {
        const struct state *state = hass_table_find(&hass->states, entity_id, strlen(entity_id));

        changed = visible && (state ? state->change : 0) != since;
        if (changed)
            break;
        woken = hass_wait_moment(&wait, &hass->changed, ends);
    }
    hass->watchers--;
    uv_mutex_unlock(&hass->lock);
    if (changed)
        return 0;
    return woken == WOKEN_CANCELLED ? hass_fail_woken(&wait, woken) : HASS_UNCHANGED;
}
