/* client-hostile-replies.mjs - what a hostile server does with a call, and how the call may end. */

import { gzipSync } from "node:zlib";
import { event, forever, head, result, stream, whole } from "./client-hostile.mjs";

export const ETOOBIG = -5;
export const ECLOSED = -17;
export const ETIMEOUT = -20;
export const EPROTOCOL = -22;
export const EDENIED = -23;

/* Whether a request may run into its timeout. */
export const runsOut = (expected) => [expected].flat().includes(ETIMEOUT);

const bomb = gzipSync(Buffer.alloc(16 << 20, 32));
const error = (message, value) =>
    JSON.stringify({ jsonrpc: "2.0", id: message.id, error: value });
const asked = (extra) => ({ resultType: "input_required", ...extra });

/* What the server does with a call, and how it ends: a status or several, or a function that looks at the
 * answer. */
export const replies = [
    ["closes without an answer", (s) => s.end(), ECLOSED],
    ["resets the connection", (s) => s.resetAndDestroy(), ECLOSED],
    ["sends no HTTP", (s) => s.end("220 mail.example.com ESMTP\r\n"), [ECLOSED, EPROTOCOL]],
    ["sends binary", (s) => s.end(Buffer.alloc(4096, 0xfe)), [ECLOSED, EPROTOCOL]],
    ["ends after the status line", (s) => s.end("HTTP/1.1 200 OK\r\n"), [ECLOSED, EPROTOCOL]],
    ["ends after the head", (s) => s.end(head("200 OK", { "Content-Length": 10 })), ECLOSED],
    [
        "sends a header of 1 MB",
        (s) => s.end(head("200 OK", { "X-Long": "x".repeat(1 << 20) })),
        [ECLOSED, EPROTOCOL, ETOOBIG],
    ],
    [
        "sends headers without end",
        (s) => (s.write("HTTP/1.1 200 OK\r\n"), forever(s, (n) => `X-${n}: ${"y".repeat(999)}\r\n`, 1)),
        [ECLOSED, EPROTOCOL, ETOOBIG, ETIMEOUT],
    ],
    [
        "sends 20,000 headers",
        (s) => s.end(`HTTP/1.1 200 OK\r\n${"X-A: b\r\n".repeat(20000)}\r\n{}`),
        [ECLOSED, EPROTOCOL, ETOOBIG],
    ],
    [
        "sends 100 Continue without end",
        (s) => forever(s, () => head("100 Continue"), 1),
        [ETIMEOUT, EPROTOCOL, ECLOSED, ETOOBIG],
    ],
    [
        "promises more than it sends",
        (s, m) => s.end(whole(result(m), "200 OK", { "Content-Length": 9999 })),
        ECLOSED,
    ],
    [
        "promises less than it sends",
        (s, m) => s.end(whole(result(m), "200 OK", { "Content-Length": 20 })),
        EPROTOCOL,
    ],
    [
        "sends a negative length",
        (s, m) => s.end(whole(result(m), "200 OK", { "Content-Length": -5 })),
        [EPROTOCOL, ECLOSED, 0],
    ],
    [
        "sends two lengths",
        (s, m) => s.end(whole(result(m), "200 OK", { "content-length": 5 })),
        [EPROTOCOL, ECLOSED, 0],
    ],
    [
        "sends a chunk of no size",
        (s) => s.end(`${head("200 OK", { "Content-Type": "application/json", "Transfer-Encoding": "chunked" })}zz\r\n`),
        [EPROTOCOL, ECLOSED],
    ],
    [
        "sends a chunk of 2^63 bytes",
        (s) => s.end(`${head("200 OK", { "Content-Type": "application/json", "Transfer-Encoding": "chunked" })}7fffffffffffffff\r\n{`),
        [EPROTOCOL, ECLOSED, ETOOBIG],
    ],
    [
        "sends blanks without end",
        (s) => (s.write(head("200 OK", { "Content-Type": "application/json" })), forever(s, () => " ".repeat(65536), 1)),
        ETOOBIG,
    ],
    [
        "promises a terabyte",
        (s) => s.write(head("200 OK", { "Content-Type": "application/json", "Content-Length": 2 ** 40 })),
        [ETOOBIG, ETIMEOUT],
    ],
    [
        "sends a zip bomb that nobody asked for",
        (s) => {
            s.write(head("200 OK", { "Content-Type": "application/json", "Content-Encoding": "gzip", "Content-Length": bomb.length }));
            s.end(bomb);
        },
        [EPROTOCOL, ETOOBIG],
    ],
    [
        "drips its body",
        (s, m) => {
            const text = result(m).padEnd(4096);

            s.write(head("200 OK", { "Content-Type": "application/json", "Content-Length": 4096 }));
            forever(s, (n) => text[n] ?? "", 50);
        },
        ETIMEOUT,
    ],
    ["drips its head", (s) => forever(s, (n) => "HTTP/1.1 200 OK\r\nX: y"[n] ?? "y", 50), ETIMEOUT],
    ["never answers", () => {}, ETIMEOUT],
    ["answers another id", (s, m) => s.write(whole(result({ ...m, id: m.id + 7 }))), EPROTOCOL],
    ["answers the id as text", (s, m) => s.write(whole(result({ ...m, id: String(m.id) }))), EPROTOCOL],
    ["answers without an id", (s, m) => s.write(whole(result({ ...m, id: undefined }))), EPROTOCOL],
    ["answers with an id of null", (s, m) => s.write(whole(result({ ...m, id: null }))), EPROTOCOL],
    ["answers with a fraction", (s, m) => s.write(whole(result({ ...m, id: m.id + 0.5 }))), EPROTOCOL],
    ["answers with an array", (s, m) => s.write(whole(`[${result(m)}]`)), [0, EPROTOCOL]],
    ["answers with a number", (s) => s.write(whole("42")), EPROTOCOL],
    ["answers with nothing", (s) => s.write(whole("")), EPROTOCOL],
    ["answers with half of it", (s, m) => s.write(whole(result(m).slice(0, -9))), EPROTOCOL],
    ["answers with two", (s, m) => s.write(whole(result(m) + result(m))), EPROTOCOL],
    ["nests 100,000 arrays", (s) => s.write(whole("[".repeat(100000))), EPROTOCOL],
    [
        "nests 5,000 objects in its result",
        (s, m) => s.write(whole(`{"jsonrpc":"2.0","id":${m.id},"result":${'{"a":'.repeat(5000)}1${"}".repeat(5001)}`)),
        EPROTOCOL,
    ],
    ["repeats a member", (s, m) => s.write(whole(`{"jsonrpc":"2.0","id":${m.id},"id":${m.id},"result":{}}`)), EPROTOCOL],
    [
        "sends invalid UTF-8",
        (s, m) => {
            const body = Buffer.from(result(m).replace("done", "d?ne"));

            body[body.indexOf("d?ne") + 1] = 0xff;
            s.write(head("200 OK", { "Content-Type": "application/json", "Content-Length": body.length }));
            s.write(body);
        },
        EPROTOCOL,
    ],
    ["sends a NUL", (s, m) => s.write(whole(result(m).replace("done", "d\0ne"))), EPROTOCOL],
    ["sends a result and an error", (s, m) => s.write(whole(result(m).replace(/}$/, ',"error":{"code":1,"message":"x"}}'))), EPROTOCOL],
    ["sends neither", (s, m) => s.write(whole(`{"jsonrpc":"2.0","id":${m.id}}`)), EPROTOCOL],
    ["sends a text as result", (s, m) => s.write(whole(result(m, "done"))), EPROTOCOL],
    ["sends a text as error", (s, m) => s.write(whole(error(m, "bad"))), EPROTOCOL],
    [
        "sends an error without a code",
        (s, m) => s.write(whole(error(m, { message: "bad" }))),
        EPROTOCOL,
    ],
    [
        "sends content that is no array",
        (s, m) => s.write(whole(result(m, { resultType: "complete", content: { type: "text" } }))),
        [0, EPROTOCOL],
    ],
    [
        "sends blocks of no type",
        (s, m) => s.write(whole(result(m, { resultType: "complete", content: [1, null, {}, { type: 5, text: {} }] }))),
        [0, EPROTOCOL],
    ],
    [
        "sends a type of result that is unknown",
        (s, m) => s.write(whole(result(m, { resultType: "surprise" }))),
        [0, EPROTOCOL],
    ],
    ["answers 500", (s) => s.write(whole("<h1>oops</h1>", "500 Internal Server Error", { "Content-Type": "text/html" })), EPROTOCOL],
    ["answers 401", (s) => s.write(whole("", "401 Unauthorized", { "WWW-Authenticate": 'Bearer realm="x' })), EDENIED],
    ["answers 403", (s) => s.write(whole("", "403 Forbidden")), EDENIED],
    ["answers 429", (s) => s.write(whole("", "429 Too Many Requests", { "Retry-After": "99999" })), EPROTOCOL],
    ["answers 503", (s) => s.write(whole("", "503 Service Unavailable")), EPROTOCOL],
    ["answers 999", (s) => s.write(whole("", "999 Whatever")), [EPROTOCOL, ECLOSED]],
    ["answers 202", (s) => s.write(whole("", "202 Accepted")), EPROTOCOL],
    ["answers 204", (s) => s.write(head("204 No Content")), EPROTOCOL],
    ["answers with a page", (s) => s.write(whole("<html></html>", "200 OK", { "Content-Type": "text/html" })), EPROTOCOL],
    ["switches protocols", (s) => s.write(head("101 Switching Protocols", { Upgrade: "websocket" })), [EPROTOCOL, ECLOSED, ETIMEOUT]],
    [
        "sends a reason with escape sequences",
        (s) => s.write(whole("\x1b]0;owned\x07", "500 \x1b[31mred\x1b[0m", { "Content-Type": "text/plain" })),
        EPROTOCOL,
    ],
    ["says JSON and sends events", (s, m) => s.write(whole(event(result(m)))), EPROTOCOL],
    ["says events and sends JSON", (s, m) => s.end(stream + result(m)), [ECLOSED, EPROTOCOL]],
    ["ends the stream without an answer", (s) => s.end(stream + event('{"jsonrpc":"2.0","method":"notifications/x"}')), [ECLOSED, EPROTOCOL]],
    ["sends comments without end", (s) => (s.write(stream), forever(s, () => ": \n\n")), ETIMEOUT],
    [
        "sends notifications without end",
        (s) => (s.write(stream), forever(s, () => event('{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}'))),
        ETIMEOUT,
    ],
    ["sends a line without end", (s) => (s.write(`${stream}data: `), forever(s, () => "x".repeat(65536), 1)), [ETOOBIG, EPROTOCOL]],
    ["sends an event without end", (s) => (s.write(stream), forever(s, () => `data: ${"x".repeat(60000)}\n`, 1)), [ETOOBIG, EPROTOCOL]],
    ["sends events that are no JSON", (s) => (s.write(stream), forever(s, () => event("{nope"))), [EPROTOCOL, ETIMEOUT]],
    ["sends answers of others without end", (s, m) => (s.write(stream), forever(s, (n) => event(result({ ...m, id: 1000 + n })))), [ETIMEOUT, EPROTOCOL]],
    ["answers twice on a stream", (s, m) => s.end(stream + event(result(m)) + event(result(m))), 0],
    ["answers at once and goes on", (s, m) => (s.write(stream + event(result(m))), forever(s, () => event("{}"))), 0],
    ["asks for ever", (s, m) => s.write(whole(result(m, asked({ inputRequests: { a: { method: "roots/list" } } })))), EPROTOCOL, { calls: 17 }],
    ["asks something unknown", (s, m) => s.write(whole(result(m, asked({ inputRequests: { a: { method: "shell/run", params: { command: "rm" } } } })))), [EPROTOCOL, 0], { calls: 17 }],
    ["asks with an array", (s, m) => s.write(whole(result(m, asked({ inputRequests: [] })))), EPROTOCOL, { calls: 17 }],
    ["asks nothing", (s, m) => s.write(whole(result(m, asked({})))), EPROTOCOL, { calls: 17 }],
    [
        "asks with a schema that is none",
        (s, m) =>
            s.write(
                whole(
                    result(
                        m,
                        asked({
                            inputRequests: {
                                a: {
                                    method: "elicitation/create",
                                    params: { mode: "form", message: "?", requestedSchema: { type: "object", properties: { a: { type: "string", pattern: "(" }, b: 5 } } },
                                },
                            },
                        }),
                    ),
                ),
            ),
        [EPROTOCOL, 0],
        { calls: 17 },
    ],
    [
        "asks with a state of 1 MB",
        (s, m) => s.write(whole(result(m, asked({ requestState: "s".repeat(1 << 19) })))),
        [EPROTOCOL, ETOOBIG],
        { calls: 17 },
    ],
];
