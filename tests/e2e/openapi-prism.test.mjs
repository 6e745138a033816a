/* openapi-prism.test.mjs - operations of real OpenAPI documents, called through `haft serve` with values made from the
 * tools' schemas.  Prism, a mock server, compares each request with the document. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { spawn } from "./child.mjs";
import { ask } from "./http-client.mjs";
import { valueOf } from "./schema-values.mjs";
import { withGateway } from "./serve.mjs";
import { freePort, until } from "./server.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const modules = join(here, "node_modules");
const examples = join(modules, "@readme", "oas-examples");
const prism = createRequire(import.meta.url).resolve("@stoplight/prism-cli/dist/index.js");

/* Runs Prism with a document for as long as `use` takes. */
async function withPrism(file, use) {
    const port = await freePort();
    const mock = spawn(process.execPath, [prism, "mock", "-h", "127.0.0.1", "-p", String(port), "--errors", file]);
    let log = "";

    for (const stream of [mock.stdout, mock.stderr]) stream.on("data", (text) => (log += text));
    try {
        await until(() => log.includes("is listening") || mock.exitCode !== null, () => `Prism: ${log}`, 120000);
        assert.equal(mock.exitCode, null, log);
        await use(`http://127.0.0.1:${port}`);
    } finally {
        mock.kill();
    }
}

/* Credentials for each security scheme of a document. */
function security(document) {
    const schemes = Object.entries(document.components?.securitySchemes ?? {});
    const one = (scheme) =>
        scheme.type === "apiKey"
            ? { api_key: { value: "key" } }
            : scheme.type === "http" && scheme.scheme === "basic"
              ? { basic: { username: "u", password: "p" } }
              : { bearer: "token" };

    return Object.fromEntries(schemes.map(([name, scheme]) => [name, one(scheme)]));
}

/* Calls every tool twice, with the arguments that it requires and with all, and returns how it ended. */
async function callAll(server) {
    const { tools } = (await ask(server.url, "tools/list")).response.result;
    const outcomes = [];

    for (const tool of tools)
        for (const full of [false, true]) {
            const args = valueOf(tool.inputSchema, tool.inputSchema, 0, full);
            const { response } = await ask(server.url, "tools/call", { name: tool.name, arguments: args });
            const text = response.result?.content?.[0]?.text ?? JSON.stringify(response);

            outcomes.push({ tool: tool.name, full, args, isError: Boolean(response.error || response.result.isError), text });
        }
    return { tools, outcomes };
}

/* `well` is how many of the calls succeed: some operations of the Petstore document only failures,
 * and some examples of GitHub's do not match its schemas. */
const documents = [
    { name: "Petstore", file: join(examples, "3.0", "json", "petstore.json"), operations: 20, well: 26 },
    { name: "Train Travel", file: join(examples, "3.1", "json", "train-travel.json"), operations: 7, well: 14 },
    { name: "a sample of GitHub", file: join(here, "openapi", "github.json"), operations: 39, well: 72 },
];

const failuresOf = (outcomes) =>
    outcomes
        .filter(({ isError }) => isError)
        .map(({ tool, text }) => `${tool}: ${text}`)
        .join("\n");

/* Whether a call failed because Prism, or haft itself, refused it: not with a failure that the document has, nor because
 * the document's own examples do not match its schemas. */
const isRefused = ({ isError, text }) =>
    isError &&
    (!/^HTTP \d{3}\b/.test(text) ||
        /^HTTP 422|"location":\["request"/.test(text) ||
        /prism\/errors#(?!VIOLATIONS)/.test(text));

for (const { name, file, operations, well } of documents)
    test(`Prism accepts the requests of ${name}`, () =>
        withPrism(file, async (url) => {
            const document = JSON.parse(readFileSync(file, "utf8"));

            await withGateway(
                "plain",
                async (server) => {
                    const { tools, outcomes } = await callAll(server);
                    const refused = outcomes.filter(isRefused);

                    assert.equal(tools.length, operations, server.log());
                    assert.deepEqual(
                        refused.map(({ tool, args, text }) => ({ tool, args, text: text.slice(0, 600) })),
                        [],
                    );
                    assert.equal(outcomes.filter(({ isError }) => !isError).length, well, failuresOf(outcomes));
                },
                {
                    config: {
                        gateway: {
                            upstreams: { api: { http: { url, openapi: file, security: security(document), lenient: true } } },
                            endpoints: [{}],
                        },
                    },
                },
            );
        }));
