/* authorize.test.mjs - OAuth for clients against a real authorization server: logins, renewed tokens, more scopes, client
 * credentials, and that no output has a secret in it. */

import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import * as jose from "jose";
import { Asker, browse, Issuer, Resource } from "./authorize.mjs";
import { until } from "./server.mjs";

const BASIC = "granted mcp:basic";

/* An issuer, a resource and a driver; afterwards nothing secret may be in what the driver has printed. */
async function withAll(options, use) {
    const issuer = await Issuer.start(options.issuer);
    const resource = await Resource.start(issuer, options.resource);
    const directory = mkdtempSync(join(tmpdir(), "haft-authorize-"));
    const askers = [];
    const ask = (more = {}, extra = {}) => {
        const asker = new Asker({ ...options.client, ...more }, extra);

        askers.push(asker);
        return asker;
    };

    try {
        await use({ issuer, resource, ask, directory });
        for (const asker of askers) {
            const output = await asker.close();

            for (const secret of issuer.secrets)
                assert.ok(!output.includes(secret) && !output.includes(encodeURIComponent(secret)), secret);
        }
    } finally {
        askers.forEach((asker) => asker.process.kill("SIGKILL"));
        issuer.close();
        resource.close();
        rmSync(directory, { recursive: true });
    }
}

describe("a login by a person", () => {
    test("gets a token once, for all requests", () =>
        withAll({}, async ({ issuer, resource, ask }) => {
            const asker = ask();
            const answers = await Promise.all([asker.get(resource.url), asker.get(resource.url), asker.get(resource.url)]);

            for (const answer of answers) assert.deepEqual(answer, { status: 200, times: 2, text: BASIC });
            assert.deepEqual(await asker.get(resource.url), { status: 200, times: 1, text: BASIC });
            assert.equal(asker.opened.length, 1);
            assert.equal(issuer.count("POST", "/reg"), 1);
            assert.equal(issuer.count("POST", "/token"), 1);
            const query = asker.opened[0].searchParams;

            assert.equal(query.get("resource"), resource.url);
            assert.equal(query.get("scope"), "mcp:basic offline_access");
            assert.equal(query.get("code_challenge_method"), "S256");
            assert.match(query.get("redirect_uri"), /^http:\/\/127\.0\.0\.1:[0-9]+\/callback$/);
            assert.ok(issuer.secrets.size >= 4);
            const page = await asker.browsed[0];

            assert.equal(page.status, 200);
            assert.match(page.text, /You can close this page/);
            /* The listener is gone. */
            await assert.rejects(fetch(query.get("redirect_uri")));
        }));

    test("by a redirect that the program passes on", () =>
        withAll(
            { client: { manual_redirect: 1, redirect_uri: "http://127.0.0.1:9/callback" } },
            async ({ resource, ask }) => {
                const asker = ask({}, { browser: null });
                const answer = asker.get(resource.url);

                await until(() => asker.opened.length, "a login");
                const end = await browse(asker.opened[0].href, (url) => url.startsWith("http://127.0.0.1:9/"));
                const forged = end.replace(/state=[^&]*/, "state=another");

                assert.equal(await asker.redirected(forged), "-2");
                assert.equal(await asker.redirected(end), "0");
                assert.equal((await answer).text, BASIC);
                assert.equal(await asker.redirected(end), "-2");
            },
        ));

    test("listens for nothing but the end of the login", () =>
        withAll({ client: { redirect_uri: "http://localhost:0/done" } }, async ({ resource, ask }) => {
            const asker = ask({}, { browser: null });
            const answer = asker.get(resource.url);

            await until(() => asker.opened.length, "a login");
            const redirect = asker.opened[0].searchParams.get("redirect_uri");
            const state = asker.opened[0].searchParams.get("state");
            const status = async (url, options) => (await fetch(url, options)).status;

            assert.equal(await status(redirect), 404);
            assert.equal(await status(`${redirect}?state=x&code=y`), 400);
            assert.equal(await status(`${redirect}?state=${state}&state=${state}&code=y`), 400);
            assert.equal(await status(`${redirect}/more?state=${state}&code=y`), 404);
            assert.equal(await status(`${redirect}?state=${state}&code=y`, { method: "POST" }), 404);
            const port = new URL(redirect).port;

            assert.equal(await status(`http://127.0.0.1:${port}/done?state=${state}&code=y`), 404);
            assert.equal((await browse(asker.opened[0].href)).status, 200);
            assert.equal((await answer).text, BASIC);
        }));

    test("that is refused", () =>
        withAll({ issuer: { refuse: true } }, async ({ issuer, resource, ask }) => {
            const answer = await ask().get(resource.url);

            assert.deepEqual(answer, { code: -23, text: "the login was refused: access_denied" });
            assert.equal(issuer.count("POST", "/token"), 0);
        }));

    test("that nobody finishes", () =>
        withAll({ client: { login_ms: 50 } }, async ({ resource, ask }) => {
            const answer = await ask({}, { browser: null }).get(resource.url);

            assert.equal(answer.code, -20);
        }));
});

describe("tokens", () => {
    test("are renewed once when two requests meet an expired one", () =>
        withAll({ issuer: { lifetime: 2 } }, async ({ issuer, resource, ask }) => {
            const asker = ask();

            assert.equal((await asker.get(resource.url)).text, BASIC);
            for (let round = 0; round < 2; round++) {
                const { exp } = jose.decodeJwt(resource.token);

                await until(() => Date.now() / 1000 >= exp, "the end of the token");
                const before = issuer.count("POST", "/token");
                const answers = await Promise.all([asker.get(resource.url), asker.get(resource.url)]);

                for (const answer of answers) assert.deepEqual(answer, { status: 200, times: 1, text: BASIC });
                assert.equal(issuer.count("POST", "/token"), before + 1);
            }
            assert.equal(asker.opened.length, 1);
        }));

    test("that were revoked are renewed", () =>
        withAll({ resource: { revoked: new Set() } }, async ({ resource, ask }) => {
            const asker = ask();

            assert.equal((await asker.get(resource.url)).text, BASIC);
            resource.options.revoked.add(resource.token);
            assert.deepEqual(await asker.get(resource.url), { status: 200, times: 2, text: BASIC });
            assert.equal(asker.opened.length, 1);
        }));

    test("without a refresh token need another login", () =>
        withAll({ client: { no_refresh: 1 }, resource: { revoked: new Set() } }, async ({ resource, ask }) => {
            const asker = ask();

            assert.equal((await asker.get(resource.url)).text, BASIC);
            assert.equal(asker.opened[0].searchParams.get("scope"), "mcp:basic");
            resource.options.revoked.add(resource.token);
            assert.equal((await asker.get(resource.url)).text, BASIC);
            assert.equal(asker.opened.length, 2);
        }));

    test("get more scopes when the server asks for them", () =>
        withAll({}, async ({ issuer, resource, ask }) => {
            const asker = ask();

            assert.equal((await asker.get(resource.url)).text, BASIC);
            const answer = await asker.get(`${resource.url}/write`, "tools/call write");

            assert.deepEqual(answer, { status: 200, times: 2, text: `${BASIC} mcp:write` });
            assert.equal(asker.opened[1].searchParams.get("scope"), "mcp:basic offline_access mcp:write");
            assert.equal(issuer.count("POST", "/reg"), 1);
        }));

    test("are kept in a file, and forgotten", () =>
        withAll({}, async ({ issuer, resource, ask, directory }) => {
            const file = join(directory, "tokens");
            const first = ask({ token_file: file });

            assert.equal((await first.get(resource.url)).text, BASIC);
            await first.close();
            assert.equal(statSync(file).mode & 0o777, 0o600);
            const second = ask({ token_file: file });

            assert.deepEqual(await second.get(resource.url), { status: 200, times: 1, text: BASIC });
            assert.equal(second.opened.length, 0);
            assert.equal(await second.forget(resource.url), "0 ");
            assert.equal(issuer.count("POST", "/token/revocation"), 2);
            assert.ok(!readFileSync(file, "utf8").includes("access_token"));
            assert.equal(await second.forget(resource.url), "-14 there are no tokens for this server");
            /* The registration is still there. */
            assert.equal((await second.get(resource.url)).text, BASIC);
            assert.equal(issuer.count("POST", "/reg"), 1);
        }));

    test("are not read from a file that others can read", () =>
        withAll({}, async ({ ask, directory }) => {
            const file = join(directory, "tokens");

            writeFileSync(file, '{"haft-tokens-1":{}}\n');
            chmodSync(file, 0o644);
            const asker = ask({ token_file: file });

            assert.deepEqual(await asker.ended, [1, null]);
            assert.match(asker.output, /mode 0644 lets other users/);
            asker.close = async () => asker.output;
        }));
});

describe("client credentials", () => {
    const machine = { client_id: "machine", client_secret: "machine-secret", machine: true };

    test("with a secret", () =>
        withAll(
            {
                issuer: { lifetime: 2, clients: [machine] },
                client: { grant: 1, client_id: "machine", client_secret: "machine-secret" },
            },
            async ({ issuer, resource, ask }) => {
                const asker = ask();

                assert.deepEqual(await asker.get(resource.url), { status: 200, times: 2, text: BASIC });
                const { exp } = jose.decodeJwt(resource.token);

                await until(() => Date.now() / 1000 >= exp, "the end of the token");
                assert.deepEqual(await asker.get(resource.url), { status: 200, times: 1, text: BASIC });
                assert.equal(issuer.count("POST", "/token"), 2);
            },
        ));

    for (const [name, type, options, alg] of [
        ["ES256", "ec", { namedCurve: "P-256" }, "ES256"],
        ["RS256", "rsa", { modulusLength: 2048 }, "RS256"],
        ["EdDSA", "ed25519", {}, "EdDSA"],
    ])
        test(`with a key for ${name}`, async () => {
            const { publicKey, privateKey } = generateKeyPairSync(type, options);
            const jwk = { ...publicKey.export({ format: "jwk" }), use: "sig" };
            const client = {
                client_id: "machine",
                machine: true,
                token_endpoint_auth_method: "private_key_jwt",
                token_endpoint_auth_signing_alg: alg,
                jwks: { keys: [jwk] },
            };

            await withAll(
                { issuer: { clients: [client] }, client: { grant: 1, client_id: "machine" } },
                async ({ resource, ask, directory }) => {
                    const file = join(directory, "key.pem");

                    writeFileSync(file, privateKey.export({ type: "pkcs8", format: "pem" }));
                    assert.deepEqual(await ask({ key_file: file }).get(resource.url), { status: 200, times: 2, text: BASIC });
                },
            );
        });

    test("that are wrong", () =>
        withAll(
            {
                issuer: { clients: [machine] },
                client: { grant: 1, client_id: "machine", client_secret: "another-secret" },
            },
            async ({ issuer, resource, ask }) => {
                const answer = await ask().get(resource.url);

                assert.equal(answer.code, -23);
                assert.match(answer.text, /refused to issue a token: invalid_client/);
                assert.equal(issuer.count("POST", "/token"), 1);
            },
        ));
});

describe("tokens that are bound to a key", () => {
    for (const [name, nonce] of [
        ["without a nonce", false],
        ["with nonces", true],
    ])
        test(name, () =>
            withAll(
                { issuer: { nonce }, resource: nonce ? { nonce: "n-0123" } : {}, client: { dpop: 1 } },
                async ({ resource, ask, directory }) => {
                    const file = join(directory, "tokens");
                    const asker = ask({ token_file: file });

                    assert.equal((await asker.get(resource.url)).text, BASIC);
                    assert.deepEqual(await asker.get(resource.url), { status: 200, times: 1, text: BASIC });
                    await asker.close();
                    assert.equal((await ask({ token_file: file }).get(resource.url)).text, BASIC);
                    assert.ok(resource.proofs.size >= 3);
                },
            ),
        );
});

describe("documents that lead elsewhere", () => {
    for (const [name, metadata, text] of [
        ["another resource", { resource: "https://evil.example/mcp" }, /about another server/],
        ["no authorization server", { authorization_servers: [] }, /missing or empty/],
        ["http", { authorization_servers: ["http://as.example"] }, /neither https/],
    ])
        test(name, () =>
            withAll({ resource: { metadata } }, async ({ issuer, resource, ask }) => {
                const answer = await ask().get(resource.url);

                assert.match(answer.text, text);
                assert.equal(issuer.requests.length, 0);
            }),
        );

    test("an issuer of another name", () =>
        withAll({}, async ({ issuer, resource, ask }) => {
            resource.options.metadata = { authorization_servers: [`${issuer.url}/`] };
            const answer = await ask().get(resource.url);

            assert.match(answer.text, /names another issuer/);
            assert.equal(issuer.count("POST", "/reg"), 0);
        }));
});
