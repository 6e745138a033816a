/* oauth-server.test.mjs - haft as a resource server behind a real authorization server: clients log in, call tools, are
 * asked for more scopes, renew tokens and lose access; two issuers; opaque tokens; keys that change under load. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { Asker } from "./authorize.mjs";
import { send } from "./http-client.mjs";
import { connect, forms, haftAs, Login, SCOPES, sdks, textOf, use, withNotes } from "./oauth-server.mjs";
import { until } from "./server.mjs";

const READ = "ada with notes:read";

/* ---- the official clients ---- */

for (const form of Object.keys(forms))
    for (const sdk of sdks)
        test(`${sdk.name} with ${form}: logs in, calls, gets another scope`, () =>
            withNotes({ form }, async ({ url, issuer }) => {
                const login = new Login();
                const client = await connect(sdk, url, login);

                try {
                    assert.equal(login.opened.length, 1);
                    assert.equal(login.opened[0].searchParams.get("resource"), url);
                    assert.ok(login.opened[0].searchParams.get("scope").split(" ").includes("notes:read"));
                    const { tools } = await client.listTools();

                    assert.deepEqual(tools.map(({ name }) => name).sort(), ["add_note", "list_notes", "whoami"]);
                    assert.match(textOf(await client.callTool({ name: "whoami", arguments: {} })), /^ada with .*notes:read/);
                    assert.equal(login.opened.length, 1);
                    const args = form === "haft_main" ? { text: "milk" } : {};

                    assert.equal(await use(sdk, client, login, "add_note", args), "Noted.");
                    assert.equal(login.opened.length, 2);
                    const scopes = login.opened[1].searchParams.get("scope").split(" ");

                    assert.ok(scopes.includes("notes:write"), scopes.join(" "));
                    assert.match(textOf(await client.callTool({ name: "list_notes", arguments: {} })), form === "haft_main" ? /^- milk\n$/ : /^yours$/);
                    assert.equal(issuer.count("POST", "/reg"), 1);
                } finally {
                    await client.close();
                }
            }));

for (const sdk of sdks)
    test(`${sdk.name}: renews an opaque token that has ended, and logs in again when access was revoked`, () =>
        withNotes(
            { form: "a program with an authenticator of its own", issuers: [{ opaque: true, lifetime: 2, refresh: true }], more: ["cache=1"] },
            async ({ url, issuer }) => {
                const login = new Login();
                const client = await connect(sdk, url, login);
                const call = () => use(sdk, client, login, "whoami");

                try {
                    assert.match(await call(), /^ada with .*notes:read/);
                    const first = login.tokens();

                    assert.ok(first.refresh_token, "a refresh token");
                    await until(() => Date.now() > issuer.issuedAt + 2500, "the end of the token");
                    assert.match(await call(), /^ada with /);
                    assert.notEqual(login.tokens().access_token, first.access_token);
                    assert.equal(login.opened.length, 1);
                    /* Nothing of the grant is left, so a person is needed. */
                    const { client_id } = login.clientInformation();

                    for (const hint of ["refresh_token", "access_token"])
                        await fetch(`${issuer.url}/token/revocation`, {
                            method: "POST",
                            headers: { "Content-Type": "application/x-www-form-urlencoded" },
                            body: new URLSearchParams({ token: login.tokens()[hint], token_type_hint: hint, client_id }),
                        });
                    assert.match(await call(), /^ada with /);
                    assert.equal(login.opened.length, 2);
                } finally {
                    await client.close();
                }
            },
        ));

/* ---- a gateway ---- */

test("a gateway protects routes too, and shows no handler the token", () =>
    withNotes({ form: "a gateway", issuers: [{}, {}] }, async ({ url, issuers }) => {
        const route = new URL("/notes", url).href;
        const get = async (token) => {
            const answer = await send(route, { method: "GET", headers: token ? { authorization: `Bearer ${token}` } : {} });

            return { status: answer.status, challenge: answer.headers["www-authenticate"], text: await answer.text() };
        };
        const none = await get();

        assert.equal(none.status, 401);
        assert.match(none.challenge, /^Bearer resource_metadata="[^"]+", scope="notes:read"$/);
        const metadata = /resource_metadata="([^"]+)"/.exec(none.challenge)[1];
        const document = await (await send(metadata, { method: "GET" })).json();

        assert.deepEqual(document.authorization_servers, issuers.map((issuer) => issuer.url));
        for (const issuer of issuers) {
            const poor = await get(await issuer.mint({ aud: document.resource, scope: "notes:read" }));

            assert.equal(poor.status, 403, poor.text);
            assert.match(poor.challenge, /^Bearer error="insufficient_scope", resource_metadata=".*", scope="notes:read notes:write"$/);
            assert.match((await get(await issuer.mint({ aud: document.resource, scope: SCOPES }))).text, /ada sends nothing/);
        }
    }));

/* ---- our own client ---- */

for (const form of Object.keys(forms))
    test(`haft with ${form}: logs in, calls, gets another scope, and logs out`, () =>
        withNotes({ form }, async ({ url, issuer, directory }) => {
            const me = haftAs(join(directory, "state"));
            const before = await me.run("tools", url);

            assert.equal(before.code, 8, before.err);
            assert.match(before.err, /haft login/);
            const login = await me.login(url);

            assert.equal(login.out, "Logged in.\n", login.err);
            assert.equal((await me.run("call", url, "whoami")).out, `${READ}\n`);
            const words = form === "haft_main" ? ["add_note", "text=milk"] : ["add_note"];
            const more = await me.run("call", url, ...words);

            assert.equal(more.code, 8, more.out + more.err);
            assert.match(more.err, /notes:write/);
            assert.equal((await me.login(url, "--scope", "notes:write")).code, 0);
            assert.equal((await me.run("call", url, ...words)).out, "Noted.\n");
            assert.equal((await me.run("logout", url)).code, 0);
            assert.equal((await me.run("call", url, "whoami")).code, 8);
            for (const secret of issuer.secrets)
                for (const output of me.outputs) assert.ok(!output.includes(secret), output);
        }));

test("our client renews tokens, and proves its key", () =>
    withNotes({ issuers: [{ lifetime: 2 }] }, async ({ url, issuer }) => {
        const asker = new Asker({ dpop: 1 });

        try {
            for (let round = 0; round < 3; round++) {
                /* Let in, and then refused as no POST of JSON. */
                assert.equal((await asker.get(url)).status, 415);
                await until(() => Date.now() > issuer.issuedAt + 2000, "the end of the token");
            }
            assert.equal(asker.opened.length, 1);
            assert.ok(issuer.count("POST", "/token") >= 3);
        } finally {
            await asker.close();
        }
    }));
