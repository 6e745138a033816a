/* websocket.test.mjs - WebSocket in both roles against the package ws. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer as createSecure } from "node:https";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { WebSocket, WebSocketServer } from "ws";
import { spawn } from "./child.mjs";
import { Server } from "./http-server.mjs";
import { example, until } from "./server.mjs";

const program = join(example("."), "..", "tests", "websocket-driver");
const SIZES = [0, 1, 125, 126, 127, 4096, 65535, 65536, 1 << 20];

/* The next message of a socket, as it was sent: text as a string. */
async function message(socket) {
    const [data, isBinary] = await once(socket, "message");

    return isBinary ? data : data.toString();
}

async function closed(socket) {
    const [code, reason] = await once(socket, "close");

    return [code, reason.toString()];
}

/* ---- haft as the server ---- */

describe("a server", () => {
    async function withEcho(use, threads = 1) {
        const server = await new Server(program, ["serve", `${threads}`]).ready();
        const url = `ws${new URL(server.url).origin.slice(4)}/echo`;

        try {
            await use(url, server);
        } finally {
            /* A second signal would end it at once. */
            assert.equal(await (server.process.killed ? server.ended : server.stop()), 0, server.log());
        }
    }

    async function open(url, options) {
        const socket = new WebSocket(url, options);

        await once(socket, "open");
        return socket;
    }

    test("sends messages back", () =>
        withEcho(async (url) => {
            const socket = await open(url);

            assert.equal(socket.extensions, "");
            for (const size of SIZES) {
                socket.send("ä".repeat(size));
                assert.equal(await message(socket), "ä".repeat(size));
                socket.send(Buffer.alloc(size, 7));
                assert.deepEqual(await message(socket), Buffer.alloc(size, 7));
            }
            socket.send("one, ", { fin: false });
            socket.ping("between");
            socket.send("two, ", { fin: false });
            socket.send("three", { fin: true });
            assert.equal(await message(socket), "one, two, three");
            socket.close(4000, "done");
            assert.deepEqual(await closed(socket), [4000, ""]);
        }));

    test("answers pings", () =>
        withEcho(async (url) => {
            const socket = await open(url);

            socket.ping("are you there");
            assert.equal((await once(socket, "pong"))[0].toString(), "are you there");
            socket.close();
            assert.deepEqual(await closed(socket), [1005, ""]);
        }));

    test("closes", () =>
        withEcho(async (url, server) => {
            const socket = await open(url);

            socket.send("close");
            assert.deepEqual(await closed(socket), [4001, "as you wish"]);
            await until(() => /ended 4001 clean as you wish/.test(server.log()), "the end");
        }));

    test("serves many at once, on several loops", () =>
        withEcho(async (url) => {
            const sockets = await Promise.all(Array.from({ length: 40 }, () => open(url)));

            await Promise.all(
                sockets.map(async (socket, i) => {
                    for (let k = 0; k < 20; k++) {
                        socket.send(`${i} ${k}`);
                        assert.equal(await message(socket), `${i} ${k}`);
                    }
                    socket.close(1000);
                    await closed(socket);
                }),
            );
        }, 2));

    for (const [what, send, code] of [
        ["text that is not UTF-8", (s) => s.send(Buffer.from([0xff]), { binary: false }), 1007],
        ["a frame without a mask", (s) => s.send("bare", { mask: false }), 1002],
        ["a message that is too large", (s) => s.send(Buffer.alloc((16 << 20) + 1)), 1009],
    ])
        test(`refuses ${what}`, () =>
            withEcho(async (url) => {
                const socket = await open(url);

                socket.on("error", () => {});
                send(socket);
                assert.equal((await closed(socket))[0], code);
            }));

    test("notices a client that is gone", () =>
        withEcho(async (url, server) => {
            const socket = await open(url);

            socket.terminate();
            await until(() => /ended 1006 by peer/.test(server.log()), "the end");
        }));

    test("tells clients that it shuts down", () =>
        withEcho(async (url, server) => {
            const socket = await open(url);
            const end = closed(socket);

            server.process.kill("SIGTERM");
            assert.deepEqual(await end, [1001, "the server is shutting down"]);
        }));

    test("refuses what is not a WebSocket", () =>
        withEcho(async (url) => {
            const http = url.replace("ws:", "http:");
            const plain = await fetch(http);

            assert.equal(plain.status, 426);
            assert.equal(plain.headers.get("sec-websocket-version"), "13");
            assert.equal((await fetch(http, { method: "POST", body: "x" })).status, 405);
        }));

    test("asks where a page comes from", () =>
        withEcho(async (url) => {
            const socket = new WebSocket(url, { origin: "https://elsewhere.example" });
            const [error] = await once(socket, "error");

            assert.match(error.message, /403/);
        }));

    /* A body would be read as frames by one and as a request by another. */
    test("does not take a body for frames", () =>
        withEcho(async (url) => {
            const { port, host } = new URL(url);
            const socket = connect(port, "127.0.0.1");
            let text = "";

            socket.setEncoding("latin1").on("data", (part) => (text += part));
            socket.write(
                `GET /echo HTTP/1.1\r\nHost: ${host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
                    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" +
                    "Content-Length: 7\r\n\r\n\x81\x81\0\0\0\0x",
            );
            await until(() => text.includes("\r\n\r\n"), "an answer");
            assert.match(text, /^HTTP\/1.1 400 /);
            socket.destroy();
        }));
});

/* ---- haft as the client ---- */

describe("a client", () => {
    /* Runs it until it ends; what it printed. */
    async function visit(url, ...more) {
        const child = spawn(program, ["connect", url, ...more], { stdio: ["ignore", "pipe", "inherit"] });
        let text = "";

        child.stdout.on("data", (part) => (text += part));
        const [code] = await once(child, "close");

        assert.equal(code, 0, text);
        return text;
    }

    async function withServer(options, use) {
        const server = new WebSocketServer({ host: "127.0.0.1", port: 0, ...options });

        if (!options.server) await once(server, "listening");
        try {
            await use(server, `ws://127.0.0.1:${server.address?.()?.port}/some/path?query=1`);
        } finally {
            server.close();
        }
    }

    /* Sends every size, and expects it back. */
    async function converse(server) {
        const [socket, request] = await once(server, "connection");

        assert.equal(request.url, "/some/path?query=1");
        assert.equal(request.headers["sec-websocket-extensions"], undefined);
        for (const size of SIZES) {
            socket.send("x".repeat(size));
            assert.equal(await message(socket), "x".repeat(size));
            socket.send(Buffer.alloc(size, 9));
            assert.deepEqual(await message(socket), Buffer.alloc(size, 9));
        }
        socket.ping("now");
        assert.equal((await once(socket, "pong"))[0].toString(), "now");
        socket.close(4003, "that was all");
        assert.equal((await closed(socket))[0], 4003);
    }

    test("sends messages back", () =>
        withServer({ perMessageDeflate: true }, async (server, url) => {
            const [text] = await Promise.all([visit(url), converse(server)]);

            assert.equal(
                text,
                "open\nthe connection was closed by the server with code 4003: that was all" +
                    ' (code 4003, status 0, "")\n',
            );
        }));

    test("says why it was refused", () =>
        withServer(
            { verifyClient: (_, done) => done(false, 401, "Invalid authentication") },
            async (_, url) => {
                assert.equal(
                    await visit(url),
                    "the server did not switch to WebSocket: it answered with status 401" +
                        ' (code 1006, status 401, "Invalid authentication")\n',
                );
            },
        ));

    test("notices a server that is gone", () =>
        withServer({}, async (server, url) => {
            server.on("connection", (socket) => socket.terminate());
            assert.match(await visit(url), /^open\n.*\(code 1006, status 0, ""\)\n$/);
        }));

    test("notices that nobody listens", async () => {
        assert.match(await visit("ws://127.0.0.1:1/"), /^could not connect: .*\(code 1006, status 0/);
    });

    test("checks certificates", async () => {
        const directory = mkdtempSync(join(tmpdir(), "haft-wss-"));
        const file = (name) => join(directory, name);

        try {
            execFileSync("sh", [
                fileURLToPath(new URL("../http_client/certificates.sh", import.meta.url)),
                directory,
            ]);
            const serve = (name) =>
                createSecure({ cert: readFileSync(file(`${name}.pem`)), key: readFileSync(file(`${name}.key`)) });

            for (const [name, authority, wanted] of [
                ["here", "authority.pem", /^open\n.*closed by the server with code 4003/],
                ["here", "stranger.pem", /^the TLS handshake failed: .*certificate/],
                ["elsewhere", "authority.pem", /^the TLS handshake failed: .*name/],
                ["expired", "authority.pem", /^the TLS handshake failed: .*expired/],
            ]) {
                const https = serve(name);
                const server = new WebSocketServer({ server: https });

                https.on("tlsClientError", () => {});
                https.listen(0, "127.0.0.1");
                await once(https, "listening");
                const talk = wanted.source.startsWith("^open") ? converse(server) : null;
                const text = await visit(
                    `wss://127.0.0.1:${https.address().port}/some/path?query=1`,
                    file(authority),
                );

                assert.match(text, wanted);
                await talk;
                server.close();
                https.close();
                https.closeAllConnections();
            }
        } finally {
            rmSync(directory, { recursive: true });
        }
    });
});
