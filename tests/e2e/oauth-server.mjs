/* oauth-server.mjs - haft as a resource server, in each of its forms, behind a real authorization server; and clients of
 * the official SDKs that log in without a screen. */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
    Client as ClientV2,
    DpopSession,
    StreamableHTTPClientTransport as HttpV2,
    UnauthorizedError as UnauthorizedV2,
} from "@modelcontextprotocol/client";
import { UnauthorizedError as UnauthorizedV1 } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { browse, Issuer } from "./authorize.mjs";
import { haft, run } from "./cli.mjs";
import { MODERN, modernHeaders, modernMessage, post } from "./http-client.mjs";
import { Server } from "./http-server.mjs";
import { example, freePort } from "./server.mjs";

export const SCOPES = "notes:read notes:write";
const driver = join(example("."), "..", "tests", "oauth-driver");
/* How this server asks about opaque tokens. */
export const ASKER = { client_id: "server", client_secret: "server-secret-0123456789", redirect_uris: [], response_types: [], grant_types: [] };

/* ---- servers ---- */

const issuerWords = (issuer) => [issuer.url, issuer.asked ? `introspection=auto client=${ASKER.client_id} secret-file=${issuer.asked}` : ""].join(" ").trim();
const common = ({ resource, issuers }) => ["--oauth-resource", resource, "--oauth-scopes", "notes:read", "--log-level", "debug", ...issuers.flatMap((issuer) => ["--oauth-issuer", issuerWords(issuer)])];

/* The command of each form, for { port, resource, issuers, directory, more }. */
export const forms = {
    "haft_main": (how) => [example("oauth-server"), "--http", `127.0.0.1:${how.port}`, ...common(how), ...(how.more ?? [])],
    "a program with an authenticator of its own": ({ port, resource, issuers: [issuer], more = [] }) => [
        driver,
        `address=127.0.0.1:${port}`,
        `resource=${resource}`,
        `issuer=${issuer.url}`,
        "scopes=notes:read",
        ...(issuer.asked ? ["introspection=", `client=${ASKER.client_id}`, `secret=${ASKER.client_secret}`] : []),
        ...more,
    ],
    "a gateway": ({ port, resource, issuers, directory, more = [] }) => {
        const file = join(directory, "config.json");
        const asks = { introspection: "auto", client_id: ASKER.client_id };
        const options = {
            resource: new URL(resource).origin /* several resources: each has its own path */,
            scopes: "notes:read",
            issuers: issuers.map((issuer) => ({ url: issuer.url, ...(issuer.asked ? { ...asks, client_secret_file: issuer.asked } : {}) })),
        };
        const config = {
            plugins: [join(example("."), "..", "tests", "plugins", "notes.so")],
            gateway: {
                policies: [{ name: "login", policy: "oauth", options }],
                routes: { "GET /notes": { policies: ["login"] } },
                endpoints: [{ policies: ["login"] }],
            },
        };

        writeFileSync(file, JSON.stringify(config));
        return [haft, "serve", "--config", file, "--http", `127.0.0.1:${port}`, "--log-level", "debug", ...more];
    },
};

/* Issuers, one for each of their options, and a server that trusts them, for as long as `use` takes.  Afterwards the
 * server must have ended well, and nothing that is secret may be in what it has printed. */
export async function withNotes({ form = "haft_main", issuers: kinds = [{}], more }, use) {
    const port = await freePort();
    const resource = `http://127.0.0.1:${port}/mcp`;
    const directory = mkdtempSync(join(tmpdir(), "haft-oauth-"));
    const issuers = [];
    let server;

    try {
        for (const { opaque, ...options } of kinds) {
            const issuer = await Issuer.start({ scopes: SCOPES, resources: [resource], format: opaque ? "opaque" : "jwt", ...options, clients: [ASKER, ...(options.clients ?? [])] });

            issuers.push(issuer);
            if (!opaque) continue;
            issuer.asked = join(directory, `secret-${issuers.length}`);
            writeFileSync(issuer.asked, `${ASKER.client_secret}\n`, { mode: 0o600 });
        }
        const words = typeof more === "function" ? await more(directory) : more;
        const [program, ...args] = forms[form]({ port, resource, issuers, directory, more: words });

        server = await new Server(program, args).ready();
        assert.equal(server.url, resource);
        await use({ server, url: resource, issuer: issuers[0], issuers, directory });
        assert.equal(await server.stop(), 0, server.log());
        for (const secret of [ASKER.client_secret, ...issuers.flatMap((issuer) => [...issuer.secrets])])
            assert.ok(!server.log().includes(secret), `${secret} in ${server.log()}`);
    } finally {
        server?.process.kill("SIGKILL");
        issuers.forEach((issuer) => issuer.close());
        rmSync(directory, { recursive: true });
    }
}

/* ---- requests without a client ---- */

/* A modern request with credentials; its status, headers and body. */
export async function request(url, authorization, method = "tools/list", params = {}, headers = {}) {
    const answer = await post(url, modernMessage(method, params), modernHeaders(method, params, { authorization, ...headers }));
    const text = await answer.text();

    return { status: answer.status, headers: answer.headers, challenge: answer.headers["www-authenticate"], body: text ? JSON.parse(text) : undefined };
}

export const callTool = (url, token, name, args = {}, headers) => request(url, `Bearer ${token}`, "tools/call", { name, arguments: args }, headers);
export const textOf = (answer) => (answer.result ?? answer.body?.result ?? answer).content?.[0]?.text;
export const metadataUrl = (url) => url.replace(/\/mcp$/, "/.well-known/oauth-protected-resource/mcp");

/* ---- the official clients ---- */

const REDIRECT = "http://127.0.0.1:9/callback";

/* What an application keeps for its client, and the person at the browser. */
export class Login {
    opened = [];
    redirectUrl = REDIRECT;
    #saved = {};

    constructor({ dpop } = {}) {
        if (dpop) {
            const session = DpopSession.create();

            this.dpop = () => session;
        }
    }

    get clientMetadata() {
        return {
            client_name: "e2e",
            application_type: "native",
            redirect_uris: [REDIRECT],
            grant_types: ["authorization_code", "refresh_token"],
            response_types: ["code"],
            token_endpoint_auth_method: "none",
        };
    }
    clientInformation = () => this.#saved.client;
    saveClientInformation = (client) => void (this.#saved.client = client);
    tokens = () => this.#saved.tokens;
    saveTokens = (tokens) => void (this.#saved.tokens = tokens);
    saveCodeVerifier = (verifier) => void (this.#saved.verifier = verifier);
    codeVerifier = () => this.#saved.verifier;
    redirectToAuthorization = (url) => void this.opened.push(url);
    saveDiscoveryState = (state) => void (this.#saved.discovery = state);
    discoveryState = () => this.#saved.discovery;
    invalidateCredentials = (scope) => {
        if (scope === "all") this.#saved = {};
        else delete this.#saved[{ client: "client", tokens: "tokens", verifier: "verifier", discovery: "discovery" }[scope]];
    };
}

export const sdks = [
    { name: "sdk 1.32.2", Client: ClientV1, Http: HttpV1, Unauthorized: UnauthorizedV1, options: {} },
    { name: "client 2.4.0, 2025", Client: ClientV2, Http: HttpV2, Unauthorized: UnauthorizedV2, options: {} },
    { name: "client 2.4.0, 2026", Client: ClientV2, Http: HttpV2, Unauthorized: UnauthorizedV2, options: { versionNegotiation: { mode: { pin: MODERN } } } },
];

/* The browser's part: from the last login that the client wanted to the code that it needs. */
async function agree({ Http }, login, transport) {
    const end = await browse(login.opened.at(-1).href, (url) => url.startsWith(REDIRECT));
    const query = new URL(end).searchParams;

    assert.equal(query.get("error"), null, end);
    await transport.finishAuth(Http === HttpV2 ? query : query.get("code"));
}

/* A connected client, which has logged in if the server wanted it. */
export async function connect(sdk, url, login) {
    for (let attempt = 0; attempt < 3; attempt++) {
        const client = new sdk.Client({ name: "haft-e2e", version: "1.0.0" }, sdk.options);
        const transport = new sdk.Http(new URL(url), { authProvider: login });

        try {
            await client.connect(transport);
            return client;
        } catch (error) {
            if (!(error instanceof sdk.Unauthorized)) throw error;
            await agree(sdk, login, transport);
            await client.close();
        }
    }
    throw new Error("logged in three times, and still refused");
}

/* Calls a tool, and agrees to what it needs on the way. */
export async function use(sdk, client, login, name, args = {}) {
    const call = () => client.callTool({ name, arguments: args });

    try {
        return textOf(await call());
    } catch (error) {
        if (!(error instanceof sdk.Unauthorized)) throw error;
        await agree(sdk, login, client.transport);
        return textOf(await call());
    }
}

/* ---- our own program ---- */

/* Runs haft as a person does, who opens the URL that it prints. */
export function haftAs(state) {
    const env = { XDG_STATE_HOME: state, NO_COLOR: "1" };
    const outputs = [];
    const keep = async (promise) => {
        const got = await promise;

        outputs.push(got.out + got.err);
        return got;
    };
    const login = (url, ...more) => {
        let err = "";
        let opened;

        return keep(
            run(["login", url, "--no-browser", "--timeout", "60", ...more], {
                env,
                started: (child) =>
                    child.stderr.on("data", (text) => {
                        err += text;
                        const line = /^(http\S+\/auth\?\S+)\n/m.exec(err)?.[1];

                        if (line && !opened) opened = browse(line).catch(() => {});
                    }),
            }),
        );
    };

    return { program: haft, outputs, login, run: (...args) => keep(run(args, { env })) };
}
