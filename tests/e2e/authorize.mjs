/* authorize.mjs - a real authorization server (oidc-provider), a resource server that verifies tokens with jose, a
 * browser without a screen, and the driver that asks for access. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";
import * as jose from "jose";
import Provider, { errors } from "oidc-provider";
import { spawn } from "./child.mjs";
import { example } from "./server.mjs";

const program = join(example("."), "..", "tests", "authorize-driver");
const SCOPES = "mcp:basic mcp:write";

/* A key for signing, as it is in the document of an issuer (with its private part). */
async function signingKey(alg, kid) {
    const { privateKey } = await jose.generateKeyPair(alg, { extractable: true, modulusLength: 2048 });

    return { ...(await jose.exportJWK(privateKey)), alg, kid, use: "sig" };
}

export async function listen(handler, host = "127.0.0.1") {
    const server = createServer(handler);

    server.listen(0, host);
    await once(server, "listening");
    return { server, origin: `http://${host}:${server.address().port}` };
}

/* Collects the body of a response while it is written. */
function tap(response, use) {
    const pieces = [];
    const { write, end } = response;

    response.write = (piece, ...rest) => (pieces.push(Buffer.from(piece)), write.call(response, piece, ...rest));
    response.end = (piece, ...rest) => {
        if (piece && typeof piece !== "function") pieces.push(Buffer.from(piece));
        use(Buffer.concat(pieces).toString());
        return end.call(response, piece, ...rest);
    };
}

/* ---- the authorization server ---- */

export class Issuer {
    secrets = new Set(); /* everything that no output may contain */
    issuedAt = 0; /* when the last token was */
    requests = []; /* [method, path] */

    static async start(options = {}) {
        const issuer = new Issuer();
        const { server, origin } = await listen((request, response) => issuer.#handle(request, response));

        issuer.server = server;
        issuer.url = origin;
        issuer.options = { lifetime: 300, resources: [], clients: [], scopes: SCOPES, alg: "ES256", account: "ada", ...options };
        await issuer.rotate("one");
        return issuer;
    }

    /* Signs with a new key from now on; those before it stay in the document. */
    async rotate(kid) {
        this.jwks = { keys: [await signingKey(this.options.alg, kid), ...(this.jwks?.keys ?? [])] };
        this.provider = this.#provider();
        this.callback = this.provider.callback();
    }

    /* An access token of this issuer that nobody asked for. */
    async mint(claims, { header = {}, key = this.jwks.keys[0] } = {}) {
        const now = Math.floor(Date.now() / 1000);
        const all = { iss: this.url, aud: this.options.resources[0], sub: "ada", client_id: "minted", iat: now, exp: now + 300, ...claims };

        const token = await new jose.SignJWT(all)
            .setProtectedHeader({ alg: key.alg, typ: "at+jwt", kid: key.kid, ...header })
            .sign(await jose.importJWK(key, key.alg));

        this.secrets.add(token);
        return token;
    }

    #provider() {
        const machine = { redirect_uris: [], response_types: [], grant_types: ["client_credentials"] };
        const provider = new Provider(this.url, {
            jwks: this.jwks,
            clientDefaults: { id_token_signed_response_alg: this.options.alg },
            enabledJWA: { idTokenSigningAlgValues: [this.options.alg] },
            scopes: ["openid", "offline_access", ...this.options.scopes.split(" ")],
            clients: this.options.clients.map((client) => ({ ...(client.machine ? machine : {}), ...client, machine: undefined })),
            /* Clients of the SDK register the scopes of their first login, and would get no others. */
            extraClientMetadata: { properties: ["any_scope"], validator: (ctx, key, value, metadata) => void delete metadata.scope },
            clientAuthMethods: ["none", "client_secret_basic", "client_secret_post", "private_key_jwt"],
            pkce: { required: () => true },
            cookies: { keys: ["test"] },
            ttl: { AccessToken: () => this.options.lifetime, Session: 600, Grant: 600, Interaction: 600, RefreshToken: 600, ClientCredentials: () => this.options.lifetime },
            features: {
                devInteractions: { enabled: false },
                registration: { enabled: true },
                revocation: { enabled: true, allowedPolicy: () => true },
                clientCredentials: { enabled: true },
                introspection: { enabled: true, allowedPolicy: (ctx, client) => client.clientId === "server" },
                dPoP: {
                    enabled: true,
                    nonceSecret: this.options.nonce ? Buffer.alloc(32, 1) : undefined,
                    requireNonce: () => Boolean(this.options.nonce),
                },
                resourceIndicators: {
                    enabled: true,
                    useGrantedResource: () => true,
                    getResourceServerInfo: (ctx, resource) => {
                        if (!this.options.resources.includes(resource)) throw new errors.InvalidTarget();
                        return {
                            scope: this.options.scopes,
                            audience: resource,
                            accessTokenTTL: this.options.lifetime,
                            accessTokenFormat: this.options.format ?? "jwt",
                            jwt: { sign: { alg: this.options.alg } },
                        };
                    },
                },
            },
            rotateRefreshToken: true,
            issueRefreshToken: (ctx, client, code) => this.options.refresh || code.scopes.has("offline_access"),
            findAccount: (ctx, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
            interactions: { url: (ctx, interaction) => `/interaction/${interaction.uid}` },
        });

        provider.use((ctx, next) => this.#consent(ctx, next));
        return provider;
    }

    /* The person agrees to everything, or to nothing. */
    async #consent(ctx, next) {
        const { provider } = this;

        if (!ctx.path.startsWith("/interaction/")) return next();
        const details = await provider.interactionDetails(ctx.req, ctx.res);
        const finish = (result) =>
            provider.interactionFinished(ctx.req, ctx.res, result, { mergeWithLastSubmission: true });

        if (this.options.refuse) return finish({ error: "access_denied", error_description: "no" });
        if (details.prompt.name === "login") return finish({ login: { accountId: this.options.account } });
        const grant = details.grantId
            ? await provider.Grant.find(details.grantId)
            : new provider.Grant({ accountId: details.session.accountId, clientId: details.params.client_id });
        const { missingOIDCScope, missingResourceScopes } = details.prompt.details;

        if (missingOIDCScope) grant.addOIDCScope(missingOIDCScope.join(" "));
        for (const [resource, scopes] of Object.entries(missingResourceScopes ?? {}))
            grant.addResourceScope(resource, scopes.join(" "));
        return finish({ consent: { grantId: await grant.save() } });
    }

    #handle(request, response) {
        const url = new URL(request.url, this.url);
        const { push } = request;
        let body = "";

        this.requests.push([request.method, url.pathname]);
        /* Without reading it, which the provider does. */
        request.push = (piece, ...rest) => {
            if (piece) body += piece;
            for (const name of ["code", "code_verifier", "client_secret", "refresh_token", "client_assertion", "token"])
                if (!piece && new URLSearchParams(body).get(name)) this.secrets.add(new URLSearchParams(body).get(name));
            return push.call(request, piece, ...rest);
        };
        if (request.headers.authorization) this.secrets.add(request.headers.authorization.split(" ")[1]);
        if (request.headers.dpop) this.secrets.add(request.headers.dpop);
        if (url.pathname === "/token" || url.pathname === "/reg")
            tap(response, (text) => {
                if (url.pathname === "/token") this.issuedAt = Date.now();
                for (const [name, value] of Object.entries(JSON.parse(text)))
                    if (["access_token", "refresh_token", "client_secret", "registration_access_token"].includes(name))
                        this.secrets.add(value);
            });
        this.callback(request, response);
    }

    /* The token response for a client that acts for itself. */
    async credentials({ client_id, client_secret }, more) {
        const response = await fetch(`${this.url}/token`, {
            method: "POST",
            headers: { Authorization: `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString("base64")}` },
            body: new URLSearchParams({ grant_type: "client_credentials", resource: this.options.resources[0], ...more }),
        });

        return response.json();
    }

    count(method, path) {
        return this.requests.filter(([m, p]) => m === method && p === path).length;
    }

    close() {
        this.server.closeAllConnections();
        this.server.close();
    }
}

/* ---- the resource server ---- */

const same = (left, right) => left.length === right.length && left.every((each, i) => each === right[i]);

/* Serves /mcp, which wants mcp:basic, and /mcp/write, which wants mcp:write as well. */
export class Resource {
    requests = 0;
    refused = []; /* why tokens were refused */

    static async start(issuer, options = {}) {
        const resource = new Resource();
        const { server, origin } = await listen((request, response) => resource.#handle(request, response));

        Object.assign(resource, { issuer, options, server, origin, url: `${origin}/mcp` });
        issuer.options.resources.push(resource.url);
        return resource;
    }

    get metadata() {
        return {
            resource: this.url,
            authorization_servers: [this.issuer.url],
            scopes_supported: ["mcp:basic"],
            ...this.options.metadata,
        };
    }

    async #verify(request) {
        const [scheme, token] = (request.headers.authorization ?? "").split(" ");
        const keys = jose.createLocalJWKSet({ keys: this.issuer.jwks.keys.map(({ d, ...key }) => key) });

        if (!token) throw new Error("no token");
        if (this.options.revoked?.has(token)) throw new Error("revoked");
        const { payload } = await jose.jwtVerify(token, keys, {
            issuer: this.issuer.url,
            audience: this.url,
            typ: "at+jwt",
            algorithms: ["ES256"],
        });

        this.token = token;
        if (payload.cnf) await this.#prove(request, scheme, token, payload.cnf.jkt);
        else assert.equal(scheme, "Bearer");
        return payload;
    }

    async #prove(request, scheme, token, thumbprint) {
        const proof = request.headers.dpop;
        const { payload, protectedHeader } = await jose.jwtVerify(
            proof,
            await jose.importJWK(jose.decodeProtectedHeader(proof).jwk, "ES256"),
            { typ: "dpop+jwt" },
        );

        this.proofs ??= new Set();
        assert.equal(scheme, "DPoP");
        assert.equal(await jose.calculateJwkThumbprint(protectedHeader.jwk), thumbprint);
        assert.equal(payload.htm, request.method);
        assert.equal(payload.htu, this.origin + request.url);
        assert.equal(payload.ath, createHash("sha256").update(token).digest("base64url"));
        assert.ok(!this.proofs.has(payload.jti));
        this.proofs.add(payload.jti);
        if (this.options.nonce && payload.nonce !== this.options.nonce) throw new Error("nonce");
    }

    /* Passes a request on to the MCP server behind this one, without the token. */
    async #forward(request, body, response) {
        const { host, authorization, connection, "content-length": size, ...headers } = request.headers;
        const answer = await fetch(this.options.behind, { method: request.method, headers, body });

        response.writeHead(answer.status, { "Content-Type": answer.headers.get("content-type") ?? "text/plain" });
        response.end(Buffer.from(await answer.arrayBuffer()));
    }

    async #handle(request, response) {
        const challenge = (status, parameters, scheme = "Bearer") => {
            const text = Object.entries(parameters).map(([name, value]) => `${name}="${value}"`);

            response.writeHead(status, {
                "WWW-Authenticate": `${scheme} ${text.join(", ")}`,
                ...(this.options.nonce ? { "DPoP-Nonce": this.options.nonce } : {}),
            });
            response.end("refused");
        };
        const where = { resource_metadata: `${this.origin}/.well-known/oauth-protected-resource/mcp` };

        const body = [];
        const read = new Promise((resolve) => request.on("end", () => resolve(Buffer.concat(body))));

        request.on("data", (bytes) => body.push(bytes));
        if (request.url === "/.well-known/oauth-protected-resource/mcp") {
            response.writeHead(200, { "Content-Type": "application/json" });
            response.end(JSON.stringify(this.metadata));
            return;
        }
        this.requests++;
        try {
            const scopes = ((await this.#verify(request)).scope ?? "").split(" ");

            if (request.url === "/mcp/write" && !scopes.includes("mcp:write"))
                return challenge(403, { error: "insufficient_scope", scope: "mcp:write", ...where });
            if (this.options.behind) return await this.#forward(request, await read, response);
            response.end(`granted ${scopes.sort().join(" ")}`);
        } catch (error) {
            this.refused.push(error.message);
            if (error.message === "nonce") challenge(401, { error: "use_dpop_nonce" }, "DPoP");
            else challenge(401, { scope: "mcp:basic", ...where });
        }
    }

    close() {
        this.server.closeAllConnections();
        this.server.close();
    }
}

/* ---- a browser ---- */

/* Follows redirects with cookies from the URL of a login; returns the last answer, or the URL that is `until`'s. */
export async function browse(start, until = () => false) {
    const jar = new Map();
    let url = start;

    for (let i = 0; i < 20; i++) {
        if (until(url)) return url;
        const response = await fetch(url, {
            redirect: "manual",
            headers: { Cookie: [...jar].map(([name, value]) => `${name}=${value}`).join("; "), Connection: "close" },
        });

        for (const cookie of response.headers.getSetCookie()) {
            const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie);

            jar.set(name, value);
        }
        if (response.status < 300 || response.status > 399)
            return { status: response.status, text: await response.text(), headers: response.headers };
        url = new URL(response.headers.get("location"), url).href;
    }
    throw new Error("too many redirects");
}

/* ---- the driver ---- */

export class Asker {
    lines = [];
    opened = []; /* URLs of logins */
    browsed = []; /* what the browser got in the end */
    output = "";
    #next = 1;
    #waiting = new Map();

    constructor(options = {}, { browser = browse } = {}) {
        const args = Object.entries(options).map(([name, value]) => `${name}=${value}`);

        this.process = spawn(program, args, { stdio: ["pipe", "pipe", "pipe"] });
        this.ended = once(this.process, "close");
        this.process.stderr.on("data", (text) => (this.output += text));
        createInterface({ input: this.process.stdout }).on("line", (line) => this.#hear(line, browser));
    }

    #hear(line, browser) {
        const [word, id, ...rest] = line.split(" ");

        this.output += `${line}\n`;
        this.lines.push(line);
        if (word === "open") {
            this.opened.push(new URL(id));
            if (browser) this.browsed.push(browser(id));
        } else if (word === "answer") {
            this.#waiting.get(id)({ status: +rest[0], times: +rest[1], text: rest.slice(2).join(" ") });
        } else if (word === "failed") {
            this.#waiting.get(id)({ code: +rest[0], text: rest.slice(1).join(" ") });
        } else if (word !== "refused") {
            this.#waiting.get(word)?.([id, ...rest].join(" "));
        }
    }

    send(line) {
        this.process.stdin.write(`${line}\n`);
    }

    #wait(key) {
        return new Promise((resolve) => this.#waiting.set(key, resolve));
    }

    /* Sends a request; resolves with { status, times, text } or { code, text }. */
    get(url, operation = "tools/list") {
        const id = `${this.#next++}`;
        const answer = this.#wait(id);

        this.send(`get ${id} ${url} ${operation}`);
        return answer;
    }

    forget(url) {
        const answer = this.#wait("forgot");

        this.send(`forget ${url}`);
        return answer;
    }

    redirected(url) {
        const answer = this.#wait("redirected");

        this.send(`redirected ${url}`);
        return answer;
    }

    async close() {
        this.process.stdin.end();
        const [code, signal] = await this.ended;

        await Promise.all(this.browsed);
        assert.equal(signal, null, this.output);
        assert.equal(code, 0, this.output);
        return this.output;
    }
}
