/* tls.test.mjs - https as other programs see it: openssl, curl, node, the official client, and our own. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import https from "node:https";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { after, before, test } from "node:test";
import tls from "node:tls";
import { spawn } from "./child.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const build = process.env.HAFT_BUILD ?? join(root, "build/dev");
const folder = mkdtempSync(join(tmpdir(), "haft-tls-"));
const file = (name) => join(folder, name);

/* ---- certificates ---- */

function openssl(...args) {
    const { status, stderr } = spawnSync("openssl", args, { encoding: "utf8" });

    assert.equal(status, 0, stderr);
}

const NEW_KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];

function authority(name) {
    openssl("req", "-x509", ...NEW_KEY, "-subj", `/CN=${name}`, "-days", "2", "-keyout", file(`${name}.key`), "-out", file(`${name}.pem`));
}

/* `openssl x509` of OpenSSL 3.5 issues no certificate that has expired; `openssl ca` does. */
const EXPIRED = ["-startdate", "20200101000000Z", "-enddate", "20200201000000Z"];

function issueExpired(name, by) {
    writeFileSync(file("index"), "");
    writeFileSync(file("serial"), "7001\n");
    writeFileSync(
        file("ca.conf"),
        `[ca]\ndefault_ca=x\n[x]\ndatabase=${file("index")}\nserial=${file("serial")}\nnew_certs_dir=${folder}\ndefault_md=sha256\npolicy=any\n[any]\ncommonName=supplied\n`,
    );
    openssl("ca", "-batch", "-notext", "-config", file("ca.conf"), "-cert", file(`${by}.pem`), "-keyfile", file(`${by}.key`),
        "-in", file("request"), "-extfile", file("extensions"), ...EXPIRED, "-out", file(`${name}.pem.new`));
}

/* A certificate NAME.pem with NAME.key. */
function issue(name, host, { by = "ca", expired = false } = {}) {
    writeFileSync(file("extensions"), `subjectAltName=DNS:${host},IP:127.0.0.1\n`);
    openssl("req", ...NEW_KEY, "-subj", `/CN=${host}`, "-keyout", file(`${name}.key.new`), "-out", file("request"));
    if (expired) issueExpired(name, by);
    else
        openssl("x509", "-req", "-in", file("request"), "-CA", file(`${by}.pem`), "-CAkey", file(`${by}.key`), "-CAcreateserial",
            "-days", "2", "-extfile", file("extensions"), "-out", file(`${name}.pem.new`));
    for (const end of ["key", "pem"]) renameSync(file(`${name}.${end}.new`), file(`${name}.${end}`));
}

before(() => {
    authority("ca");
    authority("stranger");
    issue("localhost", "localhost");
    issue("other", "other.test");
    issue("client", "client");
    issue("old", "client", { expired: true });
    issue("foreign", "client", { by: "stranger" });
});
after(() => rmSync(folder, { recursive: true }));

/* ---- the server ---- */

async function withServer(args, use) {
    const server = spawn(join(build, "tests/tls-driver"), ["cert=" + file("localhost.pem"), "key=" + file("localhost.key"), ...args]);
    const ended = new Promise((resolve) => server.on("close", (code) => resolve(code)));
    let errors = "";

    server.stderr.on("data", (text) => (errors += text));
    try {
        const url = await new Promise((resolve, reject) => {
            server.stdout.once("data", (text) => resolve(String(text).trim()));
            ended.then((code) => reject(new Error(`ended with ${code}: ${errors}`)));
        });

        await use({ url, port: Number(new URL(url).port), server, log: () => errors });
    } finally {
        server.kill("SIGTERM");
        assert.equal(await ended, 0, errors);
    }
}

const PING = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
const ADD = { name: "add", arguments: { a: 2, b: 3 } };

/* What openssl s_client says after `input`. */
const sClient = (port, args = [], input = "") =>
    new Promise((resolve) => {
        const child = spawn("openssl", ["s_client", "-connect", `127.0.0.1:${port}`, "-CAfile", file("ca.pem"), ...args]);
        let out = "";

        for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (out += text));
        child.on("close", (code) => resolve({ code, out }));
        child.stdin.on("error", () => {}); /* it may have ended */
        child.stdin.end(input);
    });

const curl = (url, ...args) =>
    spawnSync("curl", ["-sS", "--cacert", file("ca.pem"), "-H", "Content-Type: application/json", "-d", PING, ...args, url], { encoding: "utf8" });

const pinged = (result) => assert.equal(result.stdout, '{"jsonrpc":"2.0","id":1,"result":{}}', result.stderr);

/* ---- handshakes ---- */

const HANDSHAKES = [
    ["TLS 1.3", ["-tls1_3"], /New, TLSv1\.3, Cipher is TLS_/],
    ["TLS 1.2", ["-tls1_2"], /New, TLSv1\.2, Cipher is ECDHE-ECDSA-(AES|CHACHA)/],
    ["TLS 1.1", ["-tls1_1", "-cipher", "DEFAULT@SECLEVEL=0"], /alert protocol version/],
    ["TLS 1.0", ["-tls1", "-cipher", "DEFAULT@SECLEVEL=0"], /alert protocol version/],
    ["a cipher without forward secrecy", ["-tls1_2", "-cipher", "AES128-GCM-SHA256"], /alert handshake failure/],
    ["a cipher with CBC", ["-tls1_2", "-cipher", "ECDHE-ECDSA-AES128-SHA256"], /alert handshake failure/],
    ["ALPN", ["-alpn", "h2,http/1.1"], /ALPN protocol: http\/1\.1/],
    ["ALPN without http/1.1", ["-alpn", "h2"], /alert no application protocol/],
    ["no name", ["-noservername"], /subject=CN ?= ?localhost/],
    ["a name", ["-servername", "other.test"], /subject=CN ?= ?other\.test/],
    ["an unknown name", ["-servername", "unknown.test"], /subject=CN ?= ?localhost/],
    ["the chain", [], /Verify return code: 0 \(ok\)/],
    ["no compression", ["-tls1_2"], /Compression: NONE/],
    ["renegotiation", ["-tls1_2"], /no renegotiation|RENEGOTIATING[^]*(error|no_renegotiation)/i, "R\n"],
];

test("handshakes", async (t) => {
    await withServer(["cert=" + file("other.pem"), "key=" + file("other.key")], async ({ port }) => {
        for (const [name, args, expected, input] of HANDSHAKES)
            await t.test(name, async () => assert.match((await sClient(port, args, input)).out, expected));
    });
});

/* Every cipher suite that OpenSSL knows, one after the other, at the lowest level of security. */
test("no other ciphers, groups and signatures than those that are safe", async (t) => {
    const list = (...args) => spawnSync("openssl", ["ciphers", "-s", ...args], { encoding: "utf8" }).stdout.trim().split(":");
    const ciphers = list("-tls1_2", "ALL:COMPLEMENTOFALL:@SECLEVEL=0");
    const take = async (port, ...args) => (await sClient(port, args)).out.match(/New, \S+, Cipher is (?!\(NONE\))(\S+)/)?.[1];

    assert.ok(ciphers.length > 40, `${ciphers.length} ciphers`);
    await withServer([], async ({ port }) => {
        const taken = [];

        for (const cipher of ciphers)
            if (await take(port, "-tls1_2", "-cipher", `${cipher}:@SECLEVEL=0`)) taken.push(cipher);
        assert.deepEqual(taken.sort(), ["ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-ECDSA-AES256-GCM-SHA384", "ECDHE-ECDSA-CHACHA20-POLY1305"]);
        for (const cipher of ["TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"])
            assert.equal(await take(port, "-tls1_3", "-ciphersuites", cipher), cipher);
        assert.equal(await take(port, "-tls1_3", "-ciphersuites", "TLS_AES_128_CCM_8_SHA256"), undefined);
        for (const version of ["-tls1_2", "-tls1_3"]) {
            assert.ok(await take(port, version, "-groups", "P-256"), version);
            assert.equal(await take(port, version, "-sigalgs", "ECDSA+SHA1", "-cipher", "ALL:@SECLEVEL=0"), undefined, version);
        }
        t.diagnostic(`${ciphers.length} ciphers of TLS 1.2 tried`);
    });
});

const CLIENTS = [
    ["required", "client", 43],
    ["required", null, 0],
    ["required", "foreign", 0],
    ["required", "old", 0],
    ["optional", "client", 43],
    ["optional", null, 4],
    ["optional", "foreign", 0],
    ["optional", "old", 0],
];

test("client certificates", async (t) => {
    for (const mode of ["required", "optional"])
        await withServer(["ca=" + file("ca.pem"), ...(mode === "optional" ? ["optional"] : [])], async ({ url }) => {
            for (const [when, name, size] of CLIENTS.filter(([when]) => when === mode))
                await t.test(`${when}, ${name ?? "none"}`, () => {
                    const own = name ? ["--cert", file(`${name}.pem`), "--key", file(`${name}.key`)] : [];
                    const result = spawnSync("curl", ["-sS", "--cacert", file("ca.pem"), ...own, `${url}?certificate`], { encoding: "utf8" });

                    assert.equal(result.stdout.length, size, `${result.stdout} ${result.stderr}`);
                    if (!size) assert.match(result.stderr, /alert|SSL|reset/i);
                    if (size === 43) {
                        const der = spawnSync("openssl", ["x509", "-in", file(`${name}.pem`), "-outform", "DER"]).stdout;
                        const hash = spawnSync("openssl", ["dgst", "-sha256", "-binary"], { input: der }).stdout;

                        assert.equal(result.stdout, hash.toString("base64url"));
                    }
                });
        });
});

/* ---- what is not TLS ---- */

const sendRaw = (port, bytes) =>
    new Promise((resolve, reject) => {
        const socket = net.connect(port, "127.0.0.1", () => socket.write(bytes));
        let out = "";

        socket.on("data", (data) => (out += data.toString("latin1")));
        socket.on("error", (error) => (error.code === "ECONNRESET" ? resolve(out) : reject(error)));
        socket.on("close", () => resolve(out));
    });

test("plain HTTP, garbage, and a handshake that never ends", async () => {
    await withServer(["header=1000"], async ({ url, port }) => {
        const plain = await sendRaw(port, "POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n");

        assert.match(plain, /^HTTP\/1\.1 400 Bad Request\r\n[^]*plain HTTP was sent to an HTTPS port/);
        assert.doesNotMatch(await sendRaw(port, Buffer.alloc(1000)), /HTTP/);
        assert.doesNotMatch(await sendRaw(port, Buffer.from("1603010005010000010000", "hex")), /HTTP/);

        const began = Date.now();
        const hello = Buffer.from("16030102000100 01fc0303".replace(" ", ""), "hex");
        const socket = net.connect(port, "127.0.0.1");
        let at = 0;
        const timer = setInterval(() => socket.write(hello.subarray(at++ % hello.length, (at - 1) % hello.length + 1)), 200);

        socket.on("error", () => {});
        await new Promise((resolve) => socket.on("close", resolve).resume());
        clearInterval(timer);
        assert.ok(Date.now() - began < 10000);
        pinged(curl(url));
    });
});

test("a request that was cut off is not executed, and the server goes on", async () => {
    await withServer([], async ({ url, port }) => {
        const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: ADD });
        const raw = net.connect(port, "127.0.0.1");
        const socket = tls.connect({ socket: raw, ca: readFileSync(file("ca.pem")), servername: "localhost" });
        let out = "";

        await new Promise((resolve) => socket.on("secureConnect", resolve));
        socket.on("error", () => {}).on("data", (data) => (out += data));
        await new Promise((resolve) => socket.write(`POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length + 1}\r\n\r\n${body}`, resolve));
        raw.end(); /* without close_notify */
        await new Promise((resolve) => raw.on("close", resolve));
        pinged(curl(url));
        assert.equal(out, "");
    });
});

/* ---- clients ---- */

test("curl, with TLS 1.2 and 1.3, and a long body", async () => {
    await withServer([], async ({ url }) => {
        const long = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping", params: { _meta: { x: "x".repeat(500000) } } });

        writeFileSync(file("long.json"), long);
        pinged(curl(url, "--tlsv1.3"));
        pinged(curl(url, "--tlsv1.2", "--tls-max", "1.2"));
        assert.equal(spawnSync("curl", ["-sS", "--cacert", file("ca.pem"), "-H", "Content-Type: application/json", "-H", "Expect:", "--data-binary", `@${file("long.json")}`, url], { encoding: "utf8" }).stdout,
            '{"jsonrpc":"2.0","id":1,"result":{}}');
        assert.match(spawnSync("curl", ["-sS", url], { encoding: "utf8" }).stderr, /certificate/);
    });
});

const OFFICIAL = `
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
const client = new Client({ name: "test", version: "1" });
await client.connect(new StreamableHTTPClientTransport(new URL(process.argv[1])));
const result = await client.callTool(${JSON.stringify(ADD)});
process.stdout.write(result.content[0].text);
await client.close();
`;

test("the official client", async () => {
    await withServer(["threads=2"], async ({ url }) => {
        const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", OFFICIAL, url.replace("127.0.0.1", "localhost")], {
            encoding: "utf8",
            cwd: join(root, "tests/e2e"),
            env: { ...process.env, NODE_EXTRA_CA_CERTS: file("ca.pem") },
        });

        assert.equal(stdout, "5", stderr);
    });
});

test("our own client", { skip: existsSync(join(build, "bin/haft")) ? false : "the program haft is not built" }, async () => {
    await withServer(["threads=2"], async ({ url }) => {
        const call = (...args) => spawnSync(join(build, "bin/haft"), ["call", ...args, url, "add", "a=2", "b=3"], { encoding: "utf8" });
        const trusted = call("--ca", file("ca.pem")), refused = call();

        assert.equal(trusted.stdout, "5\n", trusted.stderr);
        assert.notEqual(refused.status, 0);
        assert.match(refused.stderr, /certificate/i);
    });
});

/* ---- new certificates ---- */

const get = (url, agent) =>
    new Promise((resolve, reject) => {
        const request = https.request(url, { method: "POST", agent, headers: { "Content-Type": "application/json" } }, (response) => {
            const { socket } = response;
            let text = "";

            response.on("data", (data) => (text += data));
            response.on("end", () => resolve({ status: response.statusCode, text, name: socket.getPeerCertificate().subject?.CN }));
        });

        request.on("error", reject).end(PING);
    });

test("new certificates under load, and wrong ones", async () => {
    await withServer(["threads=2"], async ({ url, server, log }) => {
        const options = { ca: readFileSync(file("ca.pem")), checkServerIdentity: () => undefined };
        const agents = [new https.Agent({ ...options, keepAlive: true, maxSockets: 4 }), new https.Agent({ ...options, keepAlive: false, maxSockets: 4, maxCachedSessions: 0 })];
        let ends = false, calls = 0;
        const names = new Set();
        const loads = agents.flatMap((agent) => [1, 2, 3, 4].map(async () => {
            while (!ends) {
                const { status, text, name } = await get(url, agent);

                assert.equal(status, 200, text);
                names.add(name);
                calls++;
            }
        }));

        try {
            for (let i = 1; i <= 5; i++) {
                const at = calls;

                issue("localhost", `number${i}`);
                server.kill("SIGHUP");
                while (!names.has(`number${i}`)) await Promise.race([new Promise((resolve) => setTimeout(resolve, 5)), ...loads]);
                assert.ok(calls > at);
            }
            writeFileSync(file("localhost.key"), "no key\n");
            server.kill("SIGHUP");
            while (!/localhost\.key: cannot use the private key: the file contains no private key in PEM; the TLS certificates stay/.test(log()))
                await new Promise((resolve) => setTimeout(resolve, 5));
            /* Each loop takes the latest certificate in a turn of its own. */
            let last;

            for (let i = 0; i < 100 && last !== "number5"; i++) ({ name: last } = await get(url, agents[1]));
            assert.equal(last, "number5");
        } finally {
            ends = true;
            await Promise.all(loads);
            for (const agent of agents) agent.destroy();
            issue("localhost", "localhost");
        }
    });
});

/* ---- many connections ---- */

const MANY = 5000;
const MANY_SCRIPT = `
import tls from "node:tls";
import { readFileSync } from "node:fs";
const [, port, ca, n] = process.argv;
const context = tls.createSecureContext({ ca: readFileSync(ca) });
const body = ${JSON.stringify(PING)};
const request = "POST /mcp HTTP/1.1\\r\\nHost: localhost\\r\\nContent-Type: application/json\\r\\nContent-Length: " + body.length + "\\r\\n\\r\\n" + body;
const sockets = [];
const ask = (socket) => new Promise((resolve, reject) => {
    socket.once("data", (data) => (String(data).includes('"result":{}') ? resolve() : reject(new Error(String(data)))));
    socket.write(request);
});
const open = () => new Promise((resolve, reject) => {
    const socket = tls.connect({ port, host: "127.0.0.1", secureContext: context, servername: "localhost" });
    socket.once("error", reject).once("secureConnect", () => { sockets.push(socket); resolve(); });
});
for (let at = 0; at < n; at += 50) await Promise.all(Array.from({ length: 50 }, open));
for (let at = 0; at < n; at += 500) await Promise.all(sockets.slice(at, at + 500).map(ask));
process.stdout.write(String(sockets.length));
process.exit();
`;

test(`${MANY} connections at once`, async (t) => {
    const limit = spawnSync("sh", ["-c", `ulimit -n ${MANY + 500}`]);

    if (limit.status !== 0) return t.skip(`the limit of open files cannot be raised to ${MANY + 500}`);
    await withServer([], async ({ port, server }) => {
        spawnSync("prlimit", [`--nofile=${MANY + 500}`, "--pid", String(server.pid)]);
        const child = spawn("sh", ["-c", `ulimit -n ${MANY + 500} && exec "$0" "$@"`, process.execPath, "--input-type=module", "-e", MANY_SCRIPT, String(port), file("ca.pem"), String(MANY)]);
        let out = "", errors = "";

        child.stdout.on("data", (text) => (out += text));
        child.stderr.on("data", (text) => (errors += text));
        await new Promise((resolve) => child.on("close", resolve));
        assert.equal(out, String(MANY), errors);
    });
});
