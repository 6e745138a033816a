/* http-proxy.mjs - a proxy that makes a good server a bad one.
 *
 * A fault may act on a request on its way in (`ask`), as if the server had not looked; on what comes out:
 * the head (`head`), each message (`message`), each event as it is written (`block`); or on the end of a
 * connection (`left`, `deaf`, `stays`). */

import http from "node:http";
import { once } from "node:events";
import { META, MODERN } from "./spec.mjs";

const parse = (text) => {
    try {
        return JSON.parse(text);
    } catch {
        return undefined;
    }
};

const isModern = ({ headers, body }) =>
    headers["mcp-protocol-version"] === MODERN ||
    body?.params?._meta?.[`${META}protocolVersion`] !== undefined;

/* One exchange as a fault sees it. */
function context(request, text, memory) {
    const { method, url, headers } = request;
    const body = parse(text);

    return {
        method,
        url,
        headers: { ...headers },
        text,
        body,
        memory,
        modern: isModern({ headers, body }),
    };
}

const encode = (message) => JSON.stringify(message);

/* An event with other messages in it; those after the first keep none of its fields. */
function rewriteBlock(block, fault, at) {
    const lines = block.split("\n");
    const data = lines.findIndex(
        (line) => line.startsWith("data: {") || line.startsWith("data: ["),
    );
    const message = data < 0 ? undefined : parse(lines[data].slice(6));

    if (message === undefined || !fault.message) return [block];
    return [fault.message(message, at) ?? message].flat().map((one, i) => {
        const line = `data: ${encode(one)}`;
        return i ? line : [...lines.slice(0, data), line, ...lines.slice(data + 1)].join("\n");
    });
}

function streamOut(incoming, response, fault, at) {
    let rest = "";

    incoming.setEncoding("utf8");
    incoming.on("data", (more) => {
        const blocks = (rest + more).split("\n\n");

        rest = blocks.pop();
        for (const block of blocks)
            for (const one of rewriteBlock(block, fault, at))
                for (const out of [fault.block ? fault.block(one, at) : one].flat())
                    if (out !== undefined) response.write(`${out}\n\n`);
    });
    incoming.on("end", () => fault.stays || response.end());
    incoming.on("error", () => response.destroy());
}

async function bodyOut(incoming, response, fault, at) {
    let text = "";

    incoming.setEncoding("utf8");
    for await (const more of incoming) text += more;
    const message = parse(text);
    if (message !== undefined && fault.message) {
        const changed = fault.message(message, at) ?? message;
        text = encode(Array.isArray(changed) && !Array.isArray(message) ? changed[0] : changed);
    }
    at.reply = text;
    fault.head?.(at);
    for (const [name, value] of Object.entries(at.out)) response.setHeader(name, value);
    response.statusCode = at.status;
    if (at.status !== 204) response.setHeader("content-length", Buffer.byteLength(at.reply));
    response.end(at.status === 204 ? undefined : at.reply);
}

/* What is about the transfer is made anew. */
function headersOf(incoming) {
    const {
        connection,
        "keep-alive": _,
        "transfer-encoding": __,
        "content-length": ___,
        date,
        ...rest
    } = incoming.headers;

    return rest;
}

async function forward(target, fault, memory, request, response) {
    let text = "";

    request.setEncoding("utf8");
    for await (const more of request) text += more;
    const at = context(request, text, memory);
    const straight = fault.ask?.(at, target);

    if (straight) {
        response.writeHead(straight.status, straight.headers);
        response.end(straight.body);
        return;
    }
    if (at.body !== undefined && fault.ask) at.text = encode(at.body);
    delete at.headers["transfer-encoding"];
    if (at.text || at.method === "POST") at.headers["content-length"] = Buffer.byteLength(at.text);
    const onward = http.request({
        host: target.hostname,
        port: target.port,
        path: at.url,
        method: at.method,
        headers: at.headers,
        agent: false,
    });

    onward.on("error", () => response.destroy());
    onward.on("response", (incoming) => {
        at.status = incoming.statusCode;
        at.out = headersOf(incoming);
        if (!/event-stream/.test(at.out["content-type"] ?? "")) {
            bodyOut(incoming, response, fault, at).catch(() => response.destroy());
            return;
        }
        at.reply = "";
        fault.head?.(at);
        response.writeHead(at.status, at.out);
        response.flushHeaders();
        if (at.method === "GET") memory.listening = response;
        streamOut(incoming, response, fault, at);
    });
    response.on("close", () => {
        if (response.writableEnded || fault.deaf) return;
        fault.left?.(at, target);
        onward.destroy();
    });
    onward.end(at.text);
}

/* A proxy with a fault in front of a server: {url, close}. */
export async function faulty(url, fault) {
    const target = new URL(url);
    const memory = {};
    const proxy = http.createServer((request, response) => {
        response.on("error", () => {});
        forward(target, fault, memory, request, response).catch(() => response.destroy());
    });

    proxy.listen(0, "127.0.0.1");
    await once(proxy, "listening");
    const out = new URL(url);
    out.port = proxy.address().port;
    return {
        url: out.href,
        close: () => {
            proxy.closeAllConnections();
            proxy.close();
        },
    };
}
