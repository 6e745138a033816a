/* http-rows.test.mjs - the duties of a server over HTTP, one by one, on the wire.
 *
 * Those that any address can be asked for are in http-checks.mjs; here are also those that need a server
 * with options of its own, or its end. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync, statSync, existsSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { counts, listen } from "./http-checks-streams.mjs";
import { checks } from "./http-checks.mjs";
import {
    META,
    MODERN,
    Session,
    ask,
    call,
    assertError,
    eventually,
    modernHeaders,
    modernMessage,
    post,
    raw,
    send,
    settle,
} from "./http-client.mjs";
import { Server, refused, start, withServer } from "./http-server.mjs";
import { example, until } from "./server.mjs";

const LIST = { jsonrpc: "2.0", id: 1, method: "tools/list" };

describe("every server", () => {
    const servers = {};

    before(async () => {
        for (const name of ["everything", "driver"]) servers[name] = await start(name);
    });
    after(async () => {
        for (const server of Object.values(servers))
            assert.equal(await server.stop(), 0, server.log());
    });
    for (const [name, [server, check]] of Object.entries(checks))
        test(name, () => check(servers[server].url));
});

/* ---- where it listens ---- */

test("port 0, and the path that was asked for", () =>
    withServer("everything", ["--path", "/tools/v1"], async ({ url }) => {
        assert.match(url, /^http:\/\/127\.0\.0\.1:[1-9]\d*\/tools\/v1$/);
        assert.ok((await ask(url, "tools/list")).response.result);
        assert.equal((await post(new URL("/mcp", url), LIST)).status, 404);
    }));

test("only on this machine, unless it is said", async () => {
    for (const address of ["0.0.0.0:0", "[::]:0"])
        assert.match(await refused("everything", ["--http", address]), /--insecure/);
    assert.match(await refused("everything", ["--http", "example.com:80"]), /address|host/);
    for (const address of ["nonsense", "127.0.0.1", "127.0.0.1:99999", "127.0.0.1:x", ":x", ":99999", ":"])
        assert.match(await refused("everything", ["--http", address], 2), /address|host/);
    await withServer(
        "everything",
        ["--insecure"],
        async ({ url }) => {
            const local = url.replace("0.0.0.0", "127.0.0.1");

            assert.ok((await ask(local, "tools/list")).response.result);
            await assertError(await post(local, LIST, { host: "elsewhere" }), 403, -32600);
        },
        { address: "0.0.0.0:0" },
    );
});

test("a taken port", () =>
    withServer("everything", [], async ({ url }) => {
        assert.match(await refused("everything", ["--http", new URL(url).host]), /in use/);
    }));

test("IPv6", () =>
    withServer(
        "everything",
        [],
        async ({ url }) => {
            assert.match(url, /^http:\/\/\[::1\]:\d+\/mcp$/);
            const { port } = new URL(url);
            const body = JSON.stringify(LIST);
            const socket = net.connect(port, "::1");
            let heard = "";

            socket.on("data", (more) => (heard += more));
            socket.write(
                `POST /mcp HTTP/1.1\r\nHost: [::1]:${port}\r\nContent-Type: application/json\r\n` +
                    `Connection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
            );
            await once(socket, "close");
            assert.match(heard, /^HTTP\/1.1 200 /);
        },
        { address: "[::1]:0" },
    ));

test("a unix socket, for its owner alone", async () => {
    const directory = mkdtempSync(join(tmpdir(), "haft-unix-"));
    const socketPath = join(directory, "socket");

    await withServer(
        "everything",
        [],
        async ({ url }) => {
            assert.equal(url, `unix:${socketPath}`);
            assert.equal(statSync(socketPath).mode & 0o777, 0o600);
            const message = modernMessage("tools/list");
            const headers = { "content-type": "application/json", ...modernHeaders("tools/list") };
            const answer = await send("http://any.name/mcp", {
                headers,
                socketPath,
                body: JSON.stringify(message),
            });
            const { response } = await settle(answer, message, MODERN);

            assert.ok(response.result.tools.length);
        },
        { address: `unix:${socketPath}` },
    );
    assert.ok(!existsSync(socketPath), "it is gone with the server");
    rmSync(directory, { recursive: true });
});

test("a socket that was handed down", async () => {
    const listener = net.createServer().listen(0, "127.0.0.1");

    await once(listener, "listening");
    const { port } = listener.address();
    const server = await new Server(null, ["--http", "127.0.0.1:1"], {
        command: ["sh", "-c", 'LISTEN_PID=$$ LISTEN_FDS=1 exec "$0" "$@"', example("everything")],
        stdio: [listener._handle.fd],
    }).ready();

    listener.close();
    assert.equal(new URL(server.url).port, String(port));
    assert.ok((await ask(server.url, "tools/list")).response.result);
    assert.equal(await server.stop(), 0);
    /* One that is meant for somebody else is left alone. */
    await withServer(
        "everything",
        [],
        async ({ url }) => assert.ok((await ask(url, "tools/list")).response.result),
        {
            env: { LISTEN_PID: "1", LISTEN_FDS: "1" },
        },
    );
});

/* ---- who may ask ---- */

test("hosts and origins that are allowed", () =>
    withServer(
        "everything",
        ["--allow-host", "mcp.example.com", "--allow-origin", "https://app.example.com"],
        async ({ url }) => {
            for (const [headers, status] of [
                [{ host: "mcp.example.com" }, 200],
                [{ host: "MCP.example.com:443" }, 200],
                [{ host: "example.com" }, 403],
                [{ host: "mcp.example.com.evil" }, 403],
                [{ origin: "https://app.example.com" }, 200],
                [{ origin: "http://app.example.com" }, 403],
                [{ origin: "https://mcp.example.com" }, 200],
                [{ origin: "https://app.example.com.evil" }, 403],
            ])
                assert.equal(
                    (await post(url, LIST, headers)).status,
                    status,
                    JSON.stringify(headers),
                );
            const none = await post(url, LIST, { origin: "https://app.example.com" });
            assert.equal(
                none.headers["access-control-allow-origin"],
                undefined,
                "no CORS unless it is asked for",
            );
        },
    ));

test("CORS", () =>
    withServer("everything", ["--cors", "https://app.example.com"], async ({ url }) => {
        const origin = "https://app.example.com";
        const preflight = await send(url, {
            method: "OPTIONS",
            headers: {
                origin,
                "access-control-request-method": "POST",
                "access-control-request-headers": "content-type,mcp-session-id,mcp-param-region",
            },
        });
        const list = (name) => preflight.headers[name].toLowerCase().split(/, */);

        assert.equal(preflight.status, 204);
        assert.equal(await preflight.text(), "");
        assert.equal(preflight.headers["access-control-allow-origin"], origin);
        for (const method of ["post", "get", "delete"])
            assert.ok(list("access-control-allow-methods").includes(method));
        for (const name of [
            "content-type",
            "accept",
            "authorization",
            "mcp-session-id",
            "mcp-protocol-version",
            "mcp-method",
            "mcp-name",
            "last-event-id",
            "mcp-param-region",
        ])
            assert.ok(list("access-control-allow-headers").includes(name), name);
        const answer = await post(url, LIST, { origin });
        assert.equal(answer.status, 200);
        assert.equal(answer.headers["access-control-allow-origin"], origin);
        assert.match(answer.headers["access-control-expose-headers"], /Mcp-Session-Id/i);
        assert.match(answer.headers.vary, /Origin/);
        assert.equal((await post(url, LIST, { origin: "https://evil.example.com" })).status, 403);
        const stream = await call(
            url,
            "test_tool_with_progress",
            {},
            { headers: { origin }, meta: { progressToken: 1 } },
        );
        assert.equal(stream.headers["access-control-allow-origin"], origin);
    }));

/* ---- 2024-11-05 ---- */

test("HTTP with SSE, as 2024-11-05 has it", () =>
    withServer("everything", ["--legacy-sse"], async ({ url }) => {
        const { origin } = new URL(url);
        const stream = await send(`${origin}/sse`, {
            method: "GET",
            headers: { accept: "text/event-stream" },
        });
        const first = await stream.event();

        assert.equal(stream.status, 200);
        assert.equal(stream.headers["content-type"], "text/event-stream");
        assert.equal(first.event, "endpoint");
        const place = new URL(first.data[0], origin);
        assert.equal(place.origin, origin);
        const say = async (message) => {
            const answer = await post(place, message);
            assert.equal(answer.status, 202);
            await answer.text();
        };
        const hear = async () => {
            const event = await stream.event();
            assert.equal(event.event, "message");
            return JSON.parse(event.data[0]);
        };

        await say({
            jsonrpc: "2.0",
            id: 0,
            method: "initialize",
            params: {
                protocolVersion: "2024-11-05",
                capabilities: {},
                clientInfo: { name: "a", version: "1" },
            },
        });
        assert.equal((await hear()).result.protocolVersion, "2024-11-05");
        await say({ jsonrpc: "2.0", method: "notifications/initialized" });
        await say({
            jsonrpc: "2.0",
            id: "p",
            method: "tools/call",
            params: { name: "test_tool_with_progress", _meta: { progressToken: 9 } },
        });
        const heard = [];
        do heard.push(await hear());
        while (heard.at(-1).id !== "p");
        assert.deepEqual(
            heard.slice(0, -1).map(({ params }) => params.progress),
            [0, 50, 100],
        );
        await say(LIST);
        assert.equal((await hear()).id, 1);
        assert.equal((await post(`${origin}/messages?session=unknown`, LIST)).status, 404);
        assert.equal((await post(`${origin}/messages`, LIST)).status, 404);
        assert.equal((await post(place, LIST, { "content-type": "text/plain" })).status, 415);
        await assertError(
            await post(place, LIST, { origin: "http://evil.example.com" }),
            403,
            -32600,
        );
        assert.equal(
            (await send(`${origin}/sse`, { method: "GET", headers: { host: "evil" } })).status,
            403,
        );
        const session = await Session.open(url);
        assert.equal(
            (await post(`${origin}/messages?session=${session.id}`, LIST)).status,
            404,
            "not of this kind",
        );
        assert.ok((await ask(url, "tools/list")).response.result, "the others are served as ever");
        stream.close();
        const { status } = await eventually(
            () => post(place, LIST),
            (answer) => answer.status === 404,
        );
        assert.equal(status, 404, "it ends with its stream");
    }));

/* ---- the end ---- */

/* So many calls of work are under way. */
const begun = async (url, wanted) =>
    assert.equal((await eventually(() => counts(url), (so) => so.begun >= wanted)).begun, wanted);

test("subscriptions end with their result when the server does", async () => {
    const server = await start("everything");
    const streams = [
        await listen(server.url, { toolsListChanged: true }, 7),
        await listen(server.url, {}, "seven"),
    ];
    const session = await Session.open(server.url);
    const listening = await session.get();

    for (const { next } of streams)
        assert.equal((await next()).method, "notifications/subscriptions/acknowledged");
    const ended = server.stop();
    for (const [i, id] of [7, "seven"].entries()) {
        const message = await streams[i].answer.message();

        assert.ok(Object.is(message.id, id));
        assert.equal(message.result.resultType, "complete");
        assert.ok(Object.is(message.result._meta[`${META}subscriptionId`], id));
        assert.equal(await streams[i].answer.event(), null, "and that is all");
        assert.ok(!streams[i].answer.broken);
    }
    await listening.text();
    assert.ok(!listening.broken, "the stream of a session ends as well");
    assert.equal(await ended, 0);
});

test("calls in flight are finished, and nothing new is begun", async () => {
    const server = await start("driver");
    const { origin, host } = new URL(server.url);
    const one = (message) => {
        const body = JSON.stringify(message);
        return `POST /mcp HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    };
    const slow = {
        jsonrpc: "2.0",
        id: "slow",
        method: "tools/call",
        params: { name: "work", arguments: { steps: 10, ms: 30 } },
    };
    const probe = `GET /readyz HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
    const running = [raw(server.url, one(slow) + one(LIST)), raw(server.url, one(slow) + probe)];
    const answered = call(
        server.url,
        "work",
        { steps: 10, ms: 30 },
        { meta: { progressToken: 1 } },
    );

    await begun(server.url, 3);
    const ended = server.stop();
    for (const [i, heard] of (await Promise.all(running)).entries()) {
        assert.match(heard, /"text":"10 steps"/, "it was finished");
        assert.match(heard, /HTTP\/1.1 503 /, "what came after it was not begun");
        assert.match(heard, i ? /{"status":"draining"}/ : /Retry-After: \d+/);
    }
    assert.equal((await answered).notifications.length, 10);
    assert.equal(await ended, 0);
    await assert.rejects(send(`${origin}/healthz`, { method: "GET" }), { code: "ECONNREFUSED" });
});

test("a second signal does not wait", async () => {
    const server = await start("driver", ["--drain", "1h", "--timeout", "1h"]);
    const running = call(server.url, "work", { steps: 1000, ms: 1000 }).catch((error) => error);

    await begun(server.url, 1);
    server.process.kill("SIGTERM");
    await eventually(
        () => send(`${new URL(server.url).origin}/healthz`, { method: "GET" }).catch(({ code }) => code),
        (answer) => answer === "ECONNREFUSED",
    );
    assert.equal(server.process.exitCode, null, "it waits for the call");
    assert.equal(await server.stop("SIGINT"), 130);
    assert.ok((await running) instanceof Error);
});

test("SIGINT ends it as SIGTERM does", async () => {
    const server = await start("everything");

    await until(() => server.url, "its address");
    assert.equal(await server.stop("SIGINT"), 0);
});
