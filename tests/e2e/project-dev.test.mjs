/* project-dev.test.mjs - `haft dev` between real clients and a server that is compiled again: `haft serve` with a plugin,
 * whose source the tests change. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Client as ClientV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { spawn } from "./child.mjs";
import { haft } from "./cli.mjs";
import { until } from "./server.mjs";

const include = fileURLToPath(new URL("../../include", import.meta.url));
const root = mkdtempSync(join(tmpdir(), "haft-dev-"));
let projects = 0;

after(() => rmSync(root, { recursive: true }));

const source = (greeting, ledger) => `
#include <haft.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

HAFT_STRUCT(greet_args, HAFT_STRING(name, "Name"));
static int greet(haft_call *call, const greet_args *in)
{
    return haft_text(call, "${greeting}, %s!", in->name);
}
HAFT_TOOL_IN(greet, greet_args, "Greets");

static int slow(haft_call *call)
{
    int fd = open("${ledger}", O_WRONLY | O_APPEND | O_CREAT, 0600);
    if (fd < 0 || write(fd, "ran\\n", 4) != 4)
        return haft_error(call, "no ledger");
    close(fd);
    sleep(60);
    return haft_text(call, "slow");
}
HAFT_TOOL_BARE(slow, "Notes that it ran, and takes a minute");

static int crash(haft_call *call)
{
    (void)call;
    _exit(3);
}
HAFT_TOOL_BARE(crash, "Ends the server");

HAFT_PLUGIN(&greet_tool, &slow_tool, &crash_tool);
`;

/* A project in a directory of its own: its source, its build script, and what its calls leave outside. */
function project() {
    const base = join(root, String(++projects));
    const directory = join(base, "project");
    const ledger = join(base, "ledger");
    const builds = join(base, "builds");

    mkdirSync(join(directory, "src"), { recursive: true });
    writeFileSync(join(directory, "src", "tools.c"), source("Hello", ledger));
    /* A version file that each build writes, as generators do, and a plugin where sources are. */
    writeFileSync(
        join(directory, "build.sh"),
        `echo x >>${builds}; date +%N >src/version.h\n` +
            `cc -D_DEFAULT_SOURCE -shared -fPIC -I${include} -o src/tools.so.new src/tools.c && mv src/tools.so.new src/tools.so\n`,
    );
    return {
        base,
        directory,
        ledger: () => (existsSync(ledger) ? readFileSync(ledger, "utf8") : ""),
        builds: () => (existsSync(builds) ? readFileSync(builds, "utf8").length / 2 : 0),
        write: (greeting) => writeFileSync(join(directory, "src", "tools.c"), source(greeting, ledger)),
        breakIt: () => appendFileSync(join(directory, "src", "tools.c"), "what is this\n"),
        args: ["dev", "--build", "sh build.sh", "--", haft, "serve", "--stdio", "src/tools.so"],
    };
}

/* The program with raw lines. */
function proxy({ directory, args }, more = {}) {
    const child = spawn(haft, args, { cwd: directory, ...more });
    const self = { child, out: "", err: "", lines: [] };

    child.stdout.on("data", (text) => {
        self.out += text;
        self.lines = self.out.split("\n").slice(0, -1);
    });
    child.stderr.on("data", (text) => (self.err += text));
    child.stdin.on("error", () => {});
    self.say = (line) => child.stdin.write((typeof line === "string" ? line : JSON.stringify(line)) + "\n");
    self.ended = new Promise((resolve) => child.on("close", (code, signal) => resolve(code ?? signal)));
    self.answer = async (id) => {
        let found;
        await until(() => (found = self.lines.map((line) => JSON.parse(line)).find((m) => m.id === id)), `answer ${id}`);
        return found;
    };
    self.restarts = () => self.err.split("started the server again").length - 1;
    return self;
}

const request = (id, method, params) => ({ jsonrpc: "2.0", id, method, params });
const call = (id, name, args = {}) => request(id, "tools/call", { name, arguments: args });
const greet = (id) => call(id, "greet", { name: "Ada" });

async function shakeHands(client) {
    client.say(
        request(0, "initialize", {
            protocolVersion: "2025-06-18",
            capabilities: {},
            clientInfo: { name: "test", version: "1" },
        }),
    );
    await client.answer(0);
    client.say({ jsonrpc: "2.0", method: "notifications/initialized" });
}

const isAlive = (pid) => {
    try {
        process.kill(pid, 0);
        return true;
    } catch {
        return false;
    }
};

test("the SDK's client goes on after a restart", async () => {
    const its = project();
    const transport = new StdioV1({ command: haft, args: its.args, cwd: its.directory, stderr: "pipe" });
    const client = new ClientV1({ name: "test", version: "1" });
    let changed = 0;
    let err = "";

    transport.stderr.on("data", (text) => (err += text));
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => void changed++);
    await client.connect(transport);
    const text = async () =>
        (await client.callTool({ name: "greet", arguments: { name: "Ada" } })).content[0].text;
    assert.equal(await text(), "Hello, Ada!");
    for (const [i, greeting] of ["Hi", "Welcome"].entries()) {
        its.write(greeting);
        await until(() => changed === i + 1, "the announcement");
        assert.equal(await text(), `${greeting}, Ada!`);
    }
    assert.equal((await client.listTools()).tools.length, 3);
    assert.match(err, /^\d\d:\d\d:\d\d\.\d\d\d tools\/call greet \d+ ms ok$/m);
    await client.close();
});

test("a client of 2026-07-28 goes on after a restart", async () => {
    const its = project();
    const transport = new StdioV2({ command: haft, args: its.args, cwd: its.directory, stderr: "pipe" });
    const options = { versionNegotiation: { mode: { pin: "2026-07-28" } } };
    const client = new ClientV2({ name: "test", version: "1" }, options);
    let err = "";

    transport.stderr.on("data", (text) => (err += text));
    await client.connect(transport);
    const text = async () =>
        (await client.callTool({ name: "greet", arguments: { name: "Ada" } })).content[0].text;
    assert.equal(await text(), "Hello, Ada!");
    its.write("Hi");
    await until(() => err.includes("started the server again"), "the restart");
    assert.equal(await text(), "Hi, Ada!");
    assert.ok(!err.includes(" initialize "), "there is no handshake");
    await client.close();
});

test("a call in flight fails once, and has run once", async () => {
    const its = project();
    const client = proxy(its);

    await shakeHands(client);
    client.say(`{"jsonrpc":"2.0","id":"\\u0041/1","method":"tools/call","params":{"name":"slow","arguments":{}}}`);
    await until(() => its.ledger() === "ran\n", "the call");
    its.write("Hi");
    const failed = await client.answer("A/1");
    assert.equal(failed.error.code, -32603);
    assert.match(failed.error.message, /restarted the server .* was not repeated/);
    assert.ok(client.out.includes('"id":"\\u0041/1"'), "the id is as it was written");
    client.say(greet(2));
    assert.equal((await client.answer(2)).result.content[0].text, "Hi, Ada!");
    assert.equal(its.ledger(), "ran\n");
    assert.equal(client.lines.filter((line) => line.includes("/1")).length, 1);
    client.child.stdin.end();
    assert.equal(await client.ended, 0);
});

test("a build that fails keeps the server", async () => {
    const its = project();
    const client = proxy(its);

    await shakeHands(client);
    its.breakIt();
    await until(() => client.err.includes("the build failed with status 1"), "the failure");
    assert.match(client.err, /tools\.c:\d+:\d+: error: /);
    client.say(greet(1));
    assert.equal((await client.answer(1)).result.content[0].text, "Hello, Ada!");
    its.write("Repaired");
    await until(() => client.restarts() === 1, "the restart");
    client.say(greet(2));
    assert.equal((await client.answer(2)).result.content[0].text, "Repaired, Ada!");
    client.child.stdin.end();
    assert.equal(await client.ended, 0);
});

test("a server that ends is started again by the next change", async () => {
    const its = project();
    const client = proxy(its);

    await shakeHands(client);
    client.say(call(1, "crash"));
    assert.match((await client.answer(1)).error.message, /^the server exited with status 3; haft dev starts it again/);
    client.say(greet(2));
    assert.match((await client.answer(2)).error.message, /exited with status 3/);
    its.write("Again");
    await until(() => client.restarts() === 1, "the restart");
    client.say(greet(3));
    assert.equal((await client.answer(3)).result.content[0].text, "Again, Ada!");
    client.child.stdin.end();
    assert.equal(await client.ended, 0);
});

test("what a build writes does not start another build for ever", async () => {
    const its = project();
    const client = proxy(its);

    await shakeHands(client);
    const first = its.builds();
    its.write("Hi");
    await until(() => client.restarts() === 1, "the restart");
    const second = its.builds();
    assert.ok(first <= 2, `${first} builds at the start`);
    assert.ok(second - first === 1, `${second - first} builds for a change`);
    /* Another change is another restart, and nothing happened in between. */
    its.write("Ho");
    await until(() => client.restarts() === 2, "the restart");
    assert.equal(its.builds() - second, 1);
    client.child.stdin.end();
    assert.equal(await client.ended, 0);
});

test("a server in a script is started again without a build", async () => {
    const its = project();
    const log = join(its.base, "log");
    const script = join(its.directory, "server.sh");
    const serve = (name) => `#!/bin/sh
echo "start ${name}" >>${log}
trap 'echo hup >>${log}' HUP
sleep 1000 & echo $! >${its.base}/child
while read -r line; do
    echo "$line" >>${log}
    case $line in
    *'"id":'*) id=\${line#*'"id":'}; echo "{\\"jsonrpc\\":\\"2.0\\",\\"id\\":\${id%%,*},\\"result\\":{\\"name\\":\\"${name}\\"}}" ;;
    esac
done
`;
    writeFileSync(script, serve("one"));
    const client = proxy({ directory: its.directory, args: ["dev", "--", "sh", "server.sh"] });
    client.say(request(1, "ping"));
    assert.equal((await client.answer(1)).result.name, "one");
    process.kill(client.child.pid, "SIGHUP");
    client.say(request(2, "ping"));
    await client.answer(2);
    await until(() => readFileSync(log, "utf8").includes("hup\n"), "the signal");
    const child = Number(readFileSync(join(its.base, "child"), "utf8"));
    writeFileSync(script, serve("two"));
    await until(() => client.restarts() === 1, "the restart");
    await until(() => !isAlive(child), "the end of what the server had started");
    client.say(request(3, "ping"));
    assert.equal((await client.answer(3)).result.name, "two");
    /* The end of the input ends everything. */
    const second = Number(readFileSync(join(its.base, "child"), "utf8"));
    assert.ok(isAlive(second));
    client.child.stdin.end();
    assert.equal(await client.ended, 0);
    await until(() => !isAlive(second), "the end of everything");
});

for (const signal of ["SIGTERM", "SIGINT"])
    test(`${signal} ends everything`, async () => {
        const its = project();

        writeFileSync(join(its.directory, "server.sh"), `echo $$ >${its.base}/server; cat >/dev/null; sleep 1000\n`);
        const client = proxy({ directory: its.directory, args: ["dev", "--", "sh", "server.sh"] });
        await until(() => existsSync(join(its.base, "server")) && readFileSync(join(its.base, "server"), "utf8"), "it");
        const server = Number(readFileSync(join(its.base, "server"), "utf8"));
        client.child.kill(signal);
        assert.equal(await client.ended, 130);
        await until(() => !isAlive(server), "the end of the server");
    });

test("the end of the input ends a build", async () => {
    const its = project();
    const client = proxy({
        directory: its.directory,
        args: ["dev", "--build", `echo $$ >${its.base}/build; sleep 1000`, "--", "true"],
    });

    await until(() => existsSync(join(its.base, "build")) && readFileSync(join(its.base, "build"), "utf8"), "it");
    const build = Number(readFileSync(join(its.base, "build"), "utf8"));
    client.child.stdin.end();
    assert.equal(await client.ended, 0);
    await until(() => !isAlive(build), "the end of the build");
});

test("input from a file is answered before the end", async () => {
    const its = project();
    const input = join(its.base, "input");
    const _meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    };

    writeFileSync(input, JSON.stringify(request(0, "server/discover", { _meta })));
    const { status, stdout, stderr } = spawnSync(haft, its.args, {
        cwd: its.directory,
        stdio: [openSync(input), "pipe", "pipe"],
        encoding: "utf8",
    });
    assert.equal(status, 0, stderr);
    assert.ok(JSON.parse(stdout).result, stderr);
});

test("explains what is wrong with a command line", async () => {
    const its = project();
    const rows = [
        [["dev"], 2, /^haft: dev needs -- and the command that starts the server/],
        [["dev", "x", "--", "true"], 2, /^haft: unexpected argument x for dev/],
        [["dev", "--watch", "nowhere", "--", "true"], 6, /^haft: cannot watch nowhere: no such file or directory/],
        [["dev", "--", "./nowhere"], 3, /^haft: cannot start \.\/nowhere: no such file or directory/],
    ];

    for (const [args, code, message] of rows) {
        const client = proxy({ directory: its.directory, args });

        assert.equal(await client.ended, code, args.join(" "));
        assert.match(client.err, message);
    }
});

/* Whether a file has not been written for a second. */
const isStill = (file) => Date.now() - statSync(file).mtimeMs > 1000;

test("a client that reads late gets everything, in order", async () => {
    const its = project();
    const last = 40000;

    writeFileSync(
        join(its.directory, "server.sh"),
        `i=0; while [ $i -lt ${last} ]; do i=$((i + 1)); [ $((i % 1000)) -gt 0 ] || echo $i >${its.base}/sent; echo '{"jsonrpc":"2.0","method":"n","params":{"i":'$i',"x":"${"x".repeat(400)}"}}'; done\n` +
            `touch ${its.base}/all; cat >/dev/null\n`,
    );
    const child = spawn(haft, ["dev", "--", "sh", "server.sh"], { cwd: its.directory, stdio: ["pipe", "pipe", "ignore"] });
    let out = "";

    /* The server is held up as well: 18 MB are more than may wait. */
    child.stdout.pause();
    await until(() => existsSync(join(its.base, "sent")) && isStill(join(its.base, "sent")), "it to wait");
    assert.ok(!existsSync(join(its.base, "all")), "the server waits");
    child.stdout.on("data", (text) => (out += text));
    child.stdout.resume();
    await until(() => existsSync(join(its.base, "all")), "the server's end of it");
    child.stdin.end();
    assert.equal(await new Promise((resolve) => child.on("close", resolve)), 0);
    const numbers = out.trimEnd().split("\n").map((line) => JSON.parse(line).params.i);
    assert.equal(numbers.length, last);
    assert.ok(numbers.every((number, i) => number === i + 1));
});

test("a server that does not read does not keep it from ending", async () => {
    const its = project();

    writeFileSync(join(its.directory, "server.sh"), `echo $$ >${its.base}/server; sleep 1000\n`);
    const client = proxy({ directory: its.directory, args: ["dev", "--", "sh", "server.sh"] });
    await until(() => existsSync(join(its.base, "server")) && readFileSync(join(its.base, "server"), "utf8"), "it");
    const server = Number(readFileSync(join(its.base, "server"), "utf8"));
    /* More than may wait, so that the end of the input is not read. */
    for (let i = 0; i < 100; i++) client.say({ jsonrpc: "2.0", method: "n", params: { x: "x".repeat(200000) } });
    const taken = () => Number(/^rchar: (\d+)/.exec(readFileSync(`/proc/${client.child.pid}/io`, "utf8"))[1]);
    await until(() => taken() > 6e6, "the queue to fill");
    client.child.stdin.destroy();
    assert.equal(await client.ended, 3);
    assert.match(client.err, /the client is gone, and the server does not take its messages/);
    await until(() => !isAlive(server), "the end of the server");
});
