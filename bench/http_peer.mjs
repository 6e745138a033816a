// http_peer.mjs PORT add|list - the tools of http_server.c on the TypeScript SDK.
import http from 'node:http';

import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

const [port, what] = process.argv.slice(2);
const order = z.object({
    customerId: z.string(),
    items: z.array(z.object({ productId: z.uuid(), quantity: z.int().positive() })).min(1),
});

function answer(value) {
    return { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value };
}

function make() {
    const server = new McpServer({ name: 'bench', version: '1.0.0' });
    server.registerTool(
        'add',
        { description: 'Adds two numbers', inputSchema: z.object({ a: z.number(), b: z.number() }), outputSchema: z.object({ sum: z.number() }) },
        ({ a, b }) => answer({ sum: a + b }),
    );
    server.registerTool(
        'order',
        { description: 'Takes an order', inputSchema: order, outputSchema: z.object({ lines: z.int(), pieces: z.int() }) },
        ({ items }) => answer({ lines: items.length, pieces: items.reduce((sum, item) => sum + item.quantity, 0) }),
    );
    for (let i = 0; what === 'list' && i < 198; i++)
        server.registerTool(`tool_${i}`, { description: 'One of many tools, which does nothing in particular' }, () => answer({}));
    return server;
}

const handler = toNodeHandler(createMcpHandler(make, { legacy: 'stateless' }));
http.createServer(handler).listen(Number(port), '127.0.0.1', () => console.error('ready'));
