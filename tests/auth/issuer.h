/* issuer.h - an authorization server that does as a test says, tokens of it, and an authenticator that
 * trusts it, with a clock that the test sets. */
#ifndef HAFT_TESTS_ISSUER_H
#define HAFT_TESTS_ISSUER_H

#include "http_client/rogue.h"

#include <stdarg.h>

#include "auth/server/server.h"
#include "base/sha256.h"
#include "part/crypto.h"

enum { ISSUER_KEYS = 3, ISSUER_TEXT = 8192 };

/* Seconds since 1970 when a test begins. */
#define START INT64_C(1800000000)

static const struct crypto_functions *crypto;

/* ---- the issuer ---- */

struct fake_issuer {
    struct rogue *rogue;
    crypto_key *keys[ISSUER_KEYS];
    atomic_uint published;        /* set of keys in its document */
    const char *missing;          /* a path without an answer */
    const char *changed, *status; /* a path whose answer differs: its status line with headers, */
    const char *body;             /* and its body; ' stands for ", and @ for the URL */
    const char *headers;          /* of the keys, such as "200 OK\r\nCache-Control: max-age=600" */
    const char *answer;           /* of introspection: a body */
    atomic_bool down;             /* closes connections without an answer */
    atomic_bool holds;            /* answers when it is reset */
    atomic_int metadata, jwks, questions;
    char form[ISSUER_TEXT], basic[256];
};

static void issuer_put_text(const char *text, const char *url, char *out, size_t room)
{
    size_t n = 0;

    for (; *text && n + 128 < room; text++)
        if (*text == '@')
            n += (size_t)snprintf(out + n, room - n, "%s", url);
        else
            out[n++] = *text == '\'' ? '"' : *text;
    out[n] = '\0';
}

static void issuer_put_number(haft_buffer *out, const unsigned char *bytes)
{
    haft_buffer_add(out, "\"", 1);
    hf_base64url_put(out, bytes, CRYPTO_COORDINATE);
    haft_buffer_add(out, "\"", 1);
}

/* The members x and y of a key. */
static void issuer_put_point(haft_buffer *out, const crypto_key *key)
{
    unsigned char x[CRYPTO_COORDINATE], y[CRYPTO_COORDINATE];

    assert_int_equal(crypto->point(key, x, y), 0);
    haft_buffer_puts(out, "\"x\":");
    issuer_put_number(out, x);
    haft_buffer_puts(out, ",\"y\":");
    issuer_put_number(out, y);
}

static void issuer_put_keys(struct fake_issuer *issuer, char *text, size_t room)
{
    haft_buffer out;

    haft_buffer_init(&out, NULL, room - 1);
    haft_buffer_puts(&out, "{\"keys\":[");
    for (unsigned i = 0; i < ISSUER_KEYS; i++) {
        if (!(atomic_load(&issuer->published) & 1U << i))
            continue;
        haft_buffer_printf(&out, "%s{\"kty\":\"EC\",\"crv\":\"P-256\",\"kid\":\"k%u\",",
                           out.data[out.size - 1] == '[' ? "" : ",", i);
        issuer_put_point(&out, issuer->keys[i]);
        haft_buffer_puts(&out, "}");
    }
    haft_buffer_puts(&out, "]}");
    assert_int_equal(out.status, 0);
    memcpy(text, out.data, out.size);
    text[out.size] = '\0';
    haft_buffer_finish(&out);
}

static void issuer_note_question(struct fake_issuer *issuer, struct rogue *rogue)
{
    const char *basic, *body;

    pthread_mutex_lock(&rogue->lock);
    body = strstr(rogue->seen, "\r\n\r\n");
    basic = strstr(rogue->seen, "\r\nAuthorization: ");
    snprintf(issuer->form, sizeof issuer->form, "%s", body + 4);
    snprintf(issuer->basic, sizeof issuer->basic, "%.*s",
             basic ? (int)strcspn(basic + 17, "\r") : 0, basic ? basic + 17 : "");
    pthread_mutex_unlock(&rogue->lock);
    atomic_fetch_add(&issuer->questions, 1);
}

static const char *issuer_answer(struct fake_issuer *issuer, const char *path, char *body,
                                 size_t room)
{
    struct rogue *rogue = issuer->rogue;

    if (strstr(path, "/.well-known/"))
        atomic_fetch_add(&issuer->metadata, 1);
    if (!strcmp(path, "/jwks"))
        atomic_fetch_add(&issuer->jwks, 1);
    *body = '\0';
    if (issuer->missing && !strcmp(path, issuer->missing))
        return "404 Not Found";
    if (issuer->changed && !strcmp(path, issuer->changed)) {
        issuer_put_text(issuer->body, rogue->url, body, room);
        return issuer->status;
    }
    if (!strcmp(path, "/.well-known/oauth-authorization-server")) {
        issuer_put_text("{'issuer':'@','jwks_uri':'@/jwks','introspection_endpoint':'@/ask'}",
                        rogue->url, body, room);
        return "200 OK\r\nContent-Type: application/json";
    }
    if (!strcmp(path, "/jwks")) {
        issuer_put_keys(issuer, body, room);
        return issuer->headers ? issuer->headers : "200 OK\r\nContent-Type: application/json";
    }
    if (!strcmp(path, "/ask")) {
        issuer_note_question(issuer, rogue);
        issuer_put_text(issuer->answer, rogue->url, body, room);
        return "200 OK\r\nContent-Type: application/json";
    }
    return "404 Not Found";
}

static void issuer_serve(struct rogue *rogue, int fd, int number)
{
    union {
        const void *in;
        struct fake_issuer *out;
    } context = {.in = rogue->context};
    struct fake_issuer *issuer = context.out;
    char path[256], body[ISSUER_TEXT], head[512];

    (void)number;
    while (rogue_read(rogue, fd)) {
        const char *status;

        pthread_mutex_lock(&rogue->lock);
        sscanf(rogue->seen, "%*s %255s", path);
        pthread_mutex_unlock(&rogue->lock);
        if (atomic_load(&issuer->down))
            return;
        status = issuer_answer(issuer, path, body, sizeof body);
        while (atomic_load(&issuer->holds) && !atomic_load(&rogue->ends))
            poll(NULL, 0, 1);
        snprintf(head, sizeof head, "HTTP/1.1 %s\r\nContent-Length: %zu\r\n\r\n", status,
                 strlen(body));
        if (!rogue_puts(fd, head) || !rogue_puts(fd, body))
            return;
    }
}

static void issuer_open(struct fake_issuer *issuer)
{
    *issuer = (struct fake_issuer){.changed = NULL};
    atomic_store(&issuer->published, 1);
    haft_part_register(&haft_http_client_part);
    haft_part_register(&haft_crypto_part);
    crypto = hf_crypto_open("this test", NULL);
    assert_non_null(crypto);
    for (int i = 0; i < ISSUER_KEYS; i++)
        assert_non_null(issuer->keys[i] = crypto->make(NULL));
    issuer->rogue = rogue_open(issuer_serve, issuer);
}

static void issuer_close(struct fake_issuer *issuer)
{
    atomic_store(&issuer->holds, false);
    rogue_close(issuer->rogue);
    for (int i = 0; i < ISSUER_KEYS; i++)
        crypto->destroy(issuer->keys[i]);
}

/* ---- tokens ---- */

/* Signs a header and claims, in which ' stands for ". */
HAFT_MAYBE_UNUSED_ static void token_sign(const crypto_key *key, const char *header,
                                          const char *claims, const char *url,
                                          char token[ISSUER_TEXT])
{
    unsigned char signature[CRYPTO_SIGNATURE];
    char text[ISSUER_TEXT];
    haft_buffer out;
    size_t size;

    haft_buffer_init(&out, NULL, ISSUER_TEXT - 1);
    issuer_put_text(header, url, text, sizeof text);
    hf_base64url_put(&out, text, strlen(text));
    haft_buffer_puts(&out, ".");
    issuer_put_text(claims, url, text, sizeof text);
    hf_base64url_put(&out, text, strlen(text));
    assert_int_equal(crypto->sign(key, out.data, out.size, signature, &size), 0);
    haft_buffer_puts(&out, ".");
    hf_base64url_put(&out, signature, size);
    assert_int_equal(out.status, 0);
    memcpy(token, out.data, out.size);
    token[out.size] = '\0';
    haft_buffer_finish(&out);
}

/* A good token of a key, with further claims that begin with a comma. */
HAFT_MAYBE_UNUSED_ static void token_make(struct fake_issuer *issuer, unsigned key,
                                          const char *more, char token[ISSUER_TEXT])
{
    char header[128], claims[2048];

    snprintf(header, sizeof header, "{'alg':'ES256','typ':'at+jwt','kid':'k%u'}", key);
    snprintf(claims, sizeof claims,
             "{'iss':'@','aud':'https://tools.example/mcp','sub':'alice','client_id':'c1',"
             "'iat':%lld,'exp':%lld,'jti':'j','scope':'a b'%s}",
             (long long)START, (long long)START + 8640000, more);
    token_sign(issuer->keys[key], header, claims, issuer->rogue->url, token);
}

/* ---- the authenticator ---- */

struct subject {
    struct fake_issuer issuer;
    haft_authenticator *authenticator;
    haft_issuer trusted;
    _Atomic(int64_t) wall, steady; /* milliseconds */
    char log[ISSUER_TEXT];
    pthread_mutex_t lock; /* of the log */
};

/* A check that may wait. */
struct visitor {
    struct authentication authentication; /* the first member */
    struct subject *subject;
    atomic_int dones;
    int status;
};

static int64_t subject_now(void *context, bool wall)
{
    struct subject *subject = context;

    return atomic_load(wall ? &subject->wall : &subject->steady);
}

static void subject_log(void *context, haft_level level, const char *text, size_t size)
{
    struct subject *subject = context;
    size_t used;

    (void)level;
    pthread_mutex_lock(&subject->lock);
    used = strlen(subject->log);
    snprintf(subject->log + used, sizeof subject->log - used, "%.*s\n", (int)size, text);
    pthread_mutex_unlock(&subject->lock);
}

HAFT_MAYBE_UNUSED_ static void subject_pass(struct subject *subject, int64_t seconds)
{
    atomic_fetch_add(&subject->wall, seconds * 1000);
    atomic_fetch_add(&subject->steady, seconds * 1000);
}

/* Opens an issuer and an authenticator; `options` and `trusted` are completed. */
static void subject_open_with(struct subject *subject, haft_authenticator_options options,
                              haft_issuer trusted, const haft_allocator *allocator)
{
    haft_reason reason = {0};

    memset(subject, 0, sizeof *subject);
    pthread_mutex_init(&subject->lock, NULL);
    issuer_open(&subject->issuer);
    trusted.struct_size = sizeof trusted;
    trusted.url = subject->issuer.rogue->url;
    subject->trusted = trusted;
    options.struct_size = sizeof options;
    options.resource = options.resource ? options.resource : "https://tools.example/mcp";
    options.issuers = &subject->trusted;
    options.n_issuers = 1;
    options.log = subject_log;
    options.log_context = subject;
    atomic_store(&subject->wall, START * 1000);
    atomic_store(&subject->steady, 1000);
    subject->authenticator = hf_authenticator_create(
        &options, allocator ? allocator : hf_allocator_or_default(NULL), &reason);
    if (!subject->authenticator) {
        if (!allocator)
            fail_msg("%s", reason.text);
        return;
    }
    hf_authenticator_set_clock(subject->authenticator, (struct auth_clock){subject_now, subject});
}

HAFT_MAYBE_UNUSED_ static void subject_open(struct subject *subject)
{
    subject_open_with(subject, (haft_authenticator_options){.struct_size = 0},
                      (haft_issuer){.struct_size = 0}, NULL);
}

static void subject_close(struct subject *subject)
{
    haft_authenticator_free(subject->authenticator);
    issuer_close(&subject->issuer);
    pthread_mutex_destroy(&subject->lock);
}

static void visitor_done(struct authentication *authentication)
{
    struct visitor *visitor = (struct visitor *)authentication;

    visitor->status = authentication->status;
    atomic_fetch_add(&visitor->dones, 1);
}

/* Begins a check. */
static int visitor_begin(struct visitor *visitor, struct subject *subject,
                         const haft_request *request)
{
    *visitor = (struct visitor){.authentication = {.done = visitor_done}, .subject = subject};
    visitor->status = HAFT_PENDING;
    return subject->authenticator->class->check(subject->authenticator, request, "/mcp",
                                                &visitor->authentication);
}

static int visitor_wait(struct visitor *visitor)
{
    for (int ms = 0; !atomic_load(&visitor->dones); ms++) {
        assert_true(ms < LONG_MS);
        poll(NULL, 0, 1);
    }
    assert_int_equal(atomic_load(&visitor->dones), 1);
    return visitor->status;
}

static void visitor_release(struct visitor *visitor)
{
    visitor->subject->authenticator->class->release(visitor->subject->authenticator,
                                                    &visitor->authentication);
}

/* Checks a request to its end. */
HAFT_MAYBE_UNUSED_ static int visit(struct visitor *visitor, struct subject *subject,
                                    const haft_request *request)
{
    int status = visitor_begin(visitor, subject, request);

    return status == HAFT_PENDING ? visitor_wait(visitor) : status;
}

/* The status of a response to a request with this Authorization header: 200 for one that is let in. */
HAFT_MAYBE_UNUSED_ static int visit_with(struct subject *subject, const char *scheme,
                                         const char *token)
{
    char value[ISSUER_TEXT + 16];
    haft_header header = {"Authorization", value};
    haft_request request = {
        .method = "POST", .path = "/mcp", .query = "", .headers = &header, .n_headers = 1};
    struct visitor visitor;
    int status;

    snprintf(value, sizeof value, "%s %s", scheme, token);
    status = visit(&visitor, subject, &request);
    status = status == HAFT_STOP ? visitor.authentication.refusal.status : status ? status : 200;
    visitor_release(&visitor);
    return status;
}

/* The status of the response that a request with this header gets before its body is read; 0 if it is
 * not answered yet. */
HAFT_MAYBE_UNUSED_ static int foreseen_with(struct subject *subject, const char *authorization,
                                            const char *proof)
{
    haft_header headers[] = {{"Authorization", authorization}, {"DPoP", proof}};
    haft_request request = {.method = "POST",
                            .path = "/mcp",
                            .query = "",
                            .headers = headers,
                            .n_headers = !authorization ? 0
                                         : proof        ? 2
                                                        : 1};
    struct visitor visitor = {.authentication = {.done = visitor_done}, .subject = subject};
    int status = subject->authenticator->class->foresee(subject->authenticator, &request, "/mcp",
                                                        &visitor.authentication);

    status = status == HAFT_STOP ? visitor.authentication.refusal.status : status;
    assert_int_equal(atomic_load(&visitor.dones), 0);
    visitor_release(&visitor);
    return status;
}

/* The header of a response, or "". */
HAFT_MAYBE_UNUSED_ static const char *visitor_header(const struct visitor *visitor,
                                                     const char *name)
{
    const haft_response *response = &visitor->authentication.refusal;

    for (size_t i = 0; i < response->n_headers; i++)
        if (!strcmp(response->headers[i].name, name))
            return response->headers[i].value;
    return "";
}

#endif
