/* http-checks-transport.mjs - what HTTP itself owes a client, whatever the message: who may ask, how, and
 * with which status a refusal comes.
 *
 * A check takes the address of an endpoint.  Through the same functions a healthy server passes and a
 * broken one is caught. */

import assert from "node:assert/strict";
import http from "node:http";
import {
    LEGACY,
    META,
    MODERN,
    Session,
    ask,
    assertError,
    call,
    envelope,
    modernHeaders,
    modernMessage,
    post,
    raw,
    send,
    settle,
    textOf,
} from "./http-client.mjs";

const LIST = { jsonrpc: "2.0", id: 1, method: "tools/list" };
const modernList = () => [modernMessage("tools/list", {}, { id: 1 }), modernHeaders("tools/list")];
const base64 = (text) => `=?base64?${Buffer.from(text).toString("base64")}?=`;
const NOTHING = { method: "notifications/initialized", jsonrpc: "2.0" };

/* ---- who may ask ---- */

const origin = async (url) => {
    const { host, port } = new URL(url);
    const foreign = ["http://evil.example.com", `http://evil.example.com:${port}`, "null", "file://", "http://127.0.0.1.evil.example.com"];

    for (const value of foreign) {
        await assertError(await post(url, LIST, { origin: value }), 403, -32600);
        const [message, headers] = modernList();
        await assertError(await post(url, message, { ...headers, origin: value }), 403, -32600);
        for (const method of ["GET", "DELETE", "OPTIONS"])
            assert.equal((await send(url, { method, headers: { origin: value } })).status, 403, method);
    }
    for (const value of [`http://${host}`, "http://localhost:1234", "https://127.0.0.1"])
        assert.equal((await post(url, LIST, { origin: value })).status, 200, value);
};

const host = async (url) => {
    for (const value of ["evil.example.com", "127.0.0.1.evil.example.com", "localhost.evil:80", "evil@127.0.0.1"])
        assert.equal((await post(url, LIST, { host: value })).status, 403, value);
    for (const value of ["localhost", "LocalHost:8808", "[::1]:1", new URL(url).host])
        assert.equal((await post(url, LIST, { host: value })).status, 200, value);
};

const hosts = async (url) => {
    const none = await raw(url, "POST /mcp HTTP/1.1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");

    assert.match(none, /^HTTP\/1.1 40[03] /, "a request without a host");
    const two = await raw(url, "GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: evil\r\n\r\n");

    assert.match(two, /^HTTP\/1.1 400 /, "a request with two hosts");
};

/* ---- versions ---- */

const versionMissing = async (url) => {
    const [message, headers] = modernList();
    const answer = await post(url, message, { ...headers, "mcp-protocol-version": undefined });

    await assertError(answer, 400, -32020, 1);
};

const versionInvalid = async (url) => {
    const session = await Session.open(url);
    const bad = { "mcp-protocol-version": "1999-01-01" };

    for (const message of [LIST, NOTHING]) {
        assert.equal((await post(url, message, bad)).status, 400, "without a session");
        assert.equal((await session.post(message, bad)).status, 400, "with a session");
    }
    for (const method of ["GET", "DELETE"]) {
        const headers = session.headers({ ...bad, accept: "text/event-stream" });
        const answer = await send(url, { method, headers });

        answer.close();
        assert.equal(answer.status, 400, method);
    }
    assert.equal(await session.end(), 200);
};

/* ---- messages that are not answered, and things that are no messages ---- */

const notifications = async (url) => {
    const session = await Session.open(url);
    const none = { jsonrpc: "2.0", method: "notifications/anything", params: { a: 1 } };
    const claim = { ...none, params: { _meta: envelope() } };
    const ways = [
        await session.post(none),
        await session.post(NOTHING),
        await session.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 99 } }),
        await session.post({ jsonrpc: "2.0", id: 77, result: {} }),
        await post(url, none),
        await post(url, none, { "mcp-protocol-version": "2025-06-18" }),
        await post(url, none, { "mcp-protocol-version": MODERN }),
        await post(url, claim, { "mcp-protocol-version": MODERN }),
        await post(url, claim),
    ];

    for (const [i, answer] of ways.entries()) {
        assert.equal(answer.status, 202, `${i}`);
        assert.equal(await answer.text(), "", `${i}`);
        assert.equal(answer.headers["content-type"], undefined);
        assert.equal(answer.headers["content-length"], "0");
    }
};

const eras = [{}, ...[...LEGACY, MODERN].map((revision) => ({ "mcp-protocol-version": revision }))];

const malformed = async (url) => {
    const session = await Session.open(url);

    const texts = ["", "{", "{]", "nonsense", '{"jsonrpc":"2.0","id":1,}', '{"a":"\\ud800"}', "\u0000"];

    for (const text of [...texts, Buffer.from([0x22, 0xff, 0x22])])
        for (const era of [...eras, session.headers()])
            await assertError(await post(url, text, era), 400, -32700);
};

const invalid = async (url) => {
    const session = await Session.open(url);
    const rows = [
        ['"text"'],
        ["1"],
        ["null"],
        ["true"],
        ["{}"],
        ['{"jsonrpc":"2.0"}'],
        ['{"jsonrpc":"1.0","id":3,"method":"ping"}', 3],
        ['{"id":"x","method":"ping"}', "x"],
        ['{"jsonrpc":"2.0","id":null,"method":"ping"}'],
        ['{"jsonrpc":"2.0","id":1.5,"method":"ping"}'],
        ['{"jsonrpc":"2.0","id":{},"method":"ping"}'],
        ['{"jsonrpc":"2.0","id":4,"method":7}', 4],
        ['{"jsonrpc":"2.0","id":5,"method":"ping","params":[]}', 5],
        ['{"jsonrpc":"2.0","method":"notifications/x","params":[]}'],
        ['{"jsonrpc":"2.0","result":{}}'],
    ];

    for (const [text, id] of rows)
        for (const era of [...eras, session.headers()])
            await assertError(await post(url, text, era), 400, -32600, id);
};

const modernResponses = async (url) => {
    for (const part of [{ result: {} }, { error: { code: 1, message: "no" } }])
        await assertError(
            await post(url, { jsonrpc: "2.0", id: 1, ...part }, { "mcp-protocol-version": MODERN }),
            400,
            -32600,
        );
};

/* ---- GET and DELETE ---- */

const getAndDelete = async (url) => {
    const session = await Session.open(url);
    const modern = { "mcp-protocol-version": MODERN };
    const accept = "text/event-stream";

    for (const method of ["GET", "DELETE"]) {
        for (const more of [{}, modern, { "last-event-id": "1-1" }]) {
            const answer = await send(url, { method, headers: { accept, ...more } });

            assert.equal(answer.headers.allow, "POST", "405 says what is allowed");
            await assertError(answer, 405, -32600);
        }
        for (const id of ["unknown", "0".repeat(32), "", session.id.toUpperCase() + "0"])
            await assertError(await send(url, { method, headers: { accept, "mcp-session-id": id } }), 404, -32600);
        await assertError(await send(url, { method, headers: session.headers({ accept, ...modern }) }), 405, -32600);
    }
    const stream = await session.get();

    assert.equal(stream.status, 200);
    assert.equal(stream.headers["content-type"], "text/event-stream");
    const second = await session.get();
    await assertError(second, 409, -32600);
    stream.close();
    const wrong = await send(url, { method: "GET", headers: session.headers({ accept: "application/json" }) });
    await assertError(wrong, 406, -32600);
    assert.equal(await session.end(), 200);
};

const modernIgnoresSessions = async (url) => {
    const session = await Session.open(url);
    const plain = await ask(url, "tools/list");

    for (const id of ["unknown", session.id]) {
        const headers = { "mcp-session-id": id, "last-event-id": "1-0" };
        const listed = await ask(url, "tools/list", {}, { headers });

        assert.deepEqual(listed.response.result, plain.response.result);
        const { notifications, events } = await call(url, "test_tool_with_progress", {}, { headers, meta: { progressToken: 1 } });
        assert.equal(notifications.length, 3);
        assert.equal(events.length, 4, "nothing is replayed");
    }
};

/* ---- headers that must agree ---- */

const baseName = async (url) => {
    const uri = "test://template/na%C3%AFve%207/data";
    const rows = [
        ["tools/call", { name: "test_simple_text" }, base64("test_simple_text"), 200],
        ["tools/call", { name: "test_simple_text" }, "  test_simple_text\t", 200],
        ["tools/call", { name: "test_simple_text" }, base64("test_simple_tex"), 400],
        ["tools/call", { name: "test_simple_text" }, "=?BASE64?dGVzdA==?=", 400],
        ["tools/call", { name: "test_simple_text" }, "=?base64?!!!?=", 400],
        ["tools/call", { name: "test_simple_text" }, "=?base64?dGVzdF9zaW1wbGVfdGV4dA?=", 400],
        ["tools/call", { name: "test_simple_text" }, undefined, 400],
        ["tools/call", { name: "test_simple_text" }, "", 400],
        ["tools/call", { name: "test_simple_text" }, "Test_Simple_Text", 400],
        ["resources/read", { uri }, base64(uri), 200],
        ["resources/read", { uri: "test://static-text" }, "test://static-text", 200],
        ["resources/read", { uri: "test://static-text" }, base64("test://static-binary"), 400],
        ["prompts/get", { name: "test_simple_prompt" }, base64("test_simple_prompt"), 200],
        ["prompts/get", { name: "test_simple_prompt" }, "other", 400],
        ["tools/list", {}, "whatever", 200],
    ];

    for (const [method, params, name, status] of rows) {
        const message = modernMessage(method, params);
        const answer = await post(url, message, modernHeaders(method, params, { "mcp-name": name }));
        const { response } = await settle(answer, message, MODERN);

        assert.equal(answer.status, status, `${method} ${name}`);
        if (status === 400) assert.equal(response.error.code, -32020);
        else assert.ok(response.result, JSON.stringify(response));
    }
};

const methodHeader = async (url) => {
    const message = modernMessage("tools/list");

    for (const [name, value, status] of [
        ["mcp-method", "tools/list", 200],
        ["MCP-METHOD", " tools/list ", 200],
        ["mcp-method", "TOOLS/LIST", 400],
        ["mcp-method", "prompts/list", 400],
        ["mcp-method", base64("tools/list"), 400],
        ["mcp-method", undefined, 400],
        ["mcp-method", "", 400],
    ]) {
        const answer = await post(url, message, { "mcp-protocol-version": MODERN, [name]: value });
        const { response } = await settle(answer, message, MODERN);

        assert.equal(answer.status, status, `${name}: ${value}`);
        if (status === 400) assert.equal(response.error.code, -32020);
    }
};

/* Arguments of `routed`, headers, and whether they agree. */
const params = async (url) => {
    const MAX = "9007199254740991";
    const rows = [
        [{}, {}, true],
        [{ count: 42 }, { count: "42" }, true],
        [{ count: 42 }, { count: "42.0" }, true],
        [{ count: 42 }, { count: "4.2e1" }, true],
        [{ count: 42 }, { count: base64("42") }, true],
        [{ count: 42 }, { count: " 42 " }, true],
        [{ count: 42 }, { count: "43" }, false],
        [{ count: 42 }, { count: "forty-two" }, false],
        [{ count: 42 }, { count: "0x2a" }, false],
        [{ count: 42 }, { count: "" }, false],
        [{ count: 42 }, {}, false],
        [{ count: 0 }, { count: "0" }, true],
        [{ count: -7 }, { count: "-7" }, true],
        [`{"count":${MAX}}`, { count: MAX }, true],
        [`{"count":-${MAX}}`, { count: `-${MAX}` }, true],
        [`{"count":${MAX}}`, { count: "9007199254740992" }, false],
        [`{"count":${MAX}}`, { count: "9007199254740990" }, false],
        [{ urgent: true }, { urgent: "true" }, true],
        [{ urgent: true }, { urgent: "True" }, false],
        [{ urgent: false }, { urgent: "false" }, true],
        [{ urgent: false }, { urgent: "0" }, false],
        [{ region: "Hello" }, { region: base64("Hello") }, true],
        [{ region: "Grüße" }, { region: base64("Grüße") }, true],
        [{ region: "" }, { region: "" }, true],
        [{ region: "a" }, {}, false],
        [{}, { region: "a" }, false],
        [{ region: "a" }, { region: "A" }, false],
        [{ place: { zone: "z" } }, { zone: "z" }, true],
        [{ place: { zone: "z" } }, { zone: "y" }, false],
        [{ place: { zone: "z" } }, {}, false],
        [{ place: {} }, {}, true],
        [{ place: {} }, { zone: "z" }, false],
        [{}, { zone: "z" }, false],
        [{ note: null }, {}, true],
        [{ note: null }, { note: "x" }, false],
        [{ note: "x" }, { note: "x" }, true],
        [{ note: "x" }, {}, false],
        [{}, { unheard: "of" }, true],
    ];

    for (const [args, given, agree] of rows) {
        const headers = Object.fromEntries(Object.entries(given).map(([name, value]) => [`mcp-param-${name}`, value]));
        const message = modernMessage("tools/call", { name: "routed", arguments: "ARGUMENTS" });
        const text = typeof args === "string" ? args : JSON.stringify(args);
        const answer = await post(
            url,
            JSON.stringify(message).replace('"ARGUMENTS"', text),
            modernHeaders("tools/call", { name: "routed" }, headers),
        );
        const { response } = await settle(answer, message, MODERN);
        const what = `${text} ${JSON.stringify(given)}: ${JSON.stringify(response)}`;

        assert.equal(answer.status, agree ? 200 : 400, what);
        if (agree) assert.ok(!response.result.isError, what);
        else assert.equal(response.error.code, -32020, what);
    }
};

/* Beyond 2^53 a number is no integer that every reader agrees on. */
const paramBounds = async (url) => {
    for (const digits of ["9007199254740993", "-9007199254740993"]) {
        const message = modernMessage("tools/call", { name: "routed", arguments: { count: 1 } });
        const text = JSON.stringify(message).replace('"count":1', `"count":${digits}`);
        const headers = (count) => modernHeaders("tools/call", { name: "routed" }, { "mcp-param-count": count });
        const near = await post(url, text, headers(digits.replace(/3$/, "2")));

        assert.equal(near.status, 400, "a neighbour is not the same number");
        assert.equal((await near.json()).error.code, -32020);
    }
};

/* What a header may not hold at all is refused before anybody compares it. */
const paramCharacters = async (url) => {
    const message = modernMessage("tools/call", { name: "routed", arguments: { region: "a\u00e9b" } }, { id: 5 });
    const body = JSON.stringify(message);
    const head = (value) =>
        Buffer.concat([
            Buffer.from(
                `POST /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n` +
                    `MCP-Protocol-Version: ${MODERN}\r\nMcp-Method: tools/call\r\nMcp-Name: routed\r\n` +
                    `Content-Length: ${Buffer.byteLength(body)}\r\nMcp-Param-Region: `,
            ),
            value,
            Buffer.from(`\r\n\r\n${body}`),
        ]);

    for (const value of [
        Buffer.from("a\u00e9b"),
        Buffer.from("a\u00e9b", "latin1"),
        Buffer.from("a\tb"),
        Buffer.from("a\u007fb"),
    ]) {
        const answer = await raw(url, head(value));

        assert.match(answer, /^HTTP\/1.1 400 /, JSON.stringify(value.toString("latin1")));
    }
    assert.match(await raw(url, head(Buffer.from(base64("a\u00e9b")))), /^HTTP\/1.1 200 /);
    assert.match(await raw(url, head(Buffer.from("a\u0000b"))), /^HTTP\/1.1 400 /);
};

/* ---- the order of checks (5.5) ---- */

/* Each row breaks everything from some point on; the first broken thing is what is told. */
const order = async (url) => {
    const version = { [`${META}protocolVersion`]: MODERN, [`${META}clientCapabilities`]: {} };
    const tool = { name: "routed", arguments: { region: "a" } };
    const rows = [
        ["not JSON", "{", {}, 400, -32700],
        ["no message", '{"jsonrpc":"2.0","id":1,"method":1}', { "mcp-protocol-version": MODERN }, 400, -32600],
        ["no header", ["none/such", version], {}, 400, -32020],
        ["no _meta", ["none/such"], { "mcp-protocol-version": MODERN }, 400, -32602],
        [
            "no version in it",
            ["none/such", { [`${META}clientCapabilities`]: {} }],
            { "mcp-protocol-version": MODERN },
            400,
            -32602,
        ],
        [
            "no capabilities in it",
            ["none/such", { [`${META}protocolVersion`]: "v999" }],
            { "mcp-protocol-version": MODERN },
            400,
            -32602,
        ],
        [
            "header and _meta differ",
            ["none/such", { ...version, [`${META}protocolVersion`]: "v999" }],
            { "mcp-protocol-version": MODERN },
            400,
            -32020,
        ],
        ["an unknown header, a known _meta", ["none/such", version], { "mcp-protocol-version": "v999" }, 400, -32020],
        [
            "a version that is not served",
            ["none/such", { ...version, [`${META}protocolVersion`]: "v999" }],
            { "mcp-protocol-version": "v999" },
            400,
            -32022,
        ],
        ["no Mcp-Method", ["none/such", version], { "mcp-protocol-version": MODERN }, 400, -32020],
        [
            "no such method",
            ["none/such", version],
            { "mcp-protocol-version": MODERN, "mcp-method": "none/such" },
            404,
            -32601,
        ],
        [
            "no Mcp-Name",
            ["tools/call", version, tool],
            { "mcp-protocol-version": MODERN, "mcp-method": "tools/call" },
            400,
            -32020,
        ],
        [
            "no Mcp-Param",
            ["tools/call", version, { ...tool, arguments: { region: "a", nonsense: 1 } }],
            { "mcp-protocol-version": MODERN, "mcp-method": "tools/call", "mcp-name": "routed" },
            400,
            -32020,
        ],
        [
            "no such tool",
            ["tools/call", version, { name: "none" }],
            { "mcp-protocol-version": MODERN, "mcp-method": "tools/call", "mcp-name": "none" },
            200,
            -32602,
        ],
    ];

    for (const [what, body, headers, status, code] of rows) {
        const [method, _meta, more] = Array.isArray(body) ? body : [];
        const message = method ? { jsonrpc: "2.0", id: 1, method, params: { ...more, ...(_meta && { _meta }) } } : body;
        const answer = await post(url, message, headers);

        assert.equal(answer.status, status, what);
        const said = await answer.json();
        assert.equal(said.error?.code, code, `${what}: ${JSON.stringify(said)}`);
        if (code !== -32700) assert.equal(said.id, 1, what);
        if (code === -32022) assert.deepEqual(said.error.data, { supported: [MODERN], requested: "v999" });
    }
};

/* ---- plain HTTP ---- */

const accepts = async (url) => {
    const session = await Session.open(url);

    for (const accept of [undefined, "*/*", "application/json", "application/*", "text/html, */*;q=0.1", "text/event-stream"]) {
        const answer = await post(url, LIST, { accept });

        assert.equal(answer.status, 200, accept);
        const type = accept === "text/event-stream" ? "text/event-stream" : "application/json";
        assert.equal(answer.headers["content-type"], type, accept);
        const { response } = await settle(answer, LIST, "2025-03-26");
        assert.ok(response.result.tools.length > 0);
        assert.equal((await session.post(LIST, { accept })).status, 200);
    }
    await assertError(await post(url, LIST, { accept: "text/html" }), 406, -32600);
    await assertError(await post(url, LIST, { accept: "image/png, text/plain" }), 406, -32600);
    const listen = modernMessage("subscriptions/listen", { notifications: { toolsListChanged: true } }, { id: 8 });
    const headers = modernHeaders("subscriptions/listen", {}, { accept: "application/json" });

    assert.equal((await post(url, listen, headers)).status, 406, "a stream to somebody who takes none");
};

const statuses = async (url) => {
    const { origin: root } = new URL(url);

    assert.equal((await post(`${url}/`, LIST)).status, 200, "a slash at the end");
    assert.equal((await post(`${url}?a=${"b".repeat(2000)}`, LIST)).status, 200, "a query is nothing to it");
    assert.equal((await post(`${root}/%6Dcp`, LIST)).status, 200, "a letter written otherwise");
    for (const path of ["/", "/mcp/x", "/mcpx", "/MCP", "/mcp//", "/sse", "/messages"])
        await assertError(await post(root + path, LIST), 404, -32600);
    assert.equal((await send(`${root}/sse`, { method: "GET" })).status, 404, "not unless it is asked for");
    for (const type of [undefined, "text/plain", "application/jsonx", "application/xml", "multipart/form-data"])
        await assertError(await post(url, LIST, { "content-type": type }), 415, -32600);
    for (const type of ["application/json; charset=utf-8", "Application/JSON"])
        assert.equal((await post(url, LIST, { "content-type": type })).status, 200, type);
    for (const method of ["PUT", "PATCH", "OPTIONS", "TRACE"]) {
        const answer = await send(url, { method });

        assert.equal(answer.headers.allow, "POST, GET, DELETE", method);
        await assertError(answer, 405, -32600);
    }
};

const sizes = async (url) => {
    const { origin: root } = new URL(url);
    const big = JSON.stringify({ ...LIST, params: { pad: "x".repeat(5 << 20) } });
    const chunked = { "transfer-encoding": "chunked" };

    assert.equal((await post(url, big)).status, 413);
    assert.equal((await post(url, big, chunked)).status, 413);
    const declared = await raw(url, `POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999\r\n\r\n`);
    assert.match(declared, /^HTTP\/1.1 413 /, "refused before it comes");
    assert.equal((await send(`${root}/${"x".repeat(9000)}`, { method: "GET" })).status, 414);
    assert.equal((await post(url, LIST, { "x-long": "x".repeat(15000), "x-longer": "y".repeat(2000) })).status, 431);
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`x-${i}`, "1"]));
    assert.equal((await post(url, LIST, many)).status, 431);
    for (const text of ["GET\r\n\r\n", "POST /mcp HTTP/9.9\r\n\r\n", "\u0016\u0003\u0001", "G ET / HTTP/1.1\r\n\r\n"])
        assert.match(await raw(url, text), /^HTTP\/1.1 (400|505) /, JSON.stringify(text));
    const smuggled =
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
    assert.match(await raw(url, smuggled), /^HTTP\/1.1 400 /, "two lengths");
};

/* A body in answer to HEAD would be taken for the next response. */
const head = async (url) => {
    const { origin: root } = new URL(url);
    const lines = (path) => `HEAD ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
    const last = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

    for (const [path, status] of [
        ["/mcp", 405],
        ["/healthz", 200],
        ["/readyz", 200],
        ["/none", 404],
    ]) {
        const heard = await raw(url, lines(path) + last);
        const [first, second] = heard.split("\r\n\r\n");

        assert.ok(first.startsWith(`HTTP/1.1 ${status} `), first);
        assert.ok(second?.startsWith("HTTP/1.1 200 "), `nothing between: ${heard}`);
    }
    assert.equal((await send(`${root}/healthz`, { method: "HEAD" })).status, 200);
};

const probes = async (url) => {
    const { origin: root } = new URL(url);

    for (const path of ["/healthz", "/readyz"]) {
        const answer = await send(root + path, { method: "GET", headers: { host: "balancer.internal" } });

        assert.equal(answer.status, 200);
        assert.equal(answer.headers["cache-control"], "no-store");
        assert.deepEqual(await answer.json(), { status: "ok" });
    }
};

/* Answers keep the order of the requests on a connection, fast and slow ones alike. */
const pipelining = async (url) => {
    const one = (message, more = "") => {
        const body = JSON.stringify(message);

        return (
            `POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${more}` +
            `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
        );
    };
    const slow = { jsonrpc: "2.0", id: "slow", method: "tools/call", params: { name: "work", arguments: {} } };
    const heard = await raw(
        url,
        one(slow) +
            one({ ...LIST, id: "b" }) +
            one({ jsonrpc: "2.0", method: "notifications/x" }) +
            one({ ...LIST, id: "c", method: "ping" }, "Connection: close\r\n"),
    );

    assert.deepEqual(heard.match(/HTTP\/1.1 \d+/g), ["200", "200", "202", "200"].map((n) => `HTTP/1.1 ${n}`));
    assert.deepEqual(heard.match(/"id":"\w+"/g), ["slow", "b", "c"].map((id) => `"id":"${id}"`));
};

const oneByte = async (url) => {
    const body = JSON.stringify(LIST);
    const text =
        `POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\n` +
        `Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    const { hostname, port } = new URL(url);
    const heard = await new Promise((resolve, reject) => {
        const socket = http.Agent.prototype.createConnection({ host: hostname, port });
        let all = "";

        socket.setNoDelay(true);
        socket.on("data", (more) => (all += more));
        socket.on("close", () => resolve(all));
        socket.on("error", reject);
        (async () => {
            for (const byte of text) {
                socket.write(byte);
                await new Promise((next) => setImmediate(next));
            }
        })();
    });

    assert.match(heard, /^HTTP\/1.1 200 /);
    const old = await raw(
        url,
        `POST /mcp HTTP/1.0\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    assert.match(old, /^HTTP\/1.1 200 /, "HTTP/1.0, ended by the end of the connection");
    const polite = await raw(
        url,
        `POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nExpect: 100-continue\r\n` +
            `Content-Length: ${body.length}\r\n\r\n`,
        { enough: (so) => so.includes("\r\n\r\n") },
    );
    assert.match(polite, /^HTTP\/1.1 100 Continue\r\n\r\n/);
};

/* On which server, and what. */
export const transport = {
    "Origin alone": ["everything", origin],
    Host: ["everything", host],
    "no Host, and two": ["everything", hosts],
    "MCP-Protocol-Version is missing": ["everything", versionMissing],
    "MCP-Protocol-Version is invalid": ["everything", versionInvalid],
    "202 for what is not answered": ["everything", notifications],
    "-32700": ["everything", malformed],
    "-32600": ["everything", invalid],
    "responses on 2026-07-28": ["everything", modernResponses],
    "GET and DELETE": ["everything", getAndDelete],
    "sessions are nothing to 2026-07-28": ["everything", modernIgnoresSessions],
    "Mcp-Name": ["everything", baseName],
    "Mcp-Method": ["everything", methodHeader],
    "Mcp-Param": ["driver", params],
    "Mcp-Param beyond 2^53": ["driver", paramBounds],
    "Mcp-Param of invalid characters": ["driver", paramCharacters],
    "the order of checks": ["driver", order],
    Accept: ["everything", accepts],
    "paths, types, methods": ["everything", statuses],
    "sizes, and what is no HTTP": ["everything", sizes],
    HEAD: ["everything", head],
    "probes": ["everything", probes],
    pipelining: ["driver", pipelining],
    "pieces, HTTP/1.0, 100-continue": ["everything", oneByte],
};

export { textOf };
