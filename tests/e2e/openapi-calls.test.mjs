/* openapi-calls.test.mjs - the documents of @readme/oas-examples about security and discriminators, through `haft serve`:
 * which credentials of the configuration each operation sends, and where; and which bodies it takes. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { test } from "node:test";
import Ajv from "ajv/dist/2020.js";
import { ask } from "./http-client.mjs";
import { withGateway } from "./serve.mjs";

const examples = dirname(createRequire(import.meta.url).resolve("@readme/oas-examples/package.json"));

/* An API that answers every request with {}, and an authorization server at /token; `use` gets its URL and the requests. */
async function withApi(use) {
    const seen = [];
    const server = createServer((request, response) => {
        const isToken = request.url === "/token";

        request.body = "";
        request.on("data", (more) => (request.body += more));
        request.on("end", () => {
            if (!isToken) seen.push(request);
            response.writeHead(200, { "content-type": "application/json" });
            response.end(JSON.stringify(isToken ? { access_token: "granted", token_type: "Bearer", expires_in: 600 } : {}));
        });
    });

    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
        await use(`http://127.0.0.1:${server.address().port}`, seen);
    } finally {
        server.closeAllConnections();
        server.close();
    }
}

/* A request without what every request has. */
function shown({ method, url, headers }) {
    const { authorization, cookie, "x-api-key": key } = headers;

    return [`${method} ${url}`, authorization, cookie && `Cookie: ${cookie}`, key && `X-API-KEY: ${key}`].filter(Boolean).join(" | ");
}

const basic = `Basic ${Buffer.from("u:p").toString("base64")}`;
const credentials = (url) => {
    const oauth = { oauth: { token_url: `${url}/token`, client_id: "c", client_secret: "s" } };

    return {
        apiKey_cookie: { api_key: { value: "in-a-cookie" } },
        apiKey_header: { api_key: { value: "in a header" } },
        apiKey_query: { api_key: { value: "in the query" } },
        basic: { basic: { username: "u", password: "p" } },
        bearer: { bearer: "b" },
        bearer_jwt: { bearer: "j.w.t" },
        oauth2: oauth,
        oauth2_alternate: { bearer: "alternate" },
        oauth2_authorizationCode: { bearer: "a" },
        oauth2_clientCredentials: oauth,
        oauth2_implicit: { bearer: "i" },
        oauth2_password: { bearer: "w" },
        openIdConnect: { bearer: "o" },
    };
};

const single = [
    ["get_anything_apiKey", "GET /anything/apiKey?apiKey=in%20the%20query"],
    ["post_anything_apiKey", "POST /anything/apiKey | Cookie: api_key=in-a-cookie"],
    ["put_anything_apiKey", "PUT /anything/apiKey | X-API-KEY: in a header"],
    ["post_anything_basic", `POST /anything/basic | ${basic}`],
    ["post_anything_bearer", "POST /anything/bearer | Bearer b"],
    ["put_anything_bearer", "PUT /anything/bearer | Bearer j.w.t"],
    ["post_anything_oauth2", "POST /anything/oauth2 | Bearer granted"],
    ["get_anything_oauth2", "GET /anything/oauth2 | Bearer a"],
    ["put_anything_oauth2", "PUT /anything/oauth2 | Bearer granted"],
    ["patch_anything_oauth2", "PATCH /anything/oauth2 | Bearer i"],
    ["delete_anything_oauth2", "DELETE /anything/oauth2 | Bearer w"],
    ["post_anything_openIdConnect", "POST /anything/openIdConnect | Bearer o"],
    ["post_anything_no-auth", "POST /anything/no-auth"],
    ["post_status_401", "POST /status/401 | X-API-KEY: in a header"],
];

/* The schemes that the configuration has credentials for (all, without a list), the tool, and what is sent. */
const table = {
    "3.0/security": [
        ...single.map(([tool, sent]) => [null, tool, sent]),
        [null, "get_anything_optional-auth", "GET /anything/optional-auth?apiKey=in%20the%20query"],
        [[], "get_anything_optional-auth", "GET /anything/optional-auth"],
    ],
    "3.1/security": single.map(([tool, sent]) => [null, tool, sent]),
    "3.0/security-multiple": [
        [["oauth2", "apiKey_header"], "post_anything_or", "POST /anything/or | Bearer granted"],
        [["apiKey_header"], "post_anything_or", "POST /anything/or | X-API-KEY: in a header"],
        [["oauth2", "apiKey_header", "oauth2_alternate"], "post_anything_and-or", "POST /anything/and-or | Bearer granted | X-API-KEY: in a header"],
        [["apiKey_header", "oauth2_alternate"], "post_anything_and-or", "POST /anything/and-or | Bearer alternate"],
        [["basic", "bearer_jwt"], "post_anything_many-and-or", "POST /anything/many-and-or | Bearer j.w.t"],
        [["basic"], "post_anything_many-and-or", `POST /anything/many-and-or | ${basic}`],
        [
            ["apiKey_cookie", "apiKey_header", "apiKey_query"],
            "post_anything_many-and-or",
            "POST /anything/many-and-or?apiKey=in%20the%20query | Cookie: api_key=in-a-cookie | X-API-KEY: in a header",
        ],
    ],
};

for (const [name, rows] of Object.entries(table)) {
    const [version, document] = name.split("/");
    const path = join(examples, version, "json", `${document}.json`);
    const schemes = Object.keys(JSON.parse(readFileSync(path, "utf8")).components.securitySchemes);
    const sets = Map.groupBy(rows, ([which]) => JSON.stringify(which));

    for (const group of sets.values())
        test(`${name} with ${group[0][0]?.join(", ") ?? "all credentials"}`, () =>
            withApi((url, seen) => {
                const all = Object.entries(credentials(url)).filter(([scheme]) => schemes.includes(scheme));
                const security = Object.fromEntries(all.filter(([scheme]) => group[0][0]?.includes(scheme) ?? true));

                return withGateway(
                    "plain",
                    async (server) => {
                        for (const [, tool, sent] of group) {
                            const { response } = await ask(server.url, "tools/call", { name: tool, arguments: {} });

                            assert.ok(response.result && !response.result.isError, `${tool}: ${JSON.stringify(response)}`);
                            assert.equal(shown(seen.at(-1)), sent);
                        }
                        assert.equal(seen.length, group.length);
                    },
                    { config: { gateway: { upstreams: { api: { prefix: "none", http: { url, openapi: path, security, lenient: true } } }, endpoints: [{}] } } },
                );
            }));
}

/* ---- discriminators ---- */

const ONE = { discrim: "Option One", optionone: 1 };
const TWO = { discrim: "Option Two", optiontwo: "x" };
const CAT = { pet_type: "Cat", hunts: true, age: 3 };
const DOG = { pet_type: "Dog", bark: true, breed: "Husky" };

/* Bodies that an operation takes, and bodies that it refuses before anything is sent. */
const bodies = {
    "oneOfWithTopLevelDiscriminatorAndMapping": [
        [ONE, TWO, { discrim: "Option One" }],
        [{ optionone: 1 }, { discrim: "Option Three" }, { discrim: "Option One", optionone: "x" }, "x"],
    ],
    "oneOfWithTopLevelDiscriminatorNoMapping": [
        [{ ...ONE, discrim: "OptionOneNoDisc" }, { ...TWO, discrim: "OptionTwoNoDisc" }],
        [{ optionone: 1 }, { discrim: 1 }],
    ],
    "patch_embedded-discriminator": [[CAT, DOG, { pet_type: "Cat" }], [{ hunts: true }, { pet_type: 1 }, []]],
    "patch_oneof-allof-top-level-disc": [[CAT, DOG], [{ bark: true }]],
    "patch_mapping-of-schema-names": [[ONE, TWO], [{ ...ONE, discrim: "one" }]],
};

test("3.0/discriminators", () => {
    const path = join(examples, "3.0", "json", "discriminators.json");

    return withApi((url, seen) =>
        withGateway(
            "plain",
            async (server) => {
                const { tools } = (await ask(server.url, "tools/list")).response.result;

                for (const [name, [taken, refused]] of Object.entries(bodies)) {
                    const validate = new Ajv({ strict: false, logger: false }).compile(tools.find((tool) => tool.name === name).inputSchema);
                    const call = async (body) => {
                        const before = seen.length;
                        const { response } = await ask(server.url, "tools/call", { name, arguments: { body } });

                        assert.equal(validate({ body }), !response.result.isError, `${name}: ${JSON.stringify(body)}: ${JSON.stringify(response)}`);
                        return seen.length > before ? JSON.parse(seen.at(-1).body) : undefined;
                    };

                    for (const body of taken) assert.deepEqual(await call(body), body, name);
                    for (const body of refused) assert.equal(await call(body), undefined, `${name}: ${JSON.stringify(body)}`);
                }
            },
            { config: { gateway: { upstreams: { api: { prefix: "none", http: { url, openapi: path, lenient: true } } }, endpoints: [{}] } } },
        ),
    );
});
