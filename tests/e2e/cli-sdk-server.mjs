/* cli-sdk-server.mjs - a server of the TypeScript SDK for the program to talk to: over standard input and
 * output, or with a port as argument over HTTP with sessions. */

import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { z } from "zod";

function newServer() {
    const server = new McpServer({ name: "sdk", version: "1.2.3" });

    server.registerTool(
        "add",
        { description: "Adds", inputSchema: { a: z.number(), b: z.number().optional() } },
        ({ a, b }) => ({ content: [{ type: "text", text: String(a + (b ?? 0)) }] }),
    );
    server.registerTool(
        "ask",
        { description: "Asks on the stream of its own", inputSchema: {} },
        async () => {
            const answer = await server.server.elicitInput({
                message: "Who are you?",
                requestedSchema: { type: "object", properties: { name: { type: "string" } } },
            });

            return { content: [{ type: "text", text: JSON.stringify(answer) }] };
        },
    );
    return server;
}

if (process.argv[2] === undefined) {
    await newServer().connect(new StdioServerTransport());
} else {
    const sessions = new Map();
    const http = createServer(async (request, response) => {
        const id = request.headers["mcp-session-id"];
        let transport = sessions.get(id);

        if (!transport) {
            transport = new StreamableHTTPServerTransport({
                sessionIdGenerator: randomUUID,
                onsessioninitialized: (session) => sessions.set(session, transport),
            });
            await newServer().connect(transport);
        }
        await transport.handleRequest(request, response);
    });

    http.listen(Number(process.argv[2]), "127.0.0.1", () =>
        console.error(`listening on http://127.0.0.1:${http.address().port}/mcp`),
    );
}
