/* client-sdk-server.mjs 1|2 stdio|http|sessions|sse - one of each on the TypeScript SDK, 1.32.2 or 2.4.0, for our
 * client to use.
 *
 * "http" has no sessions; "sessions" has, and serves revisions before 2026-07-28 only; "sse" is the transport of
 * 2024-11-05, which only the older SDK has. */

import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { z } from "zod";

const [version, where] = process.argv.slice(2);
const isNew = version === "2";
const sdk = isNew
    ? await import("@modelcontextprotocol/server")
    : {
          ...(await import("@modelcontextprotocol/sdk/server/mcp.js")),
          ...(await import("@modelcontextprotocol/sdk/server/completable.js")),
      };
const { McpServer, ResourceTemplate, completable } = sdk;

/* The older one takes the members of an object, not the object. */
const shape = (members) => (isNew ? z.object(members) : members);
const text = (value) => ({ content: [{ type: "text", text: value }] });
const form = {
    type: "object",
    properties: { name: { type: "string", default: "Ada" }, age: { type: "integer", default: 36 } },
    required: ["name"],
};
const sampling = {
    messages: [{ role: "user", content: { type: "text", text: "hello" } }],
    maxTokens: 10,
};
let handler; /* of the newer one over HTTP, which sends changes to subscriptions */

/* Asks the client something, in the way of each SDK; undefined if the answer is still to come. */
async function ask(server, context, kind) {
    if (!isNew && kind === "form")
        return { answer: await server.server.elicitInput({ message: "Who?", requestedSchema: form }) };
    if (!isNew && kind === "sample") return { answer: await server.server.createMessage(sampling) };
    if (!isNew) return { answer: await server.server.listRoots() };
    const { inputRequired } = sdk;
    const answer = context.mcpReq.inputResponses?.it;
    const request = {
        form: () => inputRequired.elicit({ message: "Who?", requestedSchema: form }),
        sample: () => inputRequired.createMessage(sampling),
        roots: () => inputRequired.listRoots(),
    }[kind];

    return answer ? { answer } : { more: inputRequired({ inputRequests: { it: request() } }) };
}

function addQuestions(server) {
    for (const [name, kind] of [
        ["ask", "form"],
        ["sample", "sample"],
        ["roots", "roots"],
    ])
        server.registerTool(
            name,
            { description: `Asks for ${kind}`, inputSchema: shape({}) },
            async (_, context) => {
                const { answer, more } = await ask(server, context, kind);

                return more ?? text(JSON.stringify(answer));
            },
        );
}

function addTools(server) {
    server.registerTool(
        "add",
        {
            description: "Adds",
            inputSchema: shape({ a: z.number(), b: z.number() }),
            outputSchema: shape({ sum: z.number() }),
        },
        ({ a, b }) => ({ ...text(String(a + b)), structuredContent: { sum: a + b } }),
    );
    server.registerTool("fail", { description: "Fails", inputSchema: shape({}) }, () => {
        throw new Error("it failed");
    });
    server.registerTool(
        "count",
        { description: "Reports progress", inputSchema: shape({ to: z.number() }) },
        async ({ to }, context) => {
            const token = isNew ? context.mcpReq._meta?.progressToken : context._meta?.progressToken;
            const notify = isNew ? context.mcpReq.notify : context.sendNotification;

            for (let progress = 1; token !== undefined && progress <= to; progress++)
                await notify({
                    method: "notifications/progress",
                    params: { progressToken: token, progress, total: to },
                });
            return text("counted");
        },
    );
    server.registerTool(
        "grow",
        { description: "Adds a tool", inputSchema: shape({}) },
        async () => {
            if (handler) handler.notify.toolsChanged();
            else
                server.registerTool(
                    `grown_${randomUUID().slice(0, 8)}`,
                    { description: "New", inputSchema: shape({}) },
                    () => text("new"),
                );
            return text("grown");
        },
    );
}

function addOthers(server) {
    const complete = (value) => ["alpha", "beta", "gamma"].filter((it) => it.startsWith(value));

    server.registerResource("one", "memo://one", { mimeType: "text/plain" }, (uri) => ({
        contents: [{ uri: uri.href, mimeType: "text/plain", text: "first" }],
    }));
    server.registerResource(
        "any",
        new ResourceTemplate("memo://any/{id}", { list: undefined, complete: { id: complete } }),
        {},
        (uri, { id }) => ({ contents: [{ uri: uri.href, text: `memo ${id}` }] }),
    );
    server.registerPrompt(
        "greet",
        {
            description: "Greets",
            argsSchema: shape({ name: completable(z.string(), complete) }),
        },
        ({ name }) => ({
            messages: [{ role: "user", content: { type: "text", text: `Greet ${name}` } }],
        }),
    );
}

function make() {
    const server = new McpServer(
        { name: `sdk-${version}`, version: "1.2.3" },
        { instructions: "Use add.", capabilities: { logging: {} } },
    );

    addTools(server);
    addQuestions(server);
    addOthers(server);
    return server;
}

async function transportClass() {
    if (isNew) return (await import("@modelcontextprotocol/node")).NodeStreamableHTTPServerTransport;
    return (await import("@modelcontextprotocol/sdk/server/streamableHttp.js"))
        .StreamableHTTPServerTransport;
}

/* One server for each request. */
async function plain() {
    if (isNew) {
        const { toNodeHandler } = await import("@modelcontextprotocol/node");

        handler = sdk.createMcpHandler(make, { legacy: "stateless" });
        return toNodeHandler(handler);
    }
    const Transport = await transportClass();
    return async (request, response) => {
        const server = make();
        const transport = new Transport({ sessionIdGenerator: undefined, enableJsonResponse: true });

        response.on("close", () => server.close());
        await server.connect(transport);
        await transport.handleRequest(request, response);
    };
}

/* One server for each session. */
async function withSessions() {
    const Transport = await transportClass();
    const sessions = new Map();

    return async (request, response) => {
        const id = request.headers["mcp-session-id"];
        let transport = sessions.get(id);

        if (id && !transport) return response.writeHead(404).end();
        if (!transport) {
            transport = new Transport({
                sessionIdGenerator: randomUUID,
                onsessioninitialized: (session) => sessions.set(session, transport),
                onsessionclosed: (session) => {
                    sessions.delete(session);
                    console.error(`closed ${session}`);
                },
            });
            await make().connect(transport);
        }
        return transport.handleRequest(request, response);
    };
}

/* One server for each stream, and messages to it by another path. */
async function withStreams() {
    const { SSEServerTransport } = await import("@modelcontextprotocol/sdk/server/sse.js");
    const streams = new Map();

    return async (request, response) => {
        const url = new URL(request.url, "http://127.0.0.1");

        if (request.method === "GET" && url.pathname === "/sse") {
            const transport = new SSEServerTransport("/messages", response);

            streams.set(transport.sessionId, transport);
            transport.onclose = () => console.error(`closed ${transport.sessionId}`);
            return make().connect(transport);
        }
        if (request.method === "POST" && url.pathname === "/messages")
            return streams.get(url.searchParams.get("sessionId")).handlePostMessage(request, response);
        return response.writeHead(url.pathname === "/sse" ? 405 : 404).end();
    };
}

if (where === "stdio" && isNew) {
    const { serveStdio } = await import("@modelcontextprotocol/server/stdio");

    serveStdio(make);
} else if (where === "stdio") {
    const { StdioServerTransport } = await import("@modelcontextprotocol/sdk/server/stdio.js");

    await make().connect(new StdioServerTransport());
} else {
    const serve = { http: plain, sessions: withSessions, sse: withStreams }[where];
    const http = createServer(await serve());

    http.listen(0, "127.0.0.1", () =>
        console.error(`listening on http://127.0.0.1:${http.address().port}/mcp`),
    );
    process.on("SIGTERM", () => process.exit(0));
}
