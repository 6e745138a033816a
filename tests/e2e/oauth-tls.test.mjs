/* oauth-tls.test.mjs - a server with the options --tls-... and --oauth-...: tokens over TLS, tokens that are bound to a
 * certificate of the client, which TLS or a trusted proxy tells, and keys that change while 1,000 calls wait for them. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash, randomUUID, X509Certificate } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Agent } from "node:http";
import https from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import * as jose from "jose";
import { listen } from "./authorize.mjs";
import { modernHeaders, modernMessage, post } from "./http-client.mjs";
import { Server } from "./http-server.mjs";
import { request } from "./oauth-server.mjs";
import { example, freePort, until } from "./server.mjs";

const directory = mkdtempSync(join(tmpdir(), "haft-oauth-tls-"));
const file = (name) => join(directory, name);
const NEW_KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];

function openssl(...args) {
    const { status, stderr } = spawnSync("openssl", args, { encoding: "utf8" });

    assert.equal(status, 0, stderr);
}

function issue(name) {
    writeFileSync(file("extensions"), "subjectAltName=DNS:localhost,IP:127.0.0.1\n");
    openssl("req", ...NEW_KEY, "-subj", `/CN=${name}`, "-keyout", file(`${name}.key`), "-out", file("request"));
    openssl("x509", "-req", "-in", file("request"), "-CA", file("ca.pem"), "-CAkey", file("ca.key"), "-CAcreateserial", "-days", "2",
        "-extfile", file("extensions"), "-out", file(`${name}.pem`));
}

before(() => {
    openssl("req", "-x509", ...NEW_KEY, "-subj", "/CN=ca", "-days", "2", "-keyout", file("ca.key"), "-out", file("ca.pem"));
    for (const name of ["server", "client", "other"]) issue(name);
});
after(() => rmSync(directory, { recursive: true }));

const certificate = (name) => new X509Certificate(readFileSync(file(`${name}.pem`)));
const thumbprint = (name) => createHash("sha256").update(certificate(name).raw).digest("base64url");

/* ---- an issuer whose answers are held at will ---- */

async function makeKey(kid) {
    const { publicKey, privateKey } = await jose.generateKeyPair("ES256", { extractable: true });

    return { privateKey, jwk: { ...(await jose.exportJWK(publicKey)), kid, alg: "ES256", use: "sig" } };
}

async function withIssuer(use) {
    const issuer = { keys: [await makeKey("one")], fetches: 0, hold: Promise.resolve() };
    const { server, origin } = await listen(async (question, response) => {
        const isKeys = question.url === "/jwks";

        issuer.fetches += isKeys;
        if (isKeys) await issuer.hold;
        response.writeHead(200, { "Content-Type": "application/json" });
        response.end(JSON.stringify(isKeys ? { keys: issuer.keys.map(({ jwk }) => jwk) } : { issuer: origin, jwks_uri: `${origin}/jwks` }));
    });

    issuer.url = origin;
    issuer.mint = (aud, claims = {}, { privateKey, jwk } = issuer.keys[0]) =>
        new jose.SignJWT({ iss: origin, aud, sub: "ada", scope: "notes:read", exp: Math.floor(Date.now() / 1000) + 300, jti: randomUUID(), ...claims })
            .setProtectedHeader({ alg: "ES256", typ: "at+jwt", kid: jwk.kid })
            .sign(privateKey);
    try {
        await use(issuer);
    } finally {
        server.closeAllConnections();
        server.close();
    }
}

/* A server with these options besides those of the issuer. */
const withServer = (scheme, options, use) =>
    withIssuer(async (issuer) => {
        const port = await freePort();
        const url = `${scheme}://127.0.0.1:${port}/mcp`;
        const server = await new Server(example("oauth-server"), ["--http", `127.0.0.1:${port}`, "--oauth-resource", url, "--oauth-issuer", issuer.url, ...options]).ready();

        assert.equal(server.url, url);
        try {
            await use({ server, url, issuer });
        } finally {
            assert.equal(await server.stop(), 0, server.log());
        }
    });

/* ---- TLS ---- */

const TLS = () => ["--tls-cert", file("server.pem"), "--tls-key", file("server.key")];

/* Lists tools over TLS with a token, and as the client with that certificate; the status and the challenge. */
const ask = (url, token, name) =>
    new Promise((resolve, reject) => {
        const own = name ? { cert: readFileSync(file(`${name}.pem`)), key: readFileSync(file(`${name}.key`)) } : {};
        const all = modernHeaders("tools/list", {}, { "content-type": "application/json", authorization: token && `Bearer ${token}` });
        const headers = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));

        https
            .request(url, { method: "POST", agent: false, ca: readFileSync(file("ca.pem")), headers, ...own }, (response) => {
                response.resume().on("end", () => resolve({ status: response.statusCode, challenge: response.headers["www-authenticate"] }));
            })
            .on("error", reject)
            .end(JSON.stringify(modernMessage("tools/list")));
    });

test("tokens over TLS", () =>
    withServer("https", TLS(), async ({ url, issuer }) => {
        const { status, challenge } = await ask(url);

        assert.equal(status, 401);
        assert.match(challenge, /^Bearer resource_metadata="https:\/\/127\.0\.0\.1:\d+\/\.well-known\/oauth-protected-resource\/mcp"/);
        assert.equal((await ask(url, await issuer.mint(url))).status, 200);
        assert.equal((await ask(url, await issuer.mint(url.replace("https", "http")))).status, 401);
    }));

test("a token that is bound to a certificate is for the client with that certificate", () =>
    withServer("https", [...TLS(), "--tls-client-ca", file("ca.pem"), "--tls-client", "optional"], async ({ url, issuer }) => {
        const bound = await issuer.mint(url, { cnf: { "x5t#S256": thumbprint("client") } });

        assert.equal((await ask(url, bound, "client")).status, 200);
        for (const name of ["other", undefined]) {
            const { status, challenge } = await ask(url, bound, name);

            assert.equal(status, 401, name);
            assert.match(challenge, /^Bearer error="invalid_token", error_description="The access token is bound to another certificate"/);
        }
        /* A token that was verified is asked for its certificate again. */
        assert.equal((await ask(url, bound, "client")).status, 200);
        assert.equal((await ask(url, await issuer.mint(url), "client")).status, 200);
        for (const cnf of [{ "x5t#S256": "" }, { "x5t#S256": 1 }, { "x5t#S256": `${thumbprint("client")}=` }])
            assert.equal((await ask(url, await issuer.mint(url, { cnf }), "client")).status, 401, JSON.stringify(cnf));
    }));

/* RFC 9440 has the certificate as a byte sequence; nginx's $ssl_client_escaped_cert is PEM, percent-encoded. */
const CERTIFICATES = {
    "as RFC 9440 has it": (name) => `:${certificate(name).raw.toString("base64")}:`,
    "as nginx sends it": (name) => encodeURIComponent(readFileSync(file(`${name}.pem`), "utf8")),
};

for (const [how, header] of Object.entries(CERTIFICATES))
    test(`a trusted proxy tells the certificate, ${how}`, () =>
        withServer("http", ["--trusted-proxy", "127.0.0.1", "--client-cert-header", "Client-Cert"], async ({ url, issuer }) => {
            const bound = `Bearer ${await issuer.mint(url, { cnf: { "x5t#S256": thumbprint("client") } })}`;
            const statusOf = async (more) => (await request(url, bound, "tools/list", {}, more)).status;

            assert.equal(await statusOf({ "client-cert": header("client") }), 200);
            assert.equal(await statusOf({ "client-cert": header("other") }), 401);
            assert.equal(await statusOf({}), 401);
        }));

test("a certificate in a header of somebody who is not the proxy does not count", () =>
    withServer("http", ["--trusted-proxy", "192.0.2.1", "--client-cert-header", "Client-Cert"], async ({ url, issuer }) => {
        const bound = `Bearer ${await issuer.mint(url, { cnf: { "x5t#S256": thumbprint("client") } })}`;

        for (const header of Object.values(CERTIFICATES))
            assert.equal((await request(url, bound, "tools/list", {}, { "client-cert": header("client") })).status, 401);
    }));

/* ---- keys that change ---- */

test("1,000 calls wait for a new key at once, those with the old one go on, and none fails", () =>
    withServer("http", [], async ({ url, issuer }) => {
        const agent = new Agent({ keepAlive: true, maxSockets: 1100 });
        const call = async (token) => {
            const answer = await post(url, modernMessage("tools/call", { name: "whoami", arguments: {} }),
                modernHeaders("tools/call", { name: "whoami" }, { authorization: `Bearer ${token}` }), { agent });

            return `${answer.status} ${/ada with notes:read/.test(await answer.text())}`;
        };
        const [old] = issuer.keys;
        let release;
        let answered = 0;

        assert.equal(await call(await issuer.mint(url)), "200 true");
        issuer.keys.unshift(await makeKey("two"));
        issuer.hold = new Promise((resolve) => (release = resolve));
        const tokens = await Promise.all(Array.from({ length: 1000 }, () => issuer.mint(url)));
        const calls = tokens.map(async (token) => {
            const got = await call(token);

            answered++;
            return got;
        });

        await until(() => issuer.fetches === 2, "the fetch of the new key");
        /* Meanwhile the old key is as good as before. */
        for (let i = 0; i < 20; i++) assert.equal(await call(await issuer.mint(url, {}, old)), "200 true");
        await until(() => Object.values(agent.sockets).flat().length >= 1000, "1,000 connections");
        assert.equal(answered, 0);
        release();
        assert.deepEqual([...new Set(await Promise.all(calls))], ["200 true"]);
        assert.equal(issuer.fetches, 2);
        agent.destroy();
    }));
