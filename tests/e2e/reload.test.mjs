// The configuration file, and what SIGHUP does with it while clients are connected.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { createServer } from "node:http";
import os from "node:os";
import path from "node:path";
import test from "node:test";
import { example, until } from "./server.mjs";
import { Server } from "./http-server.mjs";
import { Pipe } from "./pipe-client.mjs";
import { Client } from "@modelcontextprotocol/client";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "haft-reload-"));
const file = path.join(folder, "config.json");
const audit = path.join(folder, "audit");
const write = (value) =>
    fs.writeFileSync(file, typeof value === "string" ? value : JSON.stringify(value));
const linesOf = (name) => (fs.existsSync(name) ? fs.readFileSync(name, "utf8").split("\n").length - 1 : 0);
const names = async (client) => (await client.listTools()).tools.map((tool) => tool.name).sort();

process.on("exit", () => fs.rmSync(folder, { recursive: true, force: true }));

const all = ["clear-catalog", "product-details", "search"];

test("on a pipe: a new list is announced, a bad file changes nothing, and the log says why", async () => {
    write({ tools: { offer: "search" }, log: { level: "notice" } });
    const pipe = new Pipe(example("catalog"), "--config", file);

    await pipe.greet();
    assert.deepEqual(await pipe.names(), ["search"]);

    write({ tools: { disabled: ["clear-*"] }, limits: { workers: 9 }, log: { level: "notice" } });
    pipe.process.kill("SIGHUP");
    await until(() => pipe.changes() === 1, "the announcement", 20000);
    assert.deepEqual(await pipe.names(), ["product-details", "search"]);
    await until(() => /limits\.workers: changing this requires a restart/.test(pipe.log), "a word", 20000);
    assert.match(pipe.log, /tools\.disabled: now clear-\* \(file\)/);

    write({ tools: { ofer: "nothing" }, limits: { timeout: 0 } });
    pipe.process.kill("SIGHUP");
    await until(() => /limits\.timeout: expected a time/.test(pipe.log), "the reason", 20000);
    assert.match(pipe.log, /tools\.ofer: unknown key; did you mean tools\.offer\?/);
    assert.match(pipe.log, /keeping the old one/);
    assert.deepEqual(await pipe.names(), ["product-details", "search"]);

    write("{");
    pipe.process.kill("SIGHUP");
    await until(() => pipe.log.match(/keeping the old one/g).length === 2, "the second reason", 20000);

    write({ tools: { disabled: ["serch"] }, log: { level: "notice" } });
    pipe.process.kill("SIGHUP");
    await until(() => /unknown tool serch; did you mean search\?/.test(pipe.log), "doubts", 20000);

    write({ log: { level: "notice" } });
    pipe.process.kill("SIGHUP");
    await until(() => /tools\.disabled: now - \(default\)/.test(pipe.log), "nothing", 20000);
    assert.deepEqual(await pipe.names(), all);
    assert.equal(await pipe.end(), 0);
});

test("on a pipe without a file it ends the server, as a terminal that is gone does", async () => {
    const pipe = new Pipe(example("catalog"));

    await pipe.greet();
    pipe.process.kill("SIGHUP");
    assert.equal(await pipe.ended, 0);
});

for (const threads of ["1", "3"])
    test(`over HTTP, ${threads} loops: clients are told, and the audit moves on`, async () => {
        write({
            http: { address: "127.0.0.1:0", threads: Number(threads) },
            tools: { offer: "search" },
            audit: { file: audit },
            log: { level: "notice" },
        });
        fs.rmSync(audit, { force: true });
        const server = await new Server(example("catalog"), ["--config", file]).ready();
        const heard = [];
        const client = new Client({ name: "reload", version: "1" });

        client.setNotificationHandler("notifications/tools/list_changed", () => heard.push(1));
        await client.connect(new StreamableHTTPClientTransport(new URL(server.url)));
        assert.deepEqual(await names(client), ["search"]);
        await client.callTool({ name: "search", arguments: { query: "mug" } });

        /* The stream that announcements come on may still be on its way. */
        let turn = 0;
        const end = Date.now() + 30000;

        while (!heard.length && Date.now() < end) {
            write({
                http: { address: "127.0.0.1:0", threads: Number(threads) },
                tools: { offer: turn++ % 2 ? "search" : "*" },
                audit: { file: audit },
                log: { level: "notice" },
            });
            if (turn === 1) fs.renameSync(audit, `${audit}.1`);
            server.process.kill("SIGHUP");
            await until(
                () => (server.log().match(/configuration reloaded/g) ?? []).length === turn,
                "the reload",
                20000,
            );
            await until(() => heard.length, "it", 200).catch(() => {});
        }
        assert.ok(heard.length, "an announcement");
        assert.deepEqual(await names(client), turn % 2 ? all : ["search"]);
        await client.callTool({ name: "search", arguments: { query: "mug" } });
        await until(() => linesOf(audit) === 1, "a line", 20000);
        assert.equal(linesOf(`${audit}.1`), 1);

        write({ http: { adress: "127.0.0.1:0" } });
        server.process.kill("SIGHUP");
        await until(() => /did you mean http\.address\?/.test(server.log()), "the reason", 20000);
        assert.deepEqual(await names(client), turn % 2 ? all : ["search"]);
        await client.close();
        assert.equal(await server.stop(), 0);
    });

test("over HTTP, 3 loops: calls that come meanwhile are answered, by the old or the new", async () => {
    const http = { address: "127.0.0.1:0", threads: 3 };
    const kinds = [
        { http },
        { http, tools: { disabled: ["search"] } },
        { http, limits: { timeout: "7s", client_rate: "100000/1s" } },
        { http, tools: { ofer: "" } },
    ];

    write(kinds[0]);
    const server = await new Server(example("catalog"), ["--config", file]).ready();
    let over = false;
    const outcomes = { result: 0, disabled: 0 };
    const ask = async () => {
        while (!over) {
            const response = await fetch(server.url, {
                method: "POST",
                headers: {
                    "content-type": "application/json",
                    accept: "application/json, text/event-stream",
                },
                body: JSON.stringify({
                    jsonrpc: "2.0",
                    id: 1,
                    method: "tools/call",
                    params: { name: "search", arguments: { query: "mug" } },
                }),
            });
            const text = await response.text();

            if (/Tool search disabled/.test(text)) outcomes.disabled++;
            else if (/"result"/.test(text) && !/"isError"/.test(text)) outcomes.result++;
            else assert.fail(text);
        }
    };
    const askers = Array.from({ length: 6 }, ask);

    for (let i = 1; i <= 24; i++) {
        const { result, disabled } = outcomes;

        write(kinds[i % kinds.length]);
        server.process.kill("SIGHUP");
        await until(
            () => outcomes.result + outcomes.disabled > result + disabled + 20,
            "further answers",
            30000,
        );
    }
    over = true;
    await Promise.all(askers);
    assert.ok(outcomes.result && outcomes.disabled, JSON.stringify(outcomes));
    assert.equal(await server.stop(), 0, server.log());
});

test("over HTTP without a file SIGHUP ends the server as SIGTERM does", async () => {
    const server = await new Server(example("catalog"), ["--http", "127.0.0.1:0"]).ready();

    assert.equal(await server.stop("SIGHUP"), 0);
});

test("the log goes to a file, in JSON, which moves on; the audit has the arguments", async () => {
    const log = path.join(folder, "log");
    const options = (level, format) => ({
        log: { file: log, format, level },
        audit: { file: audit, arguments: "plain" },
        tools: { lenient: format === "text" },
    });
    const lines = () => (fs.existsSync(log) ? fs.readFileSync(log, "utf8") : "").split("\n");
    const search = (limit) => ({ name: "search", arguments: { query: "mug", limit } });

    fs.rmSync(audit, { force: true });
    write(options("info", "json"));
    const pipe = new Pipe(example("catalog"), "--config", file);

    await pipe.greet();
    assert.ok((await pipe.request("tools/call", search("5"))).result.isError);
    write(options("info", "text"));
    fs.renameSync(log, `${log}.1`);
    pipe.process.kill("SIGHUP");
    await until(() => lines().some((line) => /configuration reloaded/.test(line)), "the reload", 20000);
    assert.ok(!(await pipe.request("tools/call", search("5"))).result.isError);
    await until(() => lines().some((line) => /info.*repaired/.test(line)), "the repair", 20000);
    assert.equal(await pipe.end(), 0);
    for (const line of fs.readFileSync(`${log}.1`, "utf8").split("\n").filter(Boolean))
        assert.ok(JSON.parse(line).level, line);
    assert.match(fs.readFileSync(audit, "utf8"), /"arguments":\{"query":"mug"/);
    assert.equal(pipe.log, "");
});

test("RATE_LIMIT_MAX limits requests, --metrics shows the counts, --otlp sends spans", async () => {
    const received = [];
    const collector = createServer((request, response) => {
        let body = "";

        request.on("data", (text) => (body += text));
        request.on("end", () => {
            received.push(body);
            response.setHeader("content-type", "application/json");
            response.end("{}");
        });
    });

    await new Promise((resolve) => collector.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${collector.address().port}/v1/traces`;
    const server = await new Server(
        example("catalog"),
        ["--http", "127.0.0.1:0", "--metrics", "--metrics-path=/counts", "--otlp", url],
        { env: { RATE_LIMIT_MAX: "2" } },
    ).ready();
    const ask = () =>
        fetch(server.url, {
            method: "POST",
            headers: { "content-type": "application/json", accept: "application/json" },
            body: JSON.stringify({
                jsonrpc: "2.0",
                id: 1,
                method: "tools/call",
                params: { name: "search", arguments: { query: "mug" } },
            }),
        });

    assert.deepEqual(
        [(await ask()).status, (await ask()).status, (await ask()).status],
        [200, 200, 429],
    );
    const counts = await (await fetch(new URL("/counts", server.url))).text();

    assert.match(counts, /search.*ok/);
    assert.equal(await server.stop(), 0);
    assert.match(received.join("\n"), /search/);
    collector.close();
});

test("flag over variable over file", () => {
    write({ tools: { offer: "search", read_only: true }, limits: { workers: 3, queue: 5 } });
    const { stdout } = spawnSync(example("catalog"), ["--print-config", "--workers", "8"], {
        env: {
            ...process.env,
            HAFT_CONFIG: file,
            HAFT_WORKERS: "7",
            HAFT_MAX_QUEUE: "6",
            HAFT_READ_ONLY: "0",
        },
        encoding: "utf8",
    });
    const rows = Object.fromEntries(
        stdout
            .trim()
            .split("\n")
            .map((line) => line.split(/ {2,}/))
            .map(([key, value, from]) => [key, [value, from]]),
    );

    assert.deepEqual(rows["limits.workers"], ["8", "command line"]);
    assert.deepEqual(rows["limits.queue"], ["6", "environment"]);
    assert.deepEqual(rows["tools.read_only"], ["false", "environment"]);
    assert.deepEqual(rows["tools.offer"], ["search", "file"]);
    assert.deepEqual(rows["limits.drain"], ["10s", "default"]);
});

test("everything that is wrong is said at once, and nothing is served", () => {
    write({ tool: { offer: "x" }, limits: { workers: "many" } });
    const { status, stderr } = spawnSync(example("catalog"), ["--config", file, "--threads=0"], {
        env: { ...process.env, HAFT_LOG_LEVEL: "loud" },
        encoding: "utf8",
        input: "",
    });

    assert.equal(status, 2);
    assert.match(stderr, /config\.json: tool: unknown key; did you mean tools\?/);
    assert.match(stderr, /limits\.workers: expected a whole number from 1 to 1024, not "many"/);
    assert.match(stderr, /HAFT_LOG_LEVEL: expected one of debug/);
    assert.match(stderr, /--threads: expected a whole number from 1 to 64, not 0/);
    assert.equal(stderr.trim().split("\n").length, 4);
});
