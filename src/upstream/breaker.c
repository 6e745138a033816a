/* breaker.c - a circuit breaker. */
#include "upstream/breaker.h"

bool hf_breaker_allows(const struct breaker *breaker, int64_t now)
{
    return breaker->state == BREAKER_CLOSED ||
           (breaker->state == BREAKER_OPEN && now >= breaker->until) ||
           (breaker->state == BREAKER_HALF_OPEN && !breaker->probing);
}

int64_t hf_breaker_wait(const struct breaker *breaker, int64_t now)
{
    return breaker->state == BREAKER_OPEN && breaker->until > now ? breaker->until - now : 0;
}

bool hf_breaker_begin(struct breaker *breaker, int64_t now)
{
    if (breaker->state == BREAKER_OPEN && now >= breaker->until)
        breaker->state = BREAKER_HALF_OPEN;
    if (breaker->state != BREAKER_HALF_OPEN || breaker->probing)
        return false;
    breaker->probing = true;
    return true;
}

static bool breaker_open(struct breaker *breaker, const struct breaker_rules *rules, int64_t now)
{
    bool before = breaker->state == BREAKER_CLOSED;

    *breaker = (struct breaker){.state = BREAKER_OPEN, .until = now + rules->open_ms};
    return before;
}

/* Adds a call to the window, and returns whether the share of failures in it is too high. */
static bool breaker_count(struct breaker *breaker, const struct breaker_rules *rules, bool failed,
                          int64_t now)
{
    int64_t part = rules->window_ms / BREAKER_SLOTS > 0 ? rules->window_ms / BREAKER_SLOTS : 1;
    int64_t number = now / part;
    struct breaker_slot *slot = &breaker->slots[number % BREAKER_SLOTS];
    unsigned long long calls = 0, failures = 0;

    if (slot->number != number)
        *slot = (struct breaker_slot){.number = number};
    slot->calls++;
    slot->failed += failed;
    for (unsigned i = 0; i < BREAKER_SLOTS; i++)
        if (number - breaker->slots[i].number < BREAKER_SLOTS) {
            calls += breaker->slots[i].calls;
            failures += breaker->slots[i].failed;
        }
    return rules->percent && calls >= rules->minimum && failures * 100 >= calls * rules->percent;
}

bool hf_breaker_end(struct breaker *breaker, const struct breaker_rules *rules, bool probe,
                    enum breaker_outcome outcome, int64_t now)
{
    bool failed = outcome == BREAKER_FAILURE, share, closed = breaker->state == BREAKER_CLOSED;

    if (probe) {
        if (outcome == BREAKER_UNKNOWN)
            breaker->probing = false;
        else if (failed)
            breaker_open(breaker, rules, now);
        else
            *breaker = (struct breaker){.state = BREAKER_CLOSED};
        return closed != (breaker->state == BREAKER_CLOSED);
    }
    /* A call that began before it was opened says nothing new. */
    if (breaker->state != BREAKER_CLOSED || outcome == BREAKER_UNKNOWN)
        return false;
    breaker->in_row = failed ? breaker->in_row + 1 : 0;
    share = breaker_count(breaker, rules, failed, now);
    if (failed && (share || (rules->failures && breaker->in_row >= rules->failures)))
        return breaker_open(breaker, rules, now);
    return false;
}
