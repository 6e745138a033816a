/* policy_basic.c - authentication by names with passwords.
 *
 * Checking a password is expensive by design, so it must not allow an attacker to block the server.
 * Few are checked at a time, on dedicated threads, while the request holds none; correct ones are
 * remembered for a while; an address with too many failures has to wait; and a check stops when its
 * client has left. */
#include <stdio.h>
#include <haft/access.h>
#include <string.h>

#include "gateway/people.h"
#include "gateway/policies.h"
#include "gateway/remembered.h"
#include "loop/executor.h"
#include "stage/limiter.h"
#include "endpoint/mux.h"
#include "engine/call/view.h"

enum { VERIFIERS = 2, POLICY_BASIC_MAX_WAITING = 64, MAX_ADDRESSES = 10000, ADDRESS = 64 };

HAFT_STRUCT(
    basic_auth_options,
    HAFT_STRING(file, "File with lines of name:iterations:salt:hash, salt and hash in hexadecimal; the hash is PBKDF2 with HMAC-SHA-256",
                .min = 1),
    HAFT_DEFAULT(HAFT_STRING(realm, "Realm in WWW-Authenticate"), "gateway"),
    HAFT_DEFAULT(HAFT_INTEGER(failures, "Wrong passwords per address before it has to wait; 0 means unlimited",
                              .min = 0, .max = 1000),
                 10),
    HAFT_DEFAULT(HAFT_NUMBER(seconds, "Length of the time window in seconds", .min = 0.001, .max = 86400), 60),
    HAFT_DEFAULT(HAFT_NUMBER(remember, "Seconds to cache a verified password",
                             .min = 0, .max = 86400),
                 300));

struct basic_auth {
    const char *challenge;
    struct people people;
    struct remembered *remembered;
    haft_time remember_ms;
    struct limiter *limiter; /* of failures */
    haft_rate failures;
    struct executor *verifiers;
};

/* ---- the verifier threads ---- */

enum policy_basic_verdict { STOPPED, WRONG, RIGHT, LIMITED };

/* A password being checked, in the memory of its call. */
struct verification {
    const struct basic_auth *basic_auth;
    haft_call *call;
    const char *name;
    char *password; /* wiped after the check */
    unsigned char digest[SHA256_SIZE];
    char address[ADDRESS]; /* address to count a failure for */
    size_t address_size;
    haft_time now;
    enum policy_basic_verdict verdict;
    int failure; /* error of the counter */
    const struct person *person;
    int64_t wait_ms;
};

static bool is_over(void *context)
{
    const struct verification *check = context;

    return haft_call_cancelled(check->call) || haft_call_time_left(check->call) == 0;
}

static enum policy_basic_verdict derive(struct verification *check)
{
    const struct basic_auth *basic_auth = check->basic_auth;
    int right = hf_people_check(&basic_auth->people, check->name, check->password, is_over, check,
                                &check->person);

    if (right < 0)
        return STOPPED;
    if (right && basic_auth->remember_ms)
        hf_remembered_add(basic_auth->remembered, check->digest, check->person, check->now,
                          check->now + basic_auth->remember_ms);
    return right ? RIGHT : WRONG;
}

/* Every check is counted as a failure until it succeeds, so that concurrent ones are counted as
 * well. */
static enum policy_basic_verdict policy_basic_judge(struct verification *check)
{
    const struct basic_auth *basic_auth = check->basic_auth;
    enum policy_basic_verdict verdict;
    int allowed = 1;

    if (is_over(check))
        return STOPPED;
    check->person = hf_remembered_find(basic_auth->remembered, check->digest, check->now);
    if (check->person)
        return RIGHT; /* another check has succeeded meanwhile */
    if (basic_auth->failures.calls)
        allowed = hf_limiter_take(basic_auth->limiter, check->address, check->address_size,
                                  basic_auth->failures, check->now, &check->wait_ms);
    if (allowed <= 0) {
        check->failure = allowed;
        return LIMITED;
    }
    verdict = derive(check);
    if (basic_auth->failures.calls && verdict != WRONG)
        hf_limiter_give_back(basic_auth->limiter, check->address, check->address_size,
                             basic_auth->failures);
    return verdict;
}

/* ---- responses ---- */

static int policy_basic_refuse(haft_call *call, const struct basic_auth *basic_auth)
{
    int status = haft_response_set_header(call, "WWW-Authenticate", basic_auth->challenge);

    return status ? status
                  : stopped(haft_problem(call, 401, "A user name and a password are required."));
}

static int refuse_for(haft_call *call, int code, int64_t wait_ms, const char *what)
{
    char seconds[32];
    int status;

    snprintf(seconds, sizeof seconds, "%lld", (long long)(wait_ms + 999) / 1000);
    status = haft_response_set_header(call, "Retry-After", seconds);
    return status ? status
                  : stopped(haft_problem(call, code, "%s Try again in %s s.", what, seconds));
}

static int refuse_address(haft_call *call, int64_t wait_ms)
{
    return refuse_for(call, 429, wait_ms, "Too many wrong passwords.");
}

/* A person may use everything: passwords have no scopes. */
static int policy_basic_admit(haft_call *call, const struct person *person)
{
    return haft_call_set_identity(call,
                                  HAFT_WITH(haft_identity, .principal = person->name,
                                            .method = "password", .scopes = "*", .fixed = true));
}

static int verification_answer(const struct verification *check)
{
    haft_call *call = check->call;

    if (check->failure)
        return check->failure;
    switch (check->verdict) {
    case RIGHT:
        return policy_basic_admit(call, check->person);
    case LIMITED:
        return refuse_address(call, check->wait_ms);
    case STOPPED:
        return HAFT_EBUSY; /* not visible: the request is answered as late */
    case WRONG:
        break;
    }
    return policy_basic_refuse(call, check->basic_auth);
}

static void verification_run(void *argument)
{
    struct verification *check = argument;

    check->verdict = policy_basic_judge(check);
    hf_secret_wipe(check->password, strlen(check->password));
    haft_continue(check->call, verification_answer(check));
}

/* The request continues when a thread has checked it. */
static int verification_start(struct verification *check)
{
    haft_executor verifiers = hf_executor_interface(check->basic_auth->verifiers);
    int status = verifiers.run(verifiers.context, verification_run, check);

    if (!status)
        return HAFT_PENDING;
    hf_secret_wipe(check->password, strlen(check->password));
    return status == HAFT_EBUSY
               ? refuse_for(check->call, 503, 1000, "Too many passwords are being checked.")
               : status;
}

/* ---- requests ---- */

/* Name and password of a request; returns false if it has none that could be correct. */
static bool read_credentials(haft_call *call, char **ret_name, char **ret_password)
{
    const char *encoded =
        hf_auth_behind_scheme(haft_request_header(call, "authorization"), "basic");
    size_t size = encoded ? strlen(encoded) : 0;
    char *text, *colon;

    if (!encoded || size > HAFT_BASE64_SIZE(2 * AUTH_MAX_SECRET + 1))
        return false;
    text = haft_call_alloc(call, size + 1);
    if (!text || haft_base64_decode(encoded, size, text, &size))
        return false;
    text[size] = '\0';
    colon = strchr(text, ':');
    if (!colon || memchr(text, '\0', size))
        return false;
    *colon = '\0';
    *ret_name = text;
    *ret_password = colon + 1;
    return strlen(*ret_name) <= AUTH_MAX_SECRET && strlen(*ret_password) <= AUTH_MAX_SECRET;
}

/* The address that a request came from, including nested requests. */
static const char *peer_of(const haft_call *call)
{
    const char *peer = NULL;

    for (; call && !peer; call = call->inner.parent)
        peer = call->inner.req ? call->inner.req->request.peer : NULL;
    return peer;
}

static int check_person(haft_call *call, void *data)
{
    const struct basic_auth *basic_auth = data;
    struct verification *check = haft_arena_zalloc(call->arena, 1, sizeof *check);
    char *name, *password;
    const struct person *person;
    int64_t wait_ms;

    if (!check)
        return HAFT_ENOMEM;
    if (!haft_request_header(call, "authorization") && haft_call_authenticated(call))
        return 0;
    if (!read_credentials(call, &name, &password))
        return policy_basic_refuse(call, basic_auth);
    *check = (struct verification){.basic_auth = basic_auth,
                                   .call = call,
                                   .name = name,
                                   .password = password,
                                   .now = atomic_load(&hf_call_root(call)->time.now)};
    hf_remembered_digest(basic_auth->remembered, name, password, check->digest);
    person = hf_remembered_find(basic_auth->remembered, check->digest, check->now);
    if (person) {
        hf_secret_wipe(password, strlen(password));
        return policy_basic_admit(call, person);
    }
    check->address_size = hf_address_put_key(peer_of(call), check->address, sizeof check->address);
    if (basic_auth->failures.calls &&
        !hf_limiter_peek(basic_auth->limiter, check->address, check->address_size,
                         basic_auth->failures, check->now, &wait_ms)) {
        hf_secret_wipe(password, strlen(password));
        return refuse_address(call, wait_ms);
    }
    return verification_start(check);
}

/* ---- creating ---- */

static void drop_basic_auth(void *data)
{
    struct basic_auth *basic_auth = data;

    hf_remembered_free(basic_auth->remembered);
    hf_limiter_free(basic_auth->limiter);
    hf_secret_wipe(&basic_auth->people.key, sizeof basic_auth->people.key);
}

/* Creates what outlives a request; on failure, everything is freed. */
static int equip(haft_gateway *gateway, struct basic_auth *basic_auth)
{
    int status = hf_remembered_new(gateway->allocator, &basic_auth->remembered);

    if (status)
        return status;
    basic_auth->limiter = hf_limiter_new(gateway->allocator, MAX_ADDRESSES);
    if (!gateway->verifiers)
        gateway->verifiers =
            hf_executor_new(gateway->allocator, VERIFIERS, POLICY_BASIC_MAX_WAITING);
    basic_auth->verifiers = gateway->verifiers;
    if (basic_auth->limiter && basic_auth->verifiers)
        return 0;
    drop_basic_auth(basic_auth);
    return HAFT_ENOMEM;
}

static int make_basic_auth(haft_gateway *gateway, const void *given, haft_arena *arena,
                           haft_policy *ret_policy, haft_reason *reason)
{
    const basic_auth_options *options = given;
    struct basic_auth *basic_auth = haft_arena_zalloc(arena, 1, sizeof *basic_auth);
    int status = basic_auth ? hf_people_read(&basic_auth->people, arena, options->file, reason)
                            : HAFT_ENOMEM;

    if (status)
        return status;
    basic_auth->challenge = haft_arena_printf(arena, "Basic realm=\"%s\"", options->realm);
    if (!basic_auth->challenge)
        return HAFT_ENOMEM;
    basic_auth->failures =
        (haft_rate){(unsigned)options->failures, (unsigned)(options->seconds * 1000)};
    basic_auth->remember_ms = (haft_time)(options->remember * 1000);
    status = equip(gateway, basic_auth);
    if (status)
        return status;
    *ret_policy = (haft_policy)HAFT_INIT(haft_policy, .inbound = check_person, .data = basic_auth,
                                         .blocks = true, .authenticates = true);
    return 0;
}

const haft_policy_kind hf_policy_basic_auth =
    HAFT_INIT(haft_policy_kind, .name = "basic-auth", .options = &basic_auth_options_type,
              .make = make_basic_auth, .drop = drop_basic_auth);
