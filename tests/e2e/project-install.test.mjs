/* project-install.test.mjs - `haft install`: the files of clients, on disk. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
    chmodSync, copyFileSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync, statSync,
    symlinkSync, writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, beforeEach, test } from "node:test";
import { spawn } from "./child.mjs";
import { haft } from "./cli.mjs";
import { until } from "./server.mjs";

const directory = realpathSync(mkdtempSync(join(tmpdir(), "haft-install-")));
const home = join(directory, "home");
const server = join(directory, "bin", "server");
const env = { ...process.env, HOME: home, XDG_CONFIG_HOME: "", PATH: `${join(directory, "bin")}:${process.env.PATH}` };
let work;
let count = 0;

mkdirSync(home);
mkdirSync(join(directory, "bin"));
copyFileSync("/bin/true", server);
chmodSync(server, 0o755);
after(() => rmSync(directory, { recursive: true }));

beforeEach(() => {
    work = join(directory, String(++count));
    mkdirSync(work);
});

const install = (...args) => spawnSync(haft, ["install", ...args], { cwd: work, env, encoding: "utf8" });
const read = (file) => JSON.parse(readFileSync(file, "utf8"));

/* Each client: its file, its section, and its entries. */
const CLIENTS = [
    ["claude", join(home, ".config/Claude/claude_desktop_config.json"), "mcpServers", {}, undefined],
    ["claude-code", ".mcp.json", "mcpServers", { type: "stdio" }, { type: "http" }],
    ["vscode", ".vscode/mcp.json", "servers", { type: "stdio" }, { type: "http" }],
    ["cursor", join(home, ".cursor/mcp.json"), "mcpServers", {}, {}],
];

for (const [client, path, section, stdio, http] of CLIENTS)
    test(`adds servers for ${client}, and removes them`, () => {
        const file = path.startsWith("/") ? path : join(work, path);
        const url = "http://127.0.0.1:8808/mcp";
        const added = install(client, "--yes", "--", "../bin/server", "--verbose", "a b");

        assert.equal(added.status, 0, added.stderr);
        assert.deepEqual(read(file), {
            [section]: { server: { ...stdio, command: server, args: ["--verbose", "a b"] } },
        });
        assert.match(added.stdout, /^--- \/dev\/null\n\+\+\+ /);
        assert.ok(added.stdout.includes(`Wrote ${path}. `), added.stdout);
        /* Found by PATH, and the same again. */
        assert.match(install(client, "--", "server", "--verbose", "a b").stdout, /has this entry already/);
        const remote = install(client, "--yes", "--name", "remote", url);
        if (http) {
            assert.equal(remote.status, 0, remote.stderr);
            assert.deepEqual(read(file)[section].remote, { ...http, url });
            assert.equal(install(client, "--remove", "--name", "remote", "--yes").status, 0);
        } else {
            assert.equal(remote.status, 2);
            assert.match(remote.stderr, /has only commands; use -- npx mcp-remote http:/);
        }
        assert.equal(install(client, "--remove", "--name", "server", "--yes").status, 0);
        assert.deepEqual(read(file), { [section]: {} });
    });

test("asks first, or needs --yes", () => {
    const refused = install("vscode", "--", server);

    assert.equal(refused.status, 2);
    assert.match(refused.stderr, /standard input is not a terminal, so haft cannot ask; add --yes/);
    assert.deepEqual(readdirSync(work), []);
    const dry = install("vscode", "--dry-run", "--", server);
    assert.equal(dry.status, 0);
    assert.match(dry.stdout, /^\+ {6}"command": /m);
    assert.deepEqual(readdirSync(work), []);
});

/* `script` gives the program a terminal. */
const onTerminal = (answer, ...args) =>
    new Promise((resolve) => {
        const line = [haft, "install", ...args].map((word) => `'${word}'`).join(" ");
        const child = spawn("script", ["-qec", line, "/dev/null"], { cwd: work, env });
        let out = "";

        child.stdout.on("data", (text) => {
            out += text;
            if (out.endsWith("[y/N] ")) child.stdin.write(`${answer}\n`);
        });
        child.on("close", (status) => resolve({ status, out }));
    });

test("does what the person answers", async () => {
    const file = join(work, "x.json");
    const words = ["cursor", "--file", "x.json", "--name", "x", "--", server];

    assert.equal((await onTerminal("n", ...words)).status, 7);
    assert.deepEqual(readdirSync(work), []);
    assert.equal((await onTerminal("y", ...words)).status, 0);
    assert.equal(read(file).mcpServers.x.command, server);
    const replaced = await onTerminal("n", ...words, "more");
    assert.equal(replaced.status, 7);
    assert.match(replaced.out, /Replace the existing entry x in x\.json\? \[y\/N\]/);
    assert.match(replaced.out, /^-\s+"args": \[\]/m);
    assert.deepEqual(read(file).mcpServers.x.args, []);
});

test("keeps the mode, the link and every other byte", () => {
    const file = join(work, "real.json");
    const link = join(work, "link.json");
    const before = '{\n\t"x": 1.50,\n\t"mcpServers": {\n\t\t"a": {"command": "\\u0061"}\n\t}\n}';

    writeFileSync(file, before);
    chmodSync(file, 0o640);
    symlinkSync("real.json", link);
    assert.equal(install("cursor", "--file", "link.json", "--yes", "--", server).status, 0);
    assert.ok(lstatSync(link).isSymbolicLink());
    assert.equal(statSync(file).mode & 0o777, 0o640);
    assert.equal(read(file).mcpServers.server.command, server);
    assert.equal(install("cursor", "--file", "link.json", "--yes", "--remove", "--name", "server").status, 0);
    assert.equal(readFileSync(file, "utf8"), before);
    assert.deepEqual(readdirSync(work).sort(), ["link.json", "real.json"]);
});

test("explains what it cannot do, and leaves the file alone", () => {
    const rows = [
        ["// comment\n{}", ["--", server], 6, /cannot edit f\.json: invalid JSON at line 1, column 1: /],
        ['{"mcpServers": 1}', ["--", server], 6, /its member "mcpServers" is not an object/],
        ["{}", ["--", "./nowhere"], 2, /cannot find \.\/nowhere: No such file or directory/],
        ["{}", ["--", "no-such-command"], 2, /cannot find the command no-such-command in PATH/],
        ["{}", ["--", "./f.json"], 2, /\.\/f\.json is not an executable file/],
        ["{}", ["--name", "a b", "--", server], 2, /invalid name a b: use up to 64 letters/],
        ["{}", ["http://h/mcp"], 2, /add --name NAME/],
        ["{}", ["--name", "x", "h/mcp"], 2, /h\/mcp is not a URL/],
        ["{}", ["--remove", "--name", "x"], 2, /f\.json has no server x/],
        ["{}", [], 2, /install needs -- and the command that starts the server, or its URL/],
    ];

    for (const [text, args, status, message] of rows) {
        writeFileSync(join(work, "f.json"), text);
        const got = install("cursor", "--file", "f.json", "--yes", ...args);

        assert.equal(got.status, status, got.stderr);
        assert.match(got.stderr, message);
        assert.equal(readFileSync(join(work, "f.json"), "utf8"), text);
    }
    assert.match(install("emacs", "--", server).stderr, /unknown client emacs; choose claude, /);
    assert.match(install("cursor", "--file", ".", "--yes", "--", server).stderr, /cannot read \.: Is a directory/);
});

test("warns about a relative path", () => {
    writeFileSync(join(work, "config.json"), "");
    const { status, stderr } = install("vscode", "--yes", "--", server, "config.json");

    assert.equal(status, 0);
    assert.match(stderr, /write the absolute path instead of config\.json/);
});

test("changes nothing when it cannot write", () => {
    const text = `{"mcpServers": {}, "long": "${"x".repeat(600)}"}`;

    writeFileSync(join(work, "f.json"), text);
    /* As if the disk were full: a file is limited to 512 bytes. */
    const full = spawnSync(
        "sh",
        ["-c", `trap '' XFSZ; ulimit -f 1; exec "$@"`, "sh", haft, "install", "cursor", "--file", "f.json", "--yes", "--", server],
        { cwd: work, env, encoding: "utf8" },
    );
    assert.equal(full.status, 6);
    assert.match(full.stderr, /^haft: cannot write f\.json: File too large\n$/);
    assert.equal(readFileSync(join(work, "f.json"), "utf8"), text);
    assert.deepEqual(readdirSync(work), ["f.json"]);
    const nowhere = install("cursor", "--file", "/proc/x/f.json", "--yes", "--", server);
    assert.equal(nowhere.status, 6);
    assert.match(nowhere.stderr, /^haft: cannot create the directory \/proc\/x: /);
});

test("does not overwrite a change that came meanwhile", async () => {
    const file = join(work, "x.json");
    const line = `'${haft}' install cursor --file x.json -- '${server}'`;
    const child = spawn("script", ["-qec", line, "/dev/null"], { cwd: work, env });
    let out = "";

    writeFileSync(file, "{}");
    child.stdout.on("data", (text) => (out += text));
    const ended = new Promise((resolve) => child.on("close", resolve));
    await until(() => out.endsWith("[y/N] "), "the question");
    writeFileSync(file, '{"mine": 1}');
    child.stdin.write("y\n");
    assert.equal(await ended, 6);
    assert.match(out, /x\.json has changed meanwhile; try again/);
    assert.deepEqual(read(file), { mine: 1 });
    assert.deepEqual(readdirSync(work), ["x.json"]);
});
