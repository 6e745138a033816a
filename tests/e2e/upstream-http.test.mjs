/* upstream-http.test.mjs - tools of `haft serve` that call an HTTP API: a server of node's. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { ask, eventually, modernHeaders, modernMessage, post } from "./http-client.mjs";
import { withGateway } from "./serve.mjs";
import { until } from "./server.mjs";

const SECRET = "s3cr3t-Value";

/* An API for as long as `use` takes.  `answer` gets each request with its body, and the response.  `tls` are options of
 * https. */
async function withApi(answer, use, tls) {
    const seen = [];
    const server = (tls ? createSecureServer : createServer)(tls ?? {}, (request, response) => {
        let body = "";

        request.on("data", (more) => (body += more));
        request.on("end", () => {
            const one = { method: request.method, url: request.url, headers: request.headers, body };

            seen.push(one);
            answer(one, response);
        });
    });

    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    try {
        await use({ url: `http${tls ? "s" : ""}://127.0.0.1:${server.address().port}`, seen, server });
    } finally {
        server.closeAllConnections();
        server.close();
    }
}

const json = (response, value, status = 200) => {
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify(value));
};
const gateway = (http, more = {}) => ({ gateway: { upstreams: { api: { http, ...more } }, endpoints: [{}] } });
const call = async (server, name, args = {}, how = {}) =>
    (await ask(server.url, "tools/call", { name, arguments: args }, how)).response.result;
const listed = async (server) => (await ask(server.url, "tools/list")).response.result.tools;
const textOf = (result) => result.content.map((block) => block.text ?? "").join("");

const argument = { type: "string", description: "A word" };
const word = { type: "object", properties: { word: argument }, required: ["word"] };
const tools = {
    get_word: { description: "Returns a word", path: "/words/{word}", input: word },
    put_word: { description: "Sets a word", method: "PUT", path: "/words/{word}", input: word },
    add_word: { description: "Adds a word", method: "POST", path: "/words", input: word },
};

test("the configuration of docs/upstreams.md", () =>
    withApi(
        (request, response) => json(response, { city: decodeURIComponent(request.url.match(/forecast\/([^?]*)/)[1]) }),
        (api) => {
            const page = readFileSync(new URL("../../docs/upstreams.md", import.meta.url), "utf8");
            const config = JSON.parse(page.match(/```json\n([^]*?)```/)[1].replace("https://api.example.com", api.url));

            return withGateway(
                "plain",
                async (server) => {
                    const tools = await listed(server);
                    const answer = await call(server, "weather__get_forecast", { city: "São/Paulo", days: 3 });

                    assert.deepEqual(tools.map((tool) => tool.name), ["weather__get_forecast"]);
                    assert.equal(tools[0].annotations.readOnlyHint, true);
                    assert.deepEqual(answer.structuredContent, { city: "São/Paulo" });
                    assert.equal(api.seen[0].url, "/v1/forecast/S%C3%A3o%2FPaulo?days=3");
                    assert.equal(api.seen[0].headers.authorization, `Bearer ${SECRET}`);
                    /* Arguments are checked before anything is sent. */
                    assert.equal((await call(server, "weather__get_forecast", { city: "x", days: 8 })).isError, true);
                    assert.equal(api.seen.length, 1);
                    assert.ok(!JSON.stringify(tools).includes(SECRET) && !server.log().includes(SECRET));
                },
                { config, env: { ...process.env, WEATHER_TOKEN: SECRET } },
            );
        },
    ));

test("the configuration and the document of docs/openapi.md", () =>
    withApi(
        (request, response) => json(response, [{ id: 1, name: "Rex" }]),
        (api) => {
            const page = readFileSync(new URL("../../docs/openapi.md", import.meta.url), "utf8");
            const [, first] = page.match(/```json\n([^]*?)```/);
            const config = first.replace("https://api.example.com", api.url).replace("pets.yaml", "{DIR}/pets.yaml");

            return withGateway(
                "plain",
                async (server) => {
                    const tools = await listed(server);

                    assert.deepEqual(tools.map((tool) => [tool.name, tool.description]), [["pets__listPets", "Lists the pets of the shop"]]);
                    assert.deepEqual(tools[0].inputSchema.properties ?? {}, {});
                    assert.deepEqual((await call(server, "pets__listPets")).structuredContent, { result: [{ id: 1, name: "Rex" }] });
                    assert.equal(api.seen[0].url, "/v1/pets?limit=20");
                    assert.equal(api.seen[0].headers["x-key"], SECRET);
                },
                {
                    config: JSON.parse(config),
                    files: { "pets.yaml": page.match(/```yaml pets.yaml\n([^]*?)```/)[1] },
                    env: { ...process.env, PETS_KEY: SECRET },
                },
            );
        },
    ));

test("requests carry the arguments, the trace and named headers, and never the client's credentials", () =>
    withApi(
        (request, response) => json(response, { ok: true }),
        (api) =>
            withGateway(
                "plain",
                async (server) => {
                    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
                    const headers = {
                        authorization: "Bearer clients-own",
                        cookie: "session=clients-own",
                        "accept-language": "de",
                        "x-other": "o",
                        traceparent,
                    };

                    await call(server, "api__add_word", { word: "a" }, { headers });
                    const [{ headers: sent, ...request }] = api.seen;

                    assert.deepEqual(request, { method: "POST", url: "/words", body: '{"word":"a"}' });
                    assert.equal(sent["content-type"], "application/json");
                    assert.equal(sent["accept-language"], "de");
                    assert.equal(sent["x-tenant"], "7");
                    assert.match(sent.traceparent, /^00-0af7651916cd43dd8448eb211c80319c-[0-9a-f]{16}-01$/);
                    assert.notEqual(sent.traceparent, traceparent);
                    assert.ok(!JSON.stringify(sent).includes("clients-own") && !("x-other" in sent));
                },
                { config: gateway({ url: api.url, tools, headers: { set: { "X-Tenant": "7" }, forward: ["Accept-Language"] } }) },
            ),
    ));

test("failures name the upstream, and nothing that was sent", () =>
    withApi(
        (request, response) => {
            const kind = request.url.match(/words\/(\w+)/)?.[1];

            if (kind === "missing") json(response, { error: "no such word" }, 404);
            else if (kind === "dies") response.destroy();
            else if (kind === "big") response.end("x".repeat(2000));
            else if (kind === "garbage") response.socket.end("garbage\r\n\r\n");
            else if (kind !== "hangs") json(response, { ok: true });
        },
        (api) =>
            withGateway(
                "plain",
                async (server) => {
                    const rows = [
                        ["api__get_word", "missing", /404[^]*no such word/, 1],
                        ["api__get_word", "dies", /upstream api did not answer: the connection was closed/, 4], /* one on the kept connection */
                        ["api__put_word", "dies", /upstream api did not answer/, 3],
                        ["api__get_word", "big", /upstream api did not answer: the body of the answer exceeds/, 1],
                        ["api__get_word", "garbage", /upstream api did not answer: the answer is not valid HTTP/, 1],
                        ["api__get_word", "hangs", /upstream api did not answer: timed out/, 3],
                    ];

                    for (const [tool, kind, text, requests] of rows) {
                        const before = api.seen.length;
                        const answer = await call(server, tool, { word: kind });

                        assert.equal(answer.isError, true, kind);
                        assert.match(textOf(answer), text);
                        assert.equal(api.seen.length - before, requests, kind);
                        assert.ok(!textOf(answer).includes(SECRET) && !textOf(answer).includes("/words"), textOf(answer));
                    }
                    api.server.closeAllConnections();
                    await new Promise((resolve) => api.server.close(resolve));
                    const answer = await call(server, "api__add_word", { word: "x" });

                    assert.match(textOf(answer), /upstream api did not answer: could not connect/);
                    assert.ok(!server.log().includes(SECRET));
                },
                {
                    config: gateway({
                        url: api.url,
                        tools,
                        auth: { api_key: { in: "query", name: "key", value: SECRET } },
                        retries: { delay_ms: 1 },
                        timeouts: { answer_ms: 1000 },
                        max_response: 1000,
                        breaker: { failures: 0, percent: 0 },
                    }),
                },
            ),
    ));

test("no POST is sent twice, whatever the server does", () =>
    withApi(
        (request, response) => response.destroy(),
        (api) =>
            withGateway(
                "plain",
                async (server) => {
                    const answers = await Promise.all(
                        Array.from({ length: 100 }, (_, i) => call(server, "api__add_word", { word: `w${i}` })),
                    );
                    const words = api.seen.map((request) => JSON.parse(request.body).word);

                    assert.ok(answers.every((answer) => answer.isError));
                    assert.equal(new Set(words).size, words.length);
                    assert.equal(words.length, 100);
                },
                { config: gateway({ url: api.url, tools, breaker: { failures: 0, percent: 0 } }) },
            ),
    ));

test("a cancelled call closes its connection", () =>
    withApi(
        (request, response) => response.on("close", () => (request.closed = true)),
        (api) =>
            withGateway(
                "plain",
                async (server) => {
                    const controller = new AbortController();
                    const params = { name: "api__get_word", arguments: { word: "x" } };
                    const answer = post(server.url, modernMessage("tools/call", params), modernHeaders("tools/call", params), {
                        signal: controller.signal,
                    });

                    await eventually(() => api.seen.length, (n) => n === 1);
                    controller.abort();
                    await assert.rejects(Promise.resolve(answer));
                    assert.equal(await eventually(() => api.seen[0].closed, (closed) => closed), true);
                    assert.equal(api.seen.length, 1);
                },
                { config: gateway({ url: api.url, tools }) },
            ),
    ));

/* With one thread, upstreams are called on the thread that serves; with more, on another. */
for (const threads of ["1", "2"]) {
    test(`${threads}: calls that are cancelled at any moment end, and the others are answered`, () =>
        withApi(
            (request, response) => setTimeout(() => json(response, { ok: true }), Number(request.url.match(/words\/(\d+)/)[1]) % 7),
            (api) =>
                withGateway(
                    "plain",
                    async (server) => {
                        const params = (i) => ({ name: "api__get_word", arguments: { word: String(i) } });
                        const one = (i) => {
                            const controller = new AbortController();
                            const answer = post(server.url, modernMessage("tools/call", params(i)), modernHeaders("tools/call", params(i)), {
                                signal: controller.signal,
                            });

                            if (i % 2) setTimeout(() => controller.abort(), i % 11);
                            return Promise.resolve(answer).then((done) => done.status, () => "aborted");
                        };
                        const outcomes = await Promise.all(Array.from({ length: 300 }, (_, i) => one(i)));

                        for (const [i, outcome] of outcomes.entries()) assert.ok(outcome === 200 || (i % 2 && outcome === "aborted"), `${i}: ${outcome}`);
                        assert.deepEqual((await call(server, "api__get_word", { word: "1" })).structuredContent, { ok: true });
                    },
                    { config: gateway({ url: api.url, tools, max_running: 8, max_waiting: 1000 }), args: ["--threads", threads] },
                ),
        ));

    test(`${threads}: a call that runs when the gateway is told to end is answered`, () =>
        withApi(
            (request, response) => setTimeout(() => json(response, { ok: true }), 300),
            (api) =>
                withGateway(
                    "plain",
                    async (server) => {
                        const answers = [1, 2, 3].map((i) => call(server, "api__get_word", { word: `${i}` }));

                        await eventually(() => api.seen.length, (n) => n === 3);
                        assert.equal(await server.stop("SIGTERM"), 0);
                        for (const answer of answers) assert.deepEqual((await answer).structuredContent, { ok: true });
                        assert.equal(api.seen.length, 3);
                    },
                    { config: gateway({ url: api.url, tools }), args: ["--threads", threads] },
                ),
        ));
}

test("a reload keeps an upstream that is the same, and replaces one that is not", () =>
    withApi(
        (request, response) => {
            const answer = () => json(response, { tenant: request.headers["x-tenant"] }, request.url.includes("bad") ? 500 : 200);

            setTimeout(answer, request.url.includes("slow") ? 500 : 0);
        },
        (api) => {
            const config = (tenant) => gateway({ url: api.url, tools, headers: { set: { "X-Tenant": tenant } }, breaker: { failures: 2 } });

            return withGateway(
                "plain",
                async (server) => {
                    const reload = async (tenant) => {
                        const from = server.log().length;

                        writeFileSync(join(server.directory, "config.json"), JSON.stringify({ log: { level: "notice" }, ...config(tenant) }));
                        server.process.kill("SIGHUP");
                        await until(() => /reloaded|unchanged/.test(server.log().slice(from)), () => server.log());
                    };
                    const broken = async () => /not called for a while/.test(textOf(await call(server, "api__get_word", { word: "x" })));

                    for (let i = 0; i < 2; i++) await call(server, "api__add_word", { word: "x" }).then(() => call(server, "api__get_word", { word: "bad" }));
                    assert.equal((await call(server, "api__get_word", { word: "x" })).structuredContent.tenant, "one");
                    for (let i = 0; i < 2; i++) await call(server, "api__get_word", { word: "bad" });
                    assert.equal(await broken(), true);
                    await reload("one"); /* the breaker is still open */
                    assert.equal(await broken(), true);
                    await reload("two");
                    assert.equal((await call(server, "api__get_word", { word: "x" })).structuredContent.tenant, "two");
                    /* Calls that are going on are answered by the one that they began with. */
                    const before = api.seen.length;
                    const slow = call(server, "api__get_word", { word: "slow" });

                    await eventually(() => api.seen.length, (n) => n > before);
                    await reload("three");
                    assert.equal((await slow).structuredContent.tenant, "two");
                    assert.equal((await call(server, "api__get_word", { word: "x" })).structuredContent.tenant, "three");
                },
                { config: { log: { level: "notice" }, ...config("one") } },
            );
        },
    ));

test("TLS: the certificate must be right, and the client may have one", async () => {
    const folder = mkdtempSync(join(tmpdir(), "haft-upstream-"));
    const at = (name) => join(folder, name);
    const read = (name) => readFileSync(at(name));
    const rows = [
        { server: "here", tls: { ca_file: "authority.pem", certificate: "here.pem", key: "here.key" }, text: /"subject":"here"/ },
        { server: "here", tls: { ca_file: "authority.pem" }, text: /"subject":""/ },
        { server: "here", tls: { ca_file: "stranger.pem" }, text: /upstream api did not answer: the TLS handshake failed/ },
        { server: "here", tls: {}, text: /the TLS handshake failed/ },
        { server: "elsewhere", tls: { ca_file: "authority.pem" }, text: /the TLS handshake failed/ },
        { server: "expired", tls: { ca_file: "authority.pem" }, text: /the TLS handshake failed/ },
        { server: "elsewhere", tls: { verify: false }, text: /"subject":""/ },
    ];

    execFileSync("sh", [fileURLToPath(new URL("../http_client/certificates.sh", import.meta.url)), folder], { stdio: "pipe" });
    try {
        for (const { server: name, tls, text } of rows)
            await withApi(
                (request, response) => json(response, { subject: response.socket.getPeerCertificate().subject?.CN ?? "" }),
                (api) => {
                    const files = Object.entries(tls).map(([key, value]) => [key, typeof value === "string" ? at(value) : value]);

                    return withGateway(
                        "plain",
                        async (server) => assert.match(textOf(await call(server, "api__get_word", { word: "a" })), text),
                        { config: gateway({ url: api.url, tools, tls: Object.fromEntries(files) }) },
                    );
                },
                { cert: read(`${name}.pem`), key: read(`${name}.key`), ca: read("authority.pem"), requestCert: true, rejectUnauthorized: false },
            );
    } finally {
        rmSync(folder, { recursive: true });
    }
});

test("an OpenAPI document, with credentials by security scheme", () =>
    withApi(
        (request, response) => json(response, request.url.startsWith("/pets/") ? { id: 1, name: "Rex" } : [{ id: 1, name: "Rex" }]),
        (api) => {
            const pet = { type: "object", properties: { id: { type: "integer" }, name: { type: "string" } }, required: ["id"] };
            const ok = (schema) => ({ 200: { description: "", content: { "application/json": { schema } } } });
            const document = {
                openapi: "3.0.3",
                info: { title: "Pets", version: "1" },
                servers: [{ url: "http://169.254.169.254/latest" }],
                components: {
                    schemas: { Pet: pet },
                    securitySchemes: {
                        key: { type: "apiKey", in: "header", name: "X-Pets-Key" },
                        login: { type: "http", scheme: "basic" },
                    },
                },
                paths: {
                    "/pets": {
                        get: {
                            operationId: "listPets",
                            description: "Lists pets",
                            security: [{ login: [] }, { key: [] }],
                            parameters: [{ name: "tags", in: "query", schema: { type: "array", items: { type: "string" } } }],
                            responses: ok({ type: "array", items: { $ref: "#/components/schemas/Pet" } }),
                        },
                    },
                    "/pets/{id}": {
                        parameters: [{ name: "id", in: "path", required: true, schema: { type: "integer" } }],
                        get: { operationId: "getPet", description: "Returns a pet", responses: ok({ $ref: "#/components/schemas/Pet" }) },
                        delete: {
                            operationId: "deletePet",
                            description: "Deletes a pet",
                            servers: [{ url: "https://elsewhere.example" }],
                            responses: { 204: { description: "" } },
                        },
                        put: { operationId: "bad", description: "x", requestBody: { $ref: "other.yaml#/Pet" }, responses: {} },
                    },
                },
            };

            return withGateway(
                "plain",
                async (server) => {
                    const tools = await listed(server);
                    const list = await call(server, "api__listPets", { tags: ["a", "b c"] });
                    const one = await call(server, "api__getPet", { id: 1 });

                    assert.deepEqual(tools.map((tool) => tool.name).sort(), ["api__getPet", "api__listPets"]);
                    await until(() => /DELETE \/pets\/{id} is left out: it is for another server/.test(server.log()), "its line in the log");
                    await until(() => /PUT \/pets\/{id} is left out: .*other\.yaml/.test(server.log()), "its line in the log");
                    assert.deepEqual(list.structuredContent, { result: [{ id: 1, name: "Rex" }] });
                    assert.deepEqual(one.structuredContent, { id: 1, name: "Rex" });
                    assert.equal(api.seen[0].url, "/pets?tags=a&tags=b%20c");
                    assert.equal(api.seen[0].headers["x-pets-key"], SECRET);
                    assert.ok(!("x-pets-key" in api.seen[1].headers));
                    assert.ok(!JSON.stringify(tools).includes(SECRET) && !server.log().includes(SECRET));
                },
                {
                    config: gateway({ url: api.url, openapi: "{DIR}/pets.json", security: { key: { api_key: { value: "@{DIR}/key.txt" } } } }),
                    files: { "pets.json": JSON.stringify(document), "key.txt": `${SECRET}\n` },
                },
            );
        },
    ));

test("the URL of a document must be public", () =>
    withApi(
        (request, response) => json(response, {}),
        (api) => {
            const document = (url) => ({
                openapi: "3.1.0",
                info: { title: "x", version: "1" },
                servers: [{ url }],
                paths: { "/x": { get: { operationId: "x", description: "x", responses: { 200: { description: "" } } } } },
            });

            return withGateway(
                "plain",
                async (server) => {
                    const answer = await call(server, "api__x");

                    assert.match(textOf(answer), /upstream api did not answer: connecting to this address is not allowed/);
                    assert.equal(api.seen.length, 0);
                },
                { config: gateway({ openapi: document(api.url) }) },
            );
        },
    ));

test("cached results are those of the headers that the upstream got", () =>
    withApi(
        (request, response) => json(response, { tenant: request.headers["x-tenant"] ?? null }),
        (api) =>
            withGateway(
                "plain",
                async (server) => {
                    const of = async (headers) => (await call(server, "api__who", {}, { headers })).structuredContent;
                    const one = await of({ "X-Tenant": "A" });

                    assert.equal(one.tenant, "A");
                    assert.equal((await of({ "X-Tenant": "B" })).tenant, "B");
                    assert.equal((await of({})).tenant, null);
                    assert.deepEqual(await of({ "X-Tenant": "A", "X-Other": "ignored" }), one);
                    assert.equal(api.seen.length, 3);
                },
                {
                    config: {
                        gateway: {
                            upstreams: {
                                api: {
                                    http: {
                                        url: api.url,
                                        headers: { forward: ["X-Tenant"] },
                                        tools: { who: { description: "Says whose it is", path: "/who", read_only: true } },
                                    },
                                },
                            },
                            endpoints: [{}],
                            shaping: [{ tools: "*", cache: { seconds: 600 }, coalesce: true }],
                        },
                    },
                },
            ),
    ));

test("an OpenAPI document in YAML", () =>
    withApi(
        (request, response) => json(response, { url: request.url }),
        (api) => {
            const document = `
openapi: 3.1.0
info: {title: Words, version: "1"}
paths:
  /words/{word}:
    get:
      operationId: getWord
      description: Returns a word
      parameters:
        - {name: word, in: path, required: true, description: The word, schema: {type: string}}
      responses:
        "200": {description: The word}
`;

            return withGateway(
                "plain",
                async (server) => {
                    assert.deepEqual((await call(server, "api__getWord", { word: "a" })).structuredContent, { url: "/words/a" });
                },
                { config: gateway({ url: api.url, openapi: "{DIR}/words.yaml" }), files: { "words.yaml": document } },
            );
        },
    ));
