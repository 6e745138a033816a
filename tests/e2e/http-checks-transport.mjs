/* http-checks-transport.mjs - what HTTP itself owes a client, whatever the message: who may ask, how, and
 * with which status a refusal comes.
 *
 * A check takes the address of an endpoint.  Through the same functions a healthy server passes and a
 * broken one is caught. */

import assert from "node:assert/strict";
import http from "node:http";
import {
    LEGACY,
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
} from "./http-client.mjs";

const LIST = { jsonrpc: "2.0", id: 1, method: "tools/list" };
const modernList = () => [modernMessage("tools/list", {}, { id: 1 }), modernHeaders("tools/list")];
const NOTHING = { method: "notifications/initialized", jsonrpc: "2.0" };

/* ---- who may ask ---- */

const origin = async (url) => {
    const { host, port } = new URL(url);
    const foreign = [
        "http://evil.example.com",
        `http://evil.example.com:${port}`,
        "null",
        "file://",
        "http://127.0.0.1.evil.example.com",
    ];

    for (const value of foreign) {
        await assertError(await post(url, LIST, { origin: value }), 403, -32600);
        const [message, headers] = modernList();
        await assertError(await post(url, message, { ...headers, origin: value }), 403, -32600);
        for (const method of ["GET", "DELETE", "OPTIONS"])
            assert.equal(
                (await send(url, { method, headers: { origin: value } })).status,
                403,
                method,
            );
    }
    for (const value of [`http://${host}`, "http://localhost:1234", "https://127.0.0.1"])
        assert.equal((await post(url, LIST, { origin: value })).status, 200, value);
};

const host = async (url) => {
    for (const value of [
        "evil.example.com",
        "127.0.0.1.evil.example.com",
        "localhost.evil:80",
        "evil@127.0.0.1",
    ])
        assert.equal((await post(url, LIST, { host: value })).status, 403, value);
    for (const value of ["localhost", "LocalHost:8808", "[::1]:1", new URL(url).host])
        assert.equal((await post(url, LIST, { host: value })).status, 200, value);
};

const hosts = async (url) => {
    const none = await raw(
        url,
        "POST /mcp HTTP/1.1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
    );

    assert.match(none, /^HTTP\/1.1 400 /, "a request without a host");
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
        await session.post({
            jsonrpc: "2.0",
            method: "notifications/cancelled",
            params: { requestId: 99 },
        }),
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

    const texts = [
        "",
        "{",
        "{]",
        "nonsense",
        '{"jsonrpc":"2.0","id":1,}',
        '{"a":"\\ud800"}',
        "\u0000",
    ];

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
            await assertError(
                await send(url, { method, headers: { accept, "mcp-session-id": id } }),
                404,
                -32600,
            );
        await assertError(
            await send(url, { method, headers: session.headers({ accept, ...modern }) }),
            405,
            -32600,
        );
    }
    const stream = await session.get();

    assert.equal(stream.status, 200);
    assert.equal(stream.headers["content-type"], "text/event-stream");
    const second = await session.get();

    assert.equal(second.status, 200, "a client may have several");
    assert.equal(second.headers["content-type"], "text/event-stream");
    second.close();
    stream.close();
    const wrong = await send(url, {
        method: "GET",
        headers: session.headers({ accept: "application/json" }),
    });
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
        const { notifications, events } = await call(
            url,
            "test_tool_with_progress",
            {},
            { headers, meta: { progressToken: 1 } },
        );
        assert.equal(notifications.length, 3);
        assert.equal(events.length, 4, "nothing is replayed");
    }
};

/* ---- plain HTTP ---- */

const accepts = async (url) => {
    const session = await Session.open(url);

    for (const accept of [
        undefined,
        "*/*",
        "application/json",
        "application/*",
        "text/html, */*;q=0.1",
        "text/event-stream",
    ]) {
        const answer = await post(url, LIST, { accept });

        assert.equal(answer.status, 200, accept);
        const type = accept === "text/event-stream" ? "text/event-stream" : "application/json";
        assert.equal(answer.headers["content-type"], type, accept);
        const { response } = await settle(answer, LIST, "2025-03-26");
        assert.ok(response.result?.tools.length > 0);
        assert.equal((await session.post(LIST, { accept })).status, 200);
    }
    await assertError(await post(url, LIST, { accept: "text/html" }), 406, -32600);
    await assertError(await post(url, LIST, { accept: "image/png, text/plain" }), 406, -32600);
    const listen = modernMessage(
        "subscriptions/listen",
        { notifications: { toolsListChanged: true } },
        { id: 8 },
    );
    const headers = modernHeaders("subscriptions/listen", {}, { accept: "application/json" });

    assert.equal(
        (await post(url, listen, headers)).status,
        406,
        "a stream to somebody who takes none",
    );
};

const statuses = async (url) => {
    const { origin: root } = new URL(url);

    assert.equal((await post(`${url}/`, LIST)).status, 200, "a slash at the end");
    assert.equal(
        (await post(`${url}?a=${"b".repeat(2000)}`, LIST)).status,
        200,
        "a query is nothing to it",
    );
    assert.equal((await post(`${root}/%6Dcp`, LIST)).status, 200, "a letter written otherwise");
    for (const path of ["/", "/mcp/x", "/mcpx", "/MCP", "/mcp//", "/sse", "/messages"])
        await assertError(await post(root + path, LIST), 404, -32600);
    assert.equal(
        (await send(`${root}/sse`, { method: "GET" })).status,
        404,
        "not unless it is asked for",
    );
    for (const type of [
        undefined,
        "text/plain",
        "application/jsonx",
        "application/xml",
        "multipart/form-data",
    ])
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
    const declared = await raw(
        url,
        `POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999\r\n\r\n`,
    );
    assert.match(declared, /^HTTP\/1.1 413 /, "refused before it comes");
    assert.equal((await send(`${root}/${"x".repeat(9000)}`, { method: "GET" })).status, 414);
    assert.equal(
        (await post(url, LIST, { "x-long": "x".repeat(15000), "x-longer": "y".repeat(2000) }))
            .status,
        431,
    );
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`x-${i}`, "1"]));
    assert.equal((await post(url, LIST, many)).status, 431);
    for (const text of [
        "GET\r\n\r\n",
        "POST /mcp HTTP/9.9\r\n\r\n",
        "\u0016\u0003\u0001",
        "G ET / HTTP/1.1\r\n\r\n",
    ])
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
        const answer = await send(root + path, {
            method: "GET",
            headers: { host: "balancer.internal" },
        });

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
    const slow = {
        jsonrpc: "2.0",
        id: "slow",
        method: "tools/call",
        params: { name: "work", arguments: {} },
    };
    const heard = await raw(
        url,
        one(slow) +
            one({ ...LIST, id: "b" }) +
            one({ jsonrpc: "2.0", method: "notifications/x" }) +
            one({ ...LIST, id: "c", method: "ping" }, "Connection: close\r\n"),
    );

    assert.deepEqual(
        heard.match(/HTTP\/1.1 \d+/g),
        ["200", "200", "202", "200"].map((n) => `HTTP/1.1 ${n}`),
    );
    assert.deepEqual(
        heard.match(/"id":"\w+"/g),
        ["slow", "b", "c"].map((id) => `"id":"${id}"`),
    );
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
    Accept: ["everything", accepts],
    "paths, types, methods": ["everything", statuses],
    "sizes, and what is no HTTP": ["everything", sizes],
    HEAD: ["everything", head],
    probes: ["everything", probes],
    pipelining: ["driver", pipelining],
    "pieces, HTTP/1.0, 100-continue": ["everything", oneByte],
};
