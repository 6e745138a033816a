/* security.test.mjs - what no other test shows of tests/security/checklist.txt, against the built programs. */

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { dirname } from "node:path";
import { test } from "node:test";
import { raw } from "./http-client.mjs";
import { withServer } from "./http-server.mjs";
import { example, until } from "./server.mjs";

const LIST = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });

/* ---- Host, in every form ---- */

test("Host in every form, and those refused are in the log", () =>
    withServer("everything", [], async (server) => {
        const { port } = new URL(server.url);
        const rows = [
            [["localhost"], 200],
            [["LocalHost"], 200],
            [[`localhost:${port}`], 200],
            [["127.0.0.1"], 200],
            [[`[::1]:${port}`], 200],
            [["evil.example"], 403],
            [["localhost.evil.example"], 403],
            [["127.0.0.1.evil.example"], 403],
            [["evil.example:80"], 403],
            [["[::2]"], 403],
            [["0.0.0.0"], 403],
            [["localhost@evil.example"], 403],
            [[""], 403],
            [[], 400],
            [["localhost \t"], 200],
            [["localhost", "evil.example"], 400],
            [["localhost", "localhost"], 400],
        ];

        for (const [hosts, status] of rows) {
            const head = hosts.map((host) => `Host: ${host}\r\n`).join("");
            const heard = await raw(
                server.url,
                `POST /mcp HTTP/1.1\r\n${head}Content-Type: application/json\r\n` +
                    `Connection: close\r\nContent-Length: ${LIST.length}\r\n\r\n${LIST}`,
            );
            assert.match(heard, new RegExp(`^HTTP/1.1 ${status} `), head);
        }
        await until(() => /evil\.example/.test(server.log()), "its line in the log");
    }));

/* ---- arguments of another type ---- */

const others = [null, true, -1.5, "\u0000", [], {}, [[[]]], 1e308, "x".repeat(100000)];

const typesOf = (schema) => [schema?.type ?? []].flat();

const typeOf = (value) =>
    value === null ? "null" : Array.isArray(value) ? "array" : typeof value;

const fits = (schema, value) => {
    const types = typesOf(schema);

    return !types.length || types.includes(typeOf(value));
};

/* A program is asked with all its tools' arguments mutated, one at a time; every one is answered, none of
 * those that do not fit by a handler. */
for (const name of readdirSync(dirname(example("x"))).filter((name) => name !== "core-loop"))
    test(`arguments of other types, ${name}`, (t) => {
        let tools;

        try {
            tools = JSON.parse(
                execFileSync(example(name), ["--list", "--json"], {
                    encoding: "utf8",
                    stdio: ["ignore", "pipe", "ignore"],
                }),
            ).tools;
        } catch {
            t.diagnostic(`${name} is no server`);
            return;
        }
        const expected = new Map();
        let id = 0;
        const input = tools.flatMap((tool) =>
            Object.entries(tool.inputSchema.properties ?? {}).flatMap(([key, schema]) =>
                others
                    .filter((value) => !fits(schema, value))
                    .map((value) => {
                        expected.set(++id, `${tool.name} ${key} ${JSON.stringify(value)}`);
                        return JSON.stringify({
                            jsonrpc: "2.0",
                            id,
                            method: "tools/call",
                            params: { name: tool.name, arguments: { [key]: value } },
                        });
                    }),
            ),
        );
        const ran = spawnSync(example(name), ["--stdio"], {
            input: `${JSON.stringify({
                jsonrpc: "2.0",
                id: 0,
                method: "initialize",
                params: {
                    protocolVersion: "2025-11-25",
                    capabilities: {},
                    clientInfo: { name: "mutant", version: "0" },
                },
            })}\n${input.join("\n")}\n`,
            encoding: "utf8",
            maxBuffer: 1 << 28,
        });

        assert.equal(ran.status, 0, ran.stderr);
        for (const line of ran.stdout.trim().split("\n").slice(1)) {
            const message = JSON.parse(line);

            if (!expected.has(message.id)) continue;
            assert.ok(
                message.result?.isError && /Invalid|^Rate limited/.test(message.result.content[0].text),
                `${expected.get(message.id)}: ${line.slice(0, 300)}`,
            );
            expected.delete(message.id);
        }
        assert.deepEqual([...expected.values()], [], "all are answered");
    });

/* ---- drift ---- */

test("what is offered is printed in the same bytes each time", () => {
    for (const name of ["everything", "catalog"]) {
        const list = () => execFileSync(example(name), ["--list", "--json"]);

        assert.deepEqual(list(), list());
    }
});
