/* oauth-tokens.test.mjs - what a server answers to tokens, good and bad, byte by byte: metadata, algorithms, issuers, keys
 * that change, refusals, lists by scope, sessions, proofs of possession and API keys. */

import assert from "node:assert/strict";
import { createHash, randomUUID } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { Agent } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import * as jose from "jose";
import { makeTokens } from "../auth/tokens.mjs";
import { listen } from "./authorize.mjs";
import { run } from "./cli.mjs";
import { eventually, modernHeaders, modernMessage, post, raw, send } from "./http-client.mjs";
import { Server } from "./http-server.mjs";
import { callTool, connect, Login, metadataUrl, request, SCOPES, sdks, textOf, use, withNotes } from "./oauth-server.mjs";
import { example, freePort, until } from "./server.mjs";

const MACHINE = { client_id: "machine", client_secret: "machine-secret-0123456789", machine: true };
const LEGACY = "2025-11-25";
const names = ({ body }) => body.result.tools.map(({ name }) => name).sort();

/* ---- metadata ---- */

test("metadata of the resource is for everybody", () =>
    withNotes({ issuers: [{}, {}] }, async ({ url, issuers }) => {
        const wanted = {
            resource: url,
            authorization_servers: issuers.map((issuer) => issuer.url),
            scopes_supported: ["notes:read", "notes:write"],
            bearer_methods_supported: ["header"],
            dpop_signing_alg_values_supported: ["ES256", "RS256", "PS256", "EdDSA"],
        };
        const root = metadataUrl(url).replace(/\/mcp$/, "");

        for (const where of [metadataUrl(url), root]) {
            const answer = await send(where, { method: "GET" });

            assert.equal(answer.status, 200, where);
            assert.equal(answer.headers["content-type"], "application/json");
            assert.equal(answer.headers["cache-control"], "max-age=3600");
            assert.equal(answer.headers["access-control-allow-origin"], "*");
            const { scopes_supported, resource_name, ...rest } = await answer.json();

            assert.deepEqual({ ...rest, scopes_supported: scopes_supported.sort() }, wanted);
            assert.equal((await send(where, { method: "HEAD" })).status, 200);
            assert.equal((await send(where, { method: "POST", body: "{}" })).status, 405);
        }
        assert.equal((await send(`${metadataUrl(url)}/other`, { method: "GET" })).status, 404);
        assert.equal((await send(metadataUrl(url), { method: "GET", headers: { host: "evil.example" } })).status, 403);
    }));

/* ---- good tokens ---- */

for (const alg of ["ES256", "PS256", "RS256", "Ed25519"])
    test(`a token that is signed with ${alg}`, () =>
        withNotes({ issuers: [{ alg, clients: [MACHINE] }] }, async ({ url, issuer }) => {
            const { access_token: token } = await issuer.credentials(MACHINE, { scope: SCOPES });

            assert.equal(jose.decodeProtectedHeader(token).alg, alg);
            assert.equal(textOf(await callTool(url, token, "whoami")), `machine with ${SCOPES}`);
            const [head, claims, signature] = token.split(".");
            const other = Buffer.from(signature, "base64url");

            other[9] ^= 1;
            const refused = await callTool(url, [head, claims, other.toString("base64url")].join("."), "whoami");

            assert.equal(refused.status, 401);
            assert.match(refused.challenge, /^Bearer error="invalid_token"/);
        }));

test("opaque tokens are asked about, and end when they are revoked", () =>
    withNotes(
        { form: "a program with an authenticator of its own", issuers: [{ opaque: true, clients: [MACHINE] }], more: ["cache=1"] },
        async ({ url, issuer }) => {
            const { access_token: token } = await issuer.credentials(MACHINE, { scope: SCOPES });

            assert.ok(!token.includes("."), token);
            assert.equal(textOf(await callTool(url, token, "whoami")), `machine with ${SCOPES}`);
            assert.ok(issuer.count("POST", "/token/introspection") >= 1);
            assert.equal((await callTool(url, `${token}x`, "whoami")).status, 401);
            await fetch(`${issuer.url}/token/revocation`, {
                method: "POST",
                headers: { Authorization: `Basic ${Buffer.from(`${MACHINE.client_id}:${MACHINE.client_secret}`).toString("base64")}` },
                body: new URLSearchParams({ token }),
            });
            await until(() => Date.now() > issuer.issuedAt + 20, "the end of the cache");
            const refused = await callTool(url, token, "whoami");

            assert.equal(refused.status, 401);
            assert.match(refused.challenge, /error="invalid_token"/);
        },
    ));

test("opaque tokens are kept for a while", () =>
    withNotes({ issuers: [{ opaque: true, clients: [MACHINE] }] }, async ({ url, issuer }) => {
        const { access_token: token } = await issuer.credentials(MACHINE, { scope: "notes:read" });

        for (let i = 0; i < 50; i++) assert.equal(textOf(await callTool(url, token, "whoami")), "machine with notes:read");
        for (let i = 0; i < 50; i++) assert.equal((await callTool(url, "not-a-token", "whoami")).status, 401);
        assert.equal(issuer.count("POST", "/token/introspection"), 2);
    }));

test("two issuers at once, one of them with opaque tokens", () =>
    withNotes({ issuers: [{ clients: [MACHINE] }, { opaque: true, clients: [MACHINE] }] }, async ({ url, issuers }) => {
        const [first, second] = await Promise.all(
            issuers.map(async (issuer) => (await issuer.credentials(MACHINE, { scope: SCOPES })).access_token),
        );

        assert.equal(textOf(await callTool(url, first, "add_note", { text: "of the first" })), "Noted.");
        assert.equal(textOf(await callTool(url, second, "add_note", { text: "of the second" })), "Noted.");
        /* The subject is the same, the principal is not. */
        assert.equal(textOf(await callTool(url, first, "list_notes")), "- of the first\n");
        assert.equal(textOf(await callTool(url, second, "list_notes")), "- of the second\n");
        /* A key signs for its own issuer only, although the ids of the keys are the same. */
        const forged = await issuers[0].mint({ iss: issuers[1].url, aud: url, scope: SCOPES });

        assert.equal((await callTool(url, forged, "whoami")).status, 401);
        const foreign = await issuers[0].mint({ iss: "http://127.0.0.1:9", aud: url, scope: SCOPES });

        assert.match((await callTool(url, foreign, "whoami")).challenge, /error_description="The token's issuer is not accepted"/);
    }));

test("keys change while 1,000 calls are in flight, and none fails", () =>
    withNotes({}, async ({ url, issuer }) => {
        const agent = new Agent({ keepAlive: true, maxSockets: 64 });
        const bodies = Array.from({ length: 1000 }, (_, i) => modernMessage("tools/call", { name: "whoami", arguments: {} }, { id: i + 1 }));
        const headers = modernHeaders("tools/call", { name: "whoami" });
        const failed = [];
        let done = 0;
        let next = 0;
        const caller = async () => {
            while (next < bodies.length) {
                const body = bodies[next++];
                /* Each token is new, so that each is verified. */
                const token = await issuer.mint({ aud: url, scope: "notes:read", jti: randomUUID() });
                const answer = await post(url, body, { ...headers, authorization: `Bearer ${token}` }, { agent });
                const text = await answer.text();

                if (answer.status !== 200 || !text.includes("ada with notes:read")) failed.push(`${answer.status} ${text}`);
                done++;
            }
        };
        const all = Array.from({ length: 64 }, caller);

        await until(() => done >= 200, "some calls");
        const kid = issuer.jwks.keys[0].kid;

        await issuer.rotate("two");
        await Promise.all(all);
        agent.destroy();
        assert.deepEqual(failed, []);
        assert.notEqual(issuer.jwks.keys[0].kid, kid);
        /* Both keys are known now. */
        assert.equal((await callTool(url, await issuer.mint({ aud: url, scope: "notes:read" }, { key: issuer.jwks.keys[1] }), "whoami")).status, 200);
        assert.equal(issuer.count("GET", "/jwks"), 2);
    }));

test("an issuer that cannot be reached", async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/mcp`;
    const { server: closed, origin } = await listen(() => {});

    closed.close();
    const server = await new Server(example("oauth-server"), ["--http", `127.0.0.1:${port}`, "--oauth-resource", url, "--oauth-issuer", origin]).ready();
    const { privateKey } = await jose.generateKeyPair("ES256");
    const now = Math.floor(Date.now() / 1000);
    const token = await new jose.SignJWT({ iss: origin, aud: url, sub: "ada", exp: now + 300 }).setProtectedHeader({ alg: "ES256", typ: "at+jwt", kid: "one" }).sign(privateKey);

    try {
        const answer = await callTool(url, token, "whoami");

        assert.equal(answer.status, 503, JSON.stringify(answer.body));
        assert.ok(Number(answer.headers["retry-after"]) >= 1);
        assert.deepEqual(answer.body.error, "temporarily_unavailable");
        assert.equal((await request(url, undefined)).status, 401);
    } finally {
        assert.equal(await server.stop(), 0, server.log());
    }
    assert.ok(server.log().includes(origin), "the operator is told");
});

/* ---- refusals ---- */

const DESCRIPTIONS = Object.fromEntries(
    [...readFileSync(new URL("../../src/auth/token/token.h", import.meta.url), "utf8").matchAll(/X\(TOKEN_(\w+), +"([^"]*)"\)/g)].map(([, name, text]) => [name, text]),
);

/* What is not about the token itself: the headers of a request, the status, and the parameters of the challenge. */
const forms = (good, metadata) => {
    const where = `resource_metadata="${metadata}"`;
    const asks = `${where}, scope="notes:read"`;
    const nothing = [401, `Bearer ${asks}`];
    const bad = (text) => [401, `Bearer error="invalid_token", error_description="${text}", ${asks}`];
    const malformed = [400, undefined];

    return [
        ["nothing", {}, ...nothing],
        ["another scheme", { authorization: "Basic YWRhOndvcmQ=" }, ...nothing],
        ["a scheme that begins like one", { authorization: `Bearerx ${good}` }, ...nothing],
        ["no token", { authorization: "Bearer" }, ...malformed],
        ["an empty token", { authorization: "Bearer " }, ...malformed],
        ["two words", { authorization: `Bearer ${good} ${good}` }, ...malformed],
        ["two tokens", { authorization: `Bearer ${good}, ${good}` }, ...malformed],
        ["quotes", { authorization: `Bearer "${good}"` }, ...malformed],
        ["a token in the query", { authorization: undefined, "?": `access_token=${good}` }, ...malformed],
        ["in the query and the header", { authorization: `Bearer ${good}`, "?": `access_token=${good}` }, ...malformed],
        ["in the query, encoded", { "?": `%61ccess_token=${good}` }, ...malformed],
        ["two headers", { authorization: [`Bearer ${good}`, `Bearer ${good}`] }, ...malformed],
        ["in X-API-Key, without keys", { "x-api-key": good }, ...nothing],
        ["in a cookie", { cookie: `access_token=${good}` }, ...nothing],
        ["an opaque token", { authorization: "Bearer abcdef" }, ...bad(DESCRIPTIONS.MALFORMED)],
        ["DPoP with a token that is not bound", { authorization: `DPoP ${good}` }, 401, /^DPoP .*error="invalid_token"/],
    ];
};

/* A request as it is on the wire; node would put two headers together. */
async function refusal(url, headers) {
    const { "?": query, ...rest } = headers;
    const body = JSON.stringify(modernMessage("tools/list"));
    const { host } = new URL(url);
    const all = { host, "content-type": "application/json", connection: "close", "content-length": body.length, ...modernHeaders("tools/list"), ...rest };
    const lines = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [value].flat().map((each) => `${name}: ${each}\r\n`)));
    const heard = await raw(url, `POST /mcp${query ? `?${query}` : ""} HTTP/1.1\r\n${lines.join("")}\r\n${body}`);
    const [head, text] = heard.split("\r\n\r\n");

    return { status: Number(heard.split(" ")[1]), challenge: /^www-authenticate: (.*)$/im.exec(head)?.[1].trim(), body: text };
}

test("requests without a good token are refused, each with its status and challenge", () =>
    withNotes({}, async ({ server, url, issuer }) => {
        const good = await issuer.mint({ scope: "notes:read" });

        assert.equal((await refusal(url, { authorization: `Bearer ${good}` })).status, 200);
        assert.equal((await refusal(url, { authorization: `bEaReR ${good}` })).status, 200);
        for (const [name, headers, status, challenge] of forms(good, metadataUrl(url))) {
            const got = await refusal(url, headers);

            assert.equal(got.status, status, `${name}: ${got.challenge} ${got.body}`);
            if (challenge instanceof RegExp) assert.match(got.challenge, challenge, name);
            else assert.equal(got.challenge, challenge, name);
            assert.ok(JSON.parse(got.body).error, name);
            assert.ok(!got.body.includes(good), name);
        }
        const early = await refusal(url, { authorization: `Bearer ${await issuer.mint({ scope: "notes:read", nbf: Math.floor(Date.now() / 1000) + 3600 })}` });

        assert.equal(early.status, 401);
        assert.ok(early.challenge.includes(DESCRIPTIONS.NOT_YET), early.challenge);
        const poor = await refusal(url, { authorization: `Bearer ${await issuer.mint({ scope: "other" })}` });

        assert.equal(poor.status, 403);
        assert.match(poor.challenge, /^Bearer error="insufficient_scope", .*resource_metadata=".*", scope="notes:read"$/);
        const step = await callTool(url, good, "add_note", { text: "x" });

        assert.equal(step.status, 403);
        assert.equal(step.challenge, `Bearer error="insufficient_scope", resource_metadata="${metadataUrl(url)}", scope="notes:read notes:write"`);
        assert.equal(step.body.error.code, -32003);
        assert.match(step.body.error.message, /^Forbidden: .*add_note.*notes:write/);
        /* Operators find out why. */
        for (const reason of ["An access token is required", DESCRIPTIONS.MALFORMED, DESCRIPTIONS.NOT_YET])
            await until(() => server.log().includes(`debug refused a request to /mcp: ${reason}\n`), reason);
    }));

test("attack tokens are refused, each for its reason", async (t) => {
    const issuer = {};
    const { server, origin } = await listen((question, response) => {
        const path = question.url === "/jwks" ? issuer.jwks : { issuer: origin, jwks_uri: `${origin}/jwks` };

        response.writeHead(200, { "Content-Type": "application/json" });
        response.end(typeof path === "string" ? path : JSON.stringify(path));
    });
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/mcp`;
    const { rows, documents } = await makeTokens({ now: Math.floor(Date.now() / 1000), issuer: origin, resource: url });
    let refused = 0;

    issuer.jwks = JSON.stringify(documents.all);
    const haftServer = await new Server(example("oauth-server"), ["--http", `127.0.0.1:${port}`, "--oauth-resource", url, "--oauth-issuer", origin, "--log-level", "debug"]).ready();

    try {
        for (const { name, token, error, keys = "all", any_type: anyType } of rows) {
            /* Rows about another document, option or moment; what HTTP does not let into a header. */
            if (keys !== "all" || anyType || error === "NOT_YET" || (error === "OK" && /skew/.test(name)) || /[\0\r\n]|^ | $/.test(token) || token.length > 15000) continue;
            const got = await refusal(url, { authorization: `Bearer ${token}` });

            if (error === "OK") {
                assert.ok(got.status === 200 || (/bound/.test(name) && got.status === 401), `${name}: ${got.status} ${got.challenge}`);
                continue;
            }
            /* The issuer is looked for first. */
            const reason = DESCRIPTIONS[/^iss /.test(name) ? "WRONG_ISSUER" : error];

            assert.ok(got.status === 401 || (got.status === 400 && /[ "]|^$/.test(token)), `${name}: ${got.status} ${got.body}`);
            if (got.status === 401) {
                assert.ok(got.challenge.startsWith('Bearer error="invalid_token", error_description="'), `${name}: ${got.challenge}`);
                assert.ok(got.challenge.endsWith(`", resource_metadata="${metadataUrl(url)}"`), `${name}: ${got.challenge}`);
                assert.ok(got.challenge.includes(`error_description="${reason}"`), `${name}: ${error}, ${got.challenge}`);
                assert.equal(JSON.parse(got.body).error, "invalid_token");
            }
            refused++;
        }
        assert.ok(refused >= 60, `${refused}`);
        t.diagnostic(`${refused} tokens refused`);
    } finally {
        assert.equal(await haftServer.stop(), 0, haftServer.log());
        server.closeAllConnections();
        server.close();
    }
    for (const { token } of rows) if (token.length > 40) assert.ok(!haftServer.log().includes(token), token);
});

/* ---- what a client sees ---- */

test("lists have what a client may use", () =>
    withNotes({ more: ["--hide-by-scope", "--access", "deny tools whoami if subject bob"] }, async ({ url, issuer }) => {
        const list = async (claims) => request(url, `Bearer ${await issuer.mint(claims)}`);
        const reads = await list({ scope: "notes:read" });

        assert.deepEqual(names(reads), ["list_notes", "whoami"]);
        assert.equal(reads.body.result.cacheScope, "private");
        assert.deepEqual(names(await list({ scope: SCOPES })), ["add_note", "list_notes", "whoami"]);
        assert.deepEqual(names(await list({ scope: SCOPES, sub: "bob" })), ["add_note", "list_notes"]);
        const denied = await callTool(url, await issuer.mint({ scope: SCOPES, sub: "bob" }), "whoami");
        const unknown = await callTool(url, await issuer.mint({ scope: SCOPES, sub: "bob" }), "nothing");

        assert.deepEqual(denied.body.error, { ...unknown.body.error, message: unknown.body.error.message.replace("nothing", "whoami") });
    }));

test("a session belongs to who began it", () =>
    withNotes({}, async ({ url, issuer }) => {
        const bearer = async (sub) => ({ authorization: `Bearer ${await issuer.mint({ sub, scope: "notes:read" })}` });
        const [ada, bob] = [await bearer("ada"), await bearer("bob")];
        const hello = { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: LEGACY, capabilities: {}, clientInfo: { name: "e2e", version: "1" } } };
        const begun = await post(url, hello, ada);
        const session = { "mcp-session-id": begun.headers["mcp-session-id"], "mcp-protocol-version": LEGACY };
        const list = { jsonrpc: "2.0", id: 2, method: "tools/list" };

        assert.ok(session["mcp-session-id"], await begun.text());
        for (const [who, status] of [[ada, 200], [bob, 404], [{}, 401], [ada, 200]]) {
            const answer = await post(url, list, { ...who, ...session });

            assert.equal(answer.status, status);
            await answer.text();
        }
        for (const method of ["GET", "DELETE"])
            assert.equal((await send(url, { method, headers: { accept: "text/event-stream", ...bob, ...session } })).status, 404, method);
        assert.equal((await send(url, { method: "DELETE", headers: { ...ada, ...session } })).status, 200);
    }));

/* ---- proofs of possession ---- */

async function prover() {
    const { publicKey, privateKey } = await jose.generateKeyPair("ES256", { extractable: true });
    const jwk = await jose.exportJWK(publicKey);

    return {
        jkt: await jose.calculateJwkThumbprint(jwk),
        proof: (url, token, more = {}) =>
            new jose.SignJWT({ htm: "POST", htu: url, ath: createHash("sha256").update(token).digest("base64url"), jti: randomUUID(), iat: Math.floor(Date.now() / 1000), ...more })
                .setProtectedHeader({ alg: "ES256", typ: "dpop+jwt", jwk })
                .sign(privateKey),
    };
}

test("tokens that are bound to a key need its proof, each time another", () =>
    withNotes({}, async ({ url, issuer }) => {
        const { jkt, proof } = await prover();
        const other = await prover();
        const token = await issuer.mint({ scope: "notes:read", cnf: { jkt } });
        const ask = (dpop, scheme = "DPoP") => request(url, `${scheme} ${token}`, "tools/list", {}, { dpop });
        const once = await proof(url, token);

        assert.equal((await ask(once)).status, 200);
        const now = Math.floor(Date.now() / 1000);

        for (const [name, dpop, scheme] of [
            ["again", once],
            ["none", undefined],
            ["as a bearer", await proof(url, token), "Bearer"],
            ["as a bearer, without a proof", undefined, "Bearer"],
            ["of another key", await other.proof(url, token)],
            ["for another method", await proof(url, token, { htm: "GET" })],
            ["for another URL", await proof(`${url}/x`, token)],
            ["for another token", await proof(url, `${token}x`)],
            ["from yesterday", await proof(url, token, { iat: now - 86400 })],
            ["from tomorrow", await proof(url, token, { iat: now + 86400 })],
            ["without an id", await proof(url, token, { jti: undefined })],
            ["two of them", [await proof(url, token), await proof(url, token)]],
        ]) {
            const got = await refusal(url, { authorization: `${scheme ?? "DPoP"} ${token}`, dpop });

            if (name === "two of them") assert.equal(got.status, 400, name);
            else {
                assert.equal(got.status, 401, `${name}: ${got.body}`);
                assert.match(got.challenge, /^(DPoP|Bearer) .*error="(invalid_token|invalid_dpop_proof)"/, name);
            }
        }
        assert.equal((await ask(await proof(url, token))).status, 200);
    }));

test("proofs with a nonce of the server", () =>
    withNotes({ more: ["--dpop-nonce", "--dpop", "required"] }, async ({ url, issuer }) => {
        const { jkt, proof } = await prover();
        const token = await issuer.mint({ scope: "notes:read", cnf: { jkt } });
        const ask = async (more) => request(url, `DPoP ${token}`, "tools/list", {}, { dpop: await proof(url, token, more) });
        const first = await ask();
        const nonce = first.headers["dpop-nonce"];

        assert.equal(first.status, 401);
        assert.match(first.challenge, /^DPoP .*error="use_dpop_nonce"/);
        assert.ok(nonce);
        assert.equal((await ask({ nonce: "made-up" })).status, 401);
        assert.equal((await ask({ nonce })).status, 200);
        assert.equal((await request(url, `Bearer ${await issuer.mint({ scope: "notes:read" })}`)).status, 401);
    }));

test("client 2.4.0 proves its key", () =>
    withNotes({ more: ["--dpop", "required"] }, async ({ url }) => {
        const sdk = sdks.at(-1);
        const login = new Login({ dpop: true });
        const client = await connect(sdk, url, login);

        try {
            assert.match(await use(sdk, client, login, "whoami"), /^ada with /);
            assert.equal(login.tokens().token_type, "DPoP");
        } finally {
            await client.close();
        }
    }));

/* ---- API keys ---- */

/* A key that `haft keys add` has made. */
async function addKey(file, name, ...more) {
    const got = await run(["keys", "add", name, "--file", file, ...more]);

    assert.equal(got.code, 0, got.err);
    assert.match(got.out, /^haft_[A-Za-z0-9_-]{43}\n$/);
    return got.out.trim();
}

test("API keys are added, used beside tokens, and revoked", () =>
    withNotes(
        {
            more: async (directory) => {
                const file = join(directory, "keys");

                await addKey(file, "nobody");
                return ["--keys", file];
            },
        },
        async ({ server, url, issuer, directory }) => {
            const file = join(directory, "keys");
            const all = await addKey(file, "deploy");
            const some = await addKey(file, "dashboard", "--scopes", "notes:read");
            const few = await addKey(file, "guest", "--scopes", "");
            const ask = (key, headers) => request(url, key && `Bearer ${key}`, "tools/list", {}, headers);

            assert.equal(statSync(file).mode & 0o777, 0o600);
            assert.ok(!readFileSync(file, "utf8").includes(all));
            assert.equal((await ask(all)).status, 401);
            server.process.kill("SIGHUP");
            assert.ok(await eventually(async () => (await ask(all)).status === 200, (is) => is));
            assert.deepEqual(names(await ask(all)), ["add_note", "list_notes", "whoami"]);
            assert.deepEqual(names(await ask(undefined, { "x-api-key": all })), ["add_note", "list_notes", "whoami"]);
            /* It cannot get other scopes, so it sees what it has. */
            assert.deepEqual(names(await ask(some)), ["list_notes", "whoami"]);
            const poor = await callTool(url, few, "list_notes", {});

            assert.equal(poor.status, 403);
            assert.match(poor.challenge, /^Bearer error="insufficient_scope", .*, scope="notes:read"$/);
            for (const [key, name] of [[some, "add_note"], [all, "absent"]]) {
                const answer = await callTool(url, key, name, { text: "x" });

                assert.equal(answer.challenge, undefined);
                assert.match(JSON.stringify(answer.body), new RegExp(`Tool ${name} not found`));
            }
            assert.equal((await refusal(url, { authorization: `Bearer ${all}`, "x-api-key": all })).status, 400);
            assert.equal((await ask(await issuer.mint({ scope: "notes:read" }))).status, 200);
            assert.equal((await ask(`${all.slice(0, -1)}${all.endsWith("A") ? "B" : "A"}`)).status, 401);
            assert.equal((await run(["keys", "revoke", "deploy", "--yes", "--file", file])).code, 0);
            server.process.kill("SIGHUP");
            assert.ok(await eventually(async () => (await ask(all)).status === 401, (is) => is));
            assert.equal((await ask(some)).status, 200);
            for (const key of [all, some, few]) assert.ok(!server.log().includes(key), server.log());
        },
    ));
