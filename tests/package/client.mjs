// client.mjs SERVER - the official client in TypeScript: starts a server, and prints what its tool `add` answers.

import {Client} from '@modelcontextprotocol/sdk/client/index.js';
import {StdioClientTransport} from '@modelcontextprotocol/sdk/client/stdio.js';

const client = new Client({name: 'try', version: '1.0.0'});

await client.connect(new StdioClientTransport({command: process.argv[2]}));
const {tools} = await client.listTools();

if (tools.length !== 1 || tools[0].name !== 'add') throw new Error(`expected one tool, add: ${JSON.stringify(tools)}`);
const result = await client.callTool({name: 'add', arguments: {a: 2, b: 40}});

await client.close();
if (result.isError) throw new Error(`add failed: ${JSON.stringify(result)}`);
console.log(JSON.stringify(result.structuredContent));
