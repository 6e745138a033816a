/* test_authenticator_proofs.c - tokens that are bound to a key or to a certificate. */
#define _GNU_SOURCE
#include "auth/issuer.h"
#include "auth/shared_failing.h"
#include "support/late_store.h"

enum { THUMBPRINT = 64 };

/* A client with a key of its own. */
struct holder {
    struct subject subject;
    crypto_key *key;
    char jkt[THUMBPRINT], token[ISSUER_TEXT];
    unsigned proofs;
};

static void put_digest(const void *bytes, size_t size, char text[THUMBPRINT])
{
    unsigned char digest[SHA256_SIZE];
    struct sha256 hash;
    haft_buffer out;

    hf_sha256_init(&hash);
    hf_sha256_add(&hash, bytes, size);
    hf_sha256_finish(&hash, digest);
    haft_buffer_init(&out, NULL, THUMBPRINT);
    hf_base64url_put(&out, digest, sizeof digest);
    memcpy(text, out.data, out.size);
    text[out.size] = '\0';
    haft_buffer_finish(&out);
}

static void holder_open_with(struct holder *holder, haft_authenticator_options options,
                             const haft_allocator *allocator)
{
    haft_buffer jwk;
    char more[256];

    memset(holder, 0, sizeof *holder);
    subject_open_with(&holder->subject, options, (haft_issuer){.url = NULL}, allocator);
    assert_non_null(holder->key = crypto->make(NULL));
    haft_buffer_init(&jwk, NULL, 1024);
    haft_buffer_puts(&jwk, "{\"crv\":\"P-256\",\"kty\":\"EC\",");
    issuer_put_point(&jwk, holder->key);
    haft_buffer_puts(&jwk, "}");
    put_digest(jwk.data, jwk.size, holder->jkt);
    haft_buffer_finish(&jwk);
    snprintf(more, sizeof more, ",'cnf':{'jkt':'%s'}", holder->jkt);
    token_make(&holder->subject.issuer, 0, more, holder->token);
}

static void holder_open(struct holder *holder, haft_authenticator_options options)
{
    holder_open_with(holder, options, NULL);
}

static void holder_close(struct holder *holder)
{
    crypto->destroy(holder->key);
    subject_close(&holder->subject);
}

/* A proof for the holder's token. */
static void holder_prove(struct holder *holder, const char *method, const char *url,
                         const char *nonce, const char *id, char proof[ISSUER_TEXT])
{
    char header[512], claims[1024], ath[THUMBPRINT];
    haft_buffer point;

    haft_buffer_init(&point, NULL, 256);
    issuer_put_point(&point, holder->key);
    snprintf(header, sizeof header,
             "{'typ':'dpop+jwt','alg':'ES256','jwk':{'kty':'EC','crv':'P-256',%.*s}}",
             (int)point.size, point.data);
    haft_buffer_finish(&point);
    put_digest(holder->token, strlen(holder->token), ath);
    snprintf(claims, sizeof claims,
             "{'jti':'%s','htm':'%s','htu':'%s','iat':%lld,'ath':'%s'%s%s%s}", id, method, url,
             (long long)(atomic_load(&holder->subject.wall) / 1000), ath, nonce ? ",'nonce':'" : "",
             nonce ? nonce : "", nonce ? "'" : "");
    token_sign(holder->key, header, claims, "", proof);
}

static int holder_visit(struct holder *holder, const char *scheme, const char *proof,
                        struct visitor *visitor)
{
    char value[ISSUER_TEXT + 16];
    haft_header headers[] = {{"Authorization", value}, {"DPoP", proof}};
    haft_request request = {.method = "POST",
                            .path = "/mcp",
                            .query = "",
                            .headers = headers,
                            .n_headers = proof ? 2 : 1};

    snprintf(value, sizeof value, "%s %s", scheme, holder->token);
    return visit(visitor, &holder->subject, &request);
}

/* The same with DPoP, without waiting for the end. */
static int holder_begin(struct holder *holder, const char *proof, struct visitor *visitor)
{
    char value[ISSUER_TEXT + 16];
    haft_header headers[] = {{"Authorization", value}, {"DPoP", proof}};
    haft_request request = {
        .method = "POST", .path = "/mcp", .query = "", .headers = headers, .n_headers = 2};

    snprintf(value, sizeof value, "DPoP %s", holder->token);
    return visitor_begin(visitor, &holder->subject, &request);
}

static void checks_proofs(void **state)
{
    static const char url[] = "https://tools.example/mcp";
    static const struct {
        const char *scheme, *method, *url, *id;
        int status;
        const char *challenge;
    } rows[] = {
        {"DPoP", "POST", url, "1", 200, ""},
        {"dpop", "POST", url, "2", 200, ""},
        {"DPoP", "POST", url, "1", 401,
         "error=\"invalid_dpop_proof\", error_description=\"The DPoP proof has been used before\""},
        {"DPoP", "GET", url, "3", 401,
         "error=\"invalid_dpop_proof\", error_description=\"The DPoP proof is not valid\""},
        {"DPoP", "POST", "https://tools.example/other", "4", 401, "\"invalid_dpop_proof\""},
        {"DPoP", NULL, NULL, NULL, 401,
         "error=\"invalid_dpop_proof\", error_description=\"The DPoP proof is missing\""},
        {"Bearer", NULL, NULL, NULL, 401,
         "Bearer error=\"invalid_token\", error_description=\"The access token is bound to a key, "
         "and needs a DPoP proof\""},
        {"Bearer", "POST", url, "5", 401, "Bearer error=\"invalid_token\""},
        {"DPoP", "POST", url, "6", 200, ""},
    };
    struct holder holder;

    (void)state;
    holder_open(&holder, (haft_authenticator_options){.struct_size = 0});
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char proof[ISSUER_TEXT];
        struct visitor visitor;
        int status;

        if (rows[i].method)
            holder_prove(&holder, rows[i].method, rows[i].url, NULL, rows[i].id, proof);
        status = holder_visit(&holder, rows[i].scheme, rows[i].method ? proof : NULL, &visitor);
        status = status == HAFT_STOP ? visitor.authentication.refusal.status
                 : status            ? status
                                     : 200;
        if (status != rows[i].status ||
            (status == 401 &&
             !strstr(visitor_header(&visitor, "WWW-Authenticate"), rows[i].challenge)))
            fail_msg("row %zu: %d, %s", i, status,
                     status == 401 ? visitor_header(&visitor, "WWW-Authenticate") : "");
        if (status == 401 && !strcmp(rows[i].scheme, "DPoP"))
            assert_int_equal(
                strncmp(visitor_header(&visitor, "WWW-Authenticate"), "DPoP algs=\"", 11), 0);
        visitor_release(&visitor);
    }
    holder_close(&holder);
}

/* Two servers on one store: a proof is accepted once by both together. */
static void shares_proofs(void **state)
{
    static const char url[] = "https://tools.example/mcp";
    static const struct {
        enum late_mode mode;
        haft_store_away policy;
        int answer;        /* of the store, in place of its own */
        int first, second; /* statuses at the two */
    } rows[] = {
        {LATE_AT_ONCE, HAFT_AWAY_DEFAULT, 0, 200, 401},
        {LATE_HELD, HAFT_AWAY_DEFAULT, 0, 200, 401},
        {LATE_HELD, HAFT_AWAY_CLOSED, HAFT_EBUSY, 503, 503},
        {LATE_FAILS, HAFT_AWAY_DEFAULT, 0, 503, 503},
        {LATE_FAILS, HAFT_AWAY_CLOSED, 0, 503, 503},
        {LATE_FAILS, HAFT_AWAY_LOCAL, 0, 200, 200},
        {LATE_FAILS, HAFT_AWAY_OPEN, 0, 200, 200},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_store *memory = haft_store_memory_new(NULL);
        struct late_store *late = late_store_new(memory, LATE_AT_ONCE, 0);
        const int expected[] = {rows[i].first, rows[i].second};
        struct authenticator *subject;
        struct replay *replays[2];
        char proof[ISSUER_TEXT];
        struct holder holder;

        holder_open(&holder, (haft_authenticator_options){.store = late_store_of(late),
                                                          .store_replay = rows[i].policy});
        holder_prove(&holder, "POST", url, NULL, "0", proof); /* fetches the keys */
        {
            struct visitor visitor;

            assert_int_equal(holder_visit(&holder, "DPoP", proof, &visitor), 0);
            visitor_release(&visitor);
        }
        holder_prove(&holder, "POST", url, NULL, "1", proof);
        late_store_set(late, rows[i].mode);
        /* The second server is the first one without its own memory of proofs. */
        subject = (struct authenticator *)holder.subject.authenticator;
        replays[0] = subject->replay;
        replays[1] = hf_replay_new(subject->memory);
        for (int k = 0; k < 2; k++) {
            struct visitor visitor;
            int status;

            subject->replay = replays[k];
            if (rows[i].mode == LATE_HELD) {
                status = holder_begin(&holder, proof, &visitor);
                assert_int_equal(status, HAFT_PENDING);
                late_store_release(late, rows[i].answer);
                status = visitor.authentication.status;
            } else {
                status = holder_visit(&holder, "DPoP", proof, &visitor);
            }
            status = status == HAFT_STOP ? visitor.authentication.refusal.status
                     : status            ? status
                                         : 200;
            if (status != expected[k])
                fail_msg("row %zu, server %d: %d", i, k, status);
            visitor_release(&visitor);
        }
        subject->replay = replays[0];
        hf_replay_free(replays[1]);
        holder_close(&holder);
        late_store_free(late);
        haft_store_free(memory);
    }
}

/* A client leaves while the store is asked. */
static void leaves_the_store(void **state)
{
    (void)state;
    for (int holds_on = 0; holds_on < 2; holds_on++) {
        haft_store *memory = haft_store_memory_new(NULL);
        struct late_store *late = late_store_new(memory, LATE_AT_ONCE, 0);
        char proof[ISSUER_TEXT];
        struct visitor visitor;
        struct holder holder;
        bool cancelled;

        holder_open(&holder, (haft_authenticator_options){.store = late_store_of(late)});
        holder_prove(&holder, "POST", "https://tools.example/mcp", NULL, "0", proof);
        assert_int_equal(holder_visit(&holder, "DPoP", proof, &visitor), 0);
        visitor_release(&visitor);
        late_store_set(late, LATE_HELD);
        if (holds_on)
            late_store_hold_on(late);
        holder_prove(&holder, "POST", "https://tools.example/mcp", NULL, "1", proof);
        assert_int_equal(holder_begin(&holder, proof, &visitor), HAFT_PENDING);
        cancelled = holder.subject.authenticator->class->cancel(holder.subject.authenticator,
                                                                &visitor.authentication);
        assert_int_equal(cancelled, !holds_on);
        assert_int_equal(late_store_release(late, 0), holds_on);
        if (holds_on)
            visitor_release(&visitor);
        holder_close(&holder);
        late_store_free(late);
        haft_store_free(memory);
    }
}

/* Each proof is remembered for as long as it is valid. */
static void remembers_proofs(void **state)
{
    static const char url[] = "https://tools.example/mcp";
    char first[ISSUER_TEXT], proof[ISSUER_TEXT];
    struct visitor visitor;
    struct holder holder;

    (void)state;
    holder_open(&holder, (haft_authenticator_options){.struct_size = 0});
    holder_prove(&holder, "POST", url, NULL, "first", first);
    assert_int_equal(holder_visit(&holder, "DPoP", first, &visitor), 0);
    visitor_release(&visitor);
    for (int i = 0; i < 600; i++) {
        char id[16];

        snprintf(id, sizeof id, "id%d", i);
        holder_prove(&holder, "POST", url, NULL, id, proof);
        assert_int_equal(holder_visit(&holder, "DPoP", proof, &visitor), 0);
        visitor_release(&visitor);
        if (i % 2)
            subject_pass(&holder.subject, 1);
        assert_int_equal(holder_visit(&holder, "DPoP", first, &visitor), HAFT_STOP);
        visitor_release(&visitor);
    }
    holder_close(&holder);
}

/* A proof is used when the request is complete, not before. */
static void foresees_without_use(void **state)
{
    char proof[ISSUER_TEXT], value[ISSUER_TEXT + 16];
    struct visitor visitor;
    struct holder holder;

    (void)state;
    holder_open(&holder, (haft_authenticator_options){.struct_size = 0});
    snprintf(value, sizeof value, "DPoP %s", holder.token);
    holder_prove(&holder, "POST", "https://tools.example/mcp", NULL, "0", proof);
    assert_int_equal(holder_visit(&holder, "DPoP", proof, &visitor), 0);
    visitor_release(&visitor);
    holder_prove(&holder, "POST", "https://tools.example/mcp", NULL, "1", proof);
    assert_int_equal(foreseen_with(&holder.subject, value, proof), 0);
    assert_int_equal(holder_visit(&holder, "DPoP", proof, &visitor), 0);
    visitor_release(&visitor);
    holder_close(&holder);
}

static void demands_nonces(void **state)
{
    static const char url[] = "https://tools.example/mcp";
    char proof[ISSUER_TEXT], nonce[128], forged[128];
    struct visitor visitor;
    struct holder holder;

    (void)state;
    holder_open(&holder, (haft_authenticator_options){.dpop_nonce = true});
    holder_prove(&holder, "POST", url, NULL, "1", proof);
    assert_int_equal(holder_visit(&holder, "DPoP", proof, &visitor), HAFT_STOP);
    assert_int_equal(visitor.authentication.refusal.status, 401);
    assert_non_null(
        strstr(visitor_header(&visitor, "WWW-Authenticate"), "error=\"use_dpop_nonce\""));
    snprintf(nonce, sizeof nonce, "%s", visitor_header(&visitor, "DPoP-Nonce"));
    assert_int_equal(strlen(nonce), 32);
    visitor_release(&visitor);
    holder_prove(&holder, "POST", url, nonce, "2", proof);
    assert_int_equal(holder_visit(&holder, "DPoP", proof, &visitor), 0);
    assert_null(visitor.authentication.renewal.name);
    visitor_release(&visitor);
    /* Another text is not a nonce of this server. */
    snprintf(forged, sizeof forged, "%s", nonce);
    forged[31] = forged[31] == 'A' ? 'B' : 'A';
    holder_prove(&holder, "POST", url, forged, "3", proof);
    assert_int_equal(holder_visit(&holder, "DPoP", proof, &visitor), HAFT_STOP);
    visitor_release(&visitor);
    /* Half of its time has passed: the response brings the next one. */
    subject_pass(&holder.subject, 200);
    holder_prove(&holder, "POST", url, nonce, "4", proof);
    assert_int_equal(holder_visit(&holder, "DPoP", proof, &visitor), 0);
    assert_string_equal(visitor.authentication.renewal.name, "DPoP-Nonce");
    assert_string_not_equal(visitor.authentication.renewal.value, nonce);
    visitor_release(&visitor);
    subject_pass(&holder.subject, 101);
    holder_prove(&holder, "POST", url, nonce, "5", proof);
    assert_int_equal(holder_visit(&holder, "DPoP", proof, &visitor), HAFT_STOP);
    assert_non_null(
        strstr(visitor_header(&visitor, "WWW-Authenticate"), "error=\"use_dpop_nonce\""));
    visitor_release(&visitor);
    holder_close(&holder);
}

static void follows_option(void **state)
{
    static const struct {
        haft_dpop dpop;
        int bound, plain, mixed; /* a bound token with a proof; a Bearer token; it as DPoP */
    } rows[] = {{HAFT_DPOP_ACCEPTED, 200, 200, 401},
                {HAFT_DPOP_REFUSED, 401, 200, 401},
                {HAFT_DPOP_REQUIRED, 200, 401, 401}};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char proof[ISSUER_TEXT], plain[ISSUER_TEXT];
        struct visitor visitor;
        struct holder holder;
        haft_buffer text;
        int status;

        holder_open(&holder, (haft_authenticator_options){.dpop = rows[i].dpop});
        holder_prove(&holder, "POST", "https://tools.example/mcp", NULL, "1", proof);
        status = holder_visit(&holder, "DPoP", proof, &visitor);
        assert_int_equal(status ? visitor.authentication.refusal.status : 200, rows[i].bound);
        visitor_release(&visitor);
        token_make(&holder.subject.issuer, 0, "", plain);
        assert_int_equal(visit_with(&holder.subject, "Bearer", plain), rows[i].plain);
        assert_int_equal(visit_with(&holder.subject, "DPoP", plain), rows[i].mixed);
        haft_buffer_init(&text, NULL, 2000);
        holder.subject.authenticator->class->describe(holder.subject.authenticator, "/mcp", NULL,
                                                      NULL, &text);
        haft_buffer_add(&text, "", 1);
        assert_int_equal(!strstr(text.data, "dpop_signing"), rows[i].dpop == HAFT_DPOP_REFUSED);
        assert_int_equal(!!strstr(text.data, "\"dpop_bound_access_tokens_required\":true"),
                         rows[i].dpop == HAFT_DPOP_REQUIRED);
        haft_buffer_finish(&text);
        holder_close(&holder);
    }
}

static void checks_certificates(void **state)
{
    static const struct {
        const char *certificate;
        int status;
    } rows[] = {{"bwcK0esc3ACC3DB2Y5_lESsXE8o9ltc05O89jdN-dg2", 200},
                {"bwcK0esc3ACC3DB2Y5_lESsXE8o9ltc05O89jdN-dg3", 401},
                {"", 401},
                {NULL, 401}};
    char token[ISSUER_TEXT], value[ISSUER_TEXT + 16];
    haft_header header = {"Authorization", value};
    struct subject subject;

    (void)state;
    subject_open(&subject);
    token_make(&subject.issuer, 0,
               ",'cnf':{'x5t#S256':'bwcK0esc3ACC3DB2Y5_lESsXE8o9ltc05O89jdN-dg2'}", token);
    snprintf(value, sizeof value, "Bearer %s", token);
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; i < COUNT_OF(rows); i++) {
            haft_request request = {.method = "POST",
                                    .path = "/mcp",
                                    .query = "",
                                    .headers = &header,
                                    .n_headers = 1,
                                    .certificate = rows[i].certificate};
            struct visitor visitor;
            int status = visit(&visitor, &subject, &request);

            assert_int_equal(status ? visitor.authentication.refusal.status : 200, rows[i].status);
            if (status)
                assert_non_null(strstr(visitor_header(&visitor, "WWW-Authenticate"),
                                       "bound to another certificate"));
            visitor_release(&visitor);
        }
    subject_close(&subject);
}

/* The certificate in a header of a proxy: SHA-256 of the bytes "certificate". */
static void believes_proxies(void **state)
{
    static const struct {
        const char *header;
        bool proxied;
        int status;
    } rows[] = {
        {":Y2VydGlmaWNhdGU=:", true, 200},
        {" :Y2VydGlmaWNhdGU=: ", true, 200},
        {"-----BEGIN%20CERTIFICATE-----%0AY2VydGlm%0AaWNhdGU%3D%0A-----END%20CERTIFICATE-----%0A",
         true, 200},
        {"Y2VydGlmaWNhdGU%3D", true, 200},
        {":Y2VydGlmaWNhdGU=:", false, 401}, /* any client could send it */
        {":Y2VydGlmaWNhdGV=:", true, 401},
        {":Y2VydGlmaWNhdGU:", true, 401},
        {"-----BEGIN%20CERTIFICATE-----%0AY2VydGlmaWNhdGU%3D", true, 401},
        {"%zz", true, 401},
        {"%00", true, 401},
        {"", true, 401},
        {"::", true, 401},
    };
    char token[ISSUER_TEXT], value[ISSUER_TEXT + 16], more[128], thumbprint[THUMBPRINT];
    struct subject subject;

    (void)state;
    subject_open_with(&subject, (haft_authenticator_options){.certificate_header = "Client-Cert"},
                      (haft_issuer){.url = NULL}, NULL);
    put_digest("certificate", 11, thumbprint);
    snprintf(more, sizeof more, ",'cnf':{'x5t#S256':'%s'}", thumbprint);
    token_make(&subject.issuer, 0, more, token);
    snprintf(value, sizeof value, "Bearer %s", token);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        haft_header headers[] = {{"Authorization", value},
                                 {"client-cert", rows[i].header},
                                 {"Client-Cert", rows[i].header}};
        haft_request request = {.method = "POST",
                                .path = "/mcp",
                                .query = "",
                                .headers = headers,
                                .n_headers = 2,
                                .proxied = rows[i].proxied};
        struct visitor visitor;
        int status = visit(&visitor, &subject, &request);

        status = status ? visitor.authentication.refusal.status : 200;
        if (status != rows[i].status)
            fail_msg("row %zu: %d", i, status);
        visitor_release(&visitor);
        request.n_headers = 3;
        assert_int_equal(visit(&visitor, &subject, &request), HAFT_STOP);
        visitor_release(&visitor);
    }
    subject_close(&subject);
}

/* ---- memory ---- */

static bool is_hungry(int status, const struct visitor *visitor)
{
    return status == HAFT_ENOMEM ||
           (status == HAFT_STOP && visitor->authentication.refusal.status == 503);
}

static int prove_and_visit(struct holder *holder, const char *id)
{
    char proof[ISSUER_TEXT];
    struct visitor visitor;
    int status;

    holder_prove(holder, "POST", "https://tools.example/mcp", NULL, id, proof);
    status = holder_visit(holder, "DPoP", proof, &visitor);
    if (status && !is_hungry(status, &visitor))
        fail_msg("%s: %d", id, status);
    visitor_release(&visitor);
    return status;
}

/* With proofs in this process, in a store, and in this process because the store fails. */
static void survives_without_memory_for_proofs(void **state)
{
    (void)state;
    for (int where = 0; where < 3; where++)
        for (size_t nth = 1;; nth += where ? 2 : 1) {
            haft_store *memory = haft_store_memory_new(NULL);
            struct late_store *late =
                late_store_new(memory, where == 2 ? LATE_FAILS : LATE_AT_ONCE, 0);
            struct shared_failing shared;
            struct holder holder;

            shared_failing_open(&shared, nth);
            holder_open_with(
                &holder,
                (haft_authenticator_options){.scopes = "a",
                                             .store = where ? late_store_of(late) : NULL,
                                             .store_replay = HAFT_AWAY_LOCAL},
                &shared.allocator);
            if (holder.subject.authenticator) {
                int first = prove_and_visit(&holder, "1"), second, third;

                subject_pass(&holder.subject, 6);
                second = prove_and_visit(&holder, "2");
                third = prove_and_visit(&holder, "3");
                assert_true(!!first + !!second + !!third <= 1);
            }
            holder_close(&holder);
            late_store_free(late);
            haft_store_free(memory);
            if (!shared_failing_close(&shared))
                break;
        }
}

static int show_certificate(struct subject *subject, const char *token, struct visitor *visitor)
{
    char value[ISSUER_TEXT + 16];
    haft_header headers[] = {{"Authorization", value}, {"Client-Cert", ":Y2VydGlmaWNhdGU=:"}};
    haft_request request = {.method = "POST",
                            .path = "/mcp",
                            .query = "",
                            .headers = headers,
                            .n_headers = 2,
                            .proxied = true};

    snprintf(value, sizeof value, "Bearer %s", token);
    return visit(visitor, subject, &request);
}

static void survives_without_memory_for_certificates(void **state)
{
    char more[128], thumbprint[THUMBPRINT];

    (void)state;
    put_digest("certificate", 11, thumbprint);
    snprintf(more, sizeof more, ",'cnf':{'x5t#S256':'%s'}", thumbprint);
    for (size_t nth = 1;; nth++) {
        struct shared_failing shared;
        struct subject subject;

        shared_failing_open(&shared, nth);
        subject_open_with(&subject,
                          (haft_authenticator_options){.certificate_header = "Client-Cert"},
                          (haft_issuer){.url = NULL}, &shared.allocator);
        if (subject.authenticator) {
            char token[ISSUER_TEXT];
            bool served = false;

            token_make(&subject.issuer, 0, more, token);
            for (int i = 0; i < 3; i++) {
                struct visitor visitor;
                int status = show_certificate(&subject, token, &visitor);

                assert_true(!status || is_hungry(status, &visitor));
                served |= !status;
                visitor_release(&visitor);
                subject_pass(&subject, 6);
            }
            assert_true(served);
        }
        subject_close(&subject);
        if (!shared_failing_close(&shared))
            break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checks_proofs),
        cmocka_unit_test(shares_proofs),
        cmocka_unit_test(leaves_the_store),
        cmocka_unit_test(remembers_proofs),
        cmocka_unit_test(foresees_without_use),
        cmocka_unit_test(demands_nonces),
        cmocka_unit_test(follows_option),
        cmocka_unit_test(checks_certificates),
        cmocka_unit_test(believes_proxies),
        cmocka_unit_test(survives_without_memory_for_proofs),
        cmocka_unit_test(survives_without_memory_for_certificates),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
