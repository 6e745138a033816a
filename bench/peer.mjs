// peer.mjs 2|1 stdio|PORT add|list - the tools of http_server.c on the TypeScript SDK, 2.4.0 or 1.32.2.
import http from 'node:http';

import { z } from 'zod';

const [version, where, what] = process.argv.slice(2);
const sdk = version === '2' ? '@modelcontextprotocol/server' : '@modelcontextprotocol/sdk/server/mcp.js';
const { McpServer, createMcpHandler } = await import(sdk);
// The older one takes the members of an object, not the object.
const shape = members => (version === '2' ? z.object(members) : members);

function answer(value) {
    return { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value };
}

function make() {
    const server = new McpServer({ name: 'bench', version: '1.0.0' });
    server.registerTool(
        'add',
        { description: 'Adds two numbers', inputSchema: shape({ a: z.number(), b: z.number() }), outputSchema: shape({ sum: z.number() }) },
        ({ a, b }) => answer({ sum: a + b }),
    );
    server.registerTool(
        'order',
        {
            description: 'Takes an order',
            inputSchema: shape({ customerId: z.string(), items: z.array(z.object({ productId: z.uuid(), quantity: z.int().positive() })).min(1) }),
            outputSchema: shape({ lines: z.int(), pieces: z.int() }),
        },
        ({ items }) => answer({ lines: items.length, pieces: items.reduce((sum, item) => sum + item.quantity, 0) }),
    );
    for (let i = 0; what === 'list' && i < 198; i++)
        server.registerTool(`tool_${i}`, { description: 'One of many tools, which does nothing in particular' }, () => answer({}));
    return server;
}

async function serveStdio() {
    if (version === '2') {
        const { serveStdio } = await import('@modelcontextprotocol/server/stdio');
        serveStdio(make);
    } else {
        const { StdioServerTransport } = await import('@modelcontextprotocol/sdk/server/stdio.js');
        await make().connect(new StdioServerTransport());
    }
}

// Without sessions, as haft answers here.
async function handler() {
    if (version === '2') {
        const { toNodeHandler } = await import('@modelcontextprotocol/node');
        return toNodeHandler(createMcpHandler(make, { legacy: 'stateless' }));
    }
    const { StreamableHTTPServerTransport } = await import('@modelcontextprotocol/sdk/server/streamableHttp.js');
    return async (request, response) => {
        const server = make();
        const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse: true });
        response.on('close', () => server.close());
        await server.connect(transport);
        await transport.handleRequest(request, response);
    };
}

if (where === 'stdio') await serveStdio();
else http.createServer(await handler()).listen(Number(where), '127.0.0.1', () => console.error('ready'));
