// client_peer.mjs 2|1 URL CALLS CONCURRENT - the same calls as mcp-client by the TypeScript SDK, 2.4.0 or 1.32.2.
const [version, url, calls, concurrent] = process.argv.slice(2);

async function connect() {
    if (version === '2') {
        const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
        const client = new Client({ name: 'client', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
        await client.connect(new StreamableHTTPClientTransport(new URL(url)));
        return client;
    }
    const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
    const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js');
    const client = new Client({ name: 'client', version: '1.0.0' });
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    return client;
}

const client = await connect();
await client.listTools();
let left = Number(calls);
let failed = 0;
const before = process.cpuUsage();
const begun = process.hrtime.bigint();
await Promise.all(
    Array.from({ length: Number(concurrent) }, async () => {
        while (left-- > 0) failed += (await client.callTool({ name: 'add', arguments: { a: 2, b: 40 } })).structuredContent?.sum !== 42;
    }),
);
const seconds = Number(process.hrtime.bigint() - begun) / 1e9;
const { user, system } = process.cpuUsage(before);
console.log(JSON.stringify({ speed: Math.round(calls / seconds), cpu: (user + system) / calls, failed }));
process.exit(failed ? 1 : 0);
