// The documents of @readme/oas-examples for parameter styles, uploads, security, discriminators and circular references:
// every operation is imported, and the requests of a table are as the OpenAPI specification has them.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import readline from "node:readline";
import { after, test } from "node:test";
import Ajv from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { spawn } from "./child.mjs";

const examples = path.dirname(createRequire(import.meta.url).resolve("@readme/oas-examples/package.json"));
const driver = path.join(process.env.HAFT_BUILD, "tests", "import-driver");
const running = new Map();

// The driver of a document: its list of operations, and a function that asks for a request.
async function open(name) {
    if (running.has(name))
        return running.get(name);
    const [version, file] = name.split("/");
    const child = spawn(driver, [path.join(examples, version, "json", `${file}.json`)], { stdio: ["pipe", "pipe", "inherit"] });
    const lines = readline.createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const next = async () => JSON.parse((await lines.next()).value);
    const opened = {
        child,
        list: await next(),
        async ask(operation, args) {
            child.stdin.write(`${JSON.stringify({ operation, arguments: args })}\n`);
            return next();
        },
    };
    running.set(name, opened);
    return opened;
}

after(async () => {
    for (const { child } of running.values()) {
        child.stdin.end();
        await once(child, "exit");
        assert.equal(child.exitCode, 0);
    }
});

// A request as text: the target, headers without Accept, and the body; a boundary is B.
function render(request) {
    if (request.error)
        return `${request.argument}: ${request.error}`;
    const headers = request.headers.filter(([header]) => header !== "Accept");
    const boundary = headers.map(([, value]) => /boundary=(.*)$/.exec(value)?.[1]).find(Boolean);
    const lines = headers.filter(([, value]) => !value.startsWith("multipart/")).map(([header, value]) => `${header}: ${value}`);
    let body = request.body === undefined ? "" : Buffer.from(request.body, "base64").toString("latin1");
    if (boundary)
        body = parts(body, boundary).join("\n");
    return [request.target, ...lines, ...(request.body === undefined ? [] : [body])].join("\n");
}

// The parts of a multipart body as "name[; filename][ type] = content".
function parts(body, boundary) {
    assert.ok(body.endsWith(`--${boundary}--\r\n`));
    return body.split(`--${boundary}\r\n`).slice(1).map((part) => {
        const [head, ...rest] = part.split("\r\n\r\n");
        const name = /name="([^"]*)"/.exec(head)[1];
        const file = /filename="([^"]*)"/.exec(head)?.[1];
        const type = /Content-Type: (.*)/.exec(head)?.[1];
        const content = rest.join("\r\n\r\n").replace(/\r\n(--.*--\r\n)?$/, "");
        return `${name}${file ? `; ${file}` : ""}${type ? ` ${type}` : ""} = ${content}`;
    });
}

const primitive = "blue", array = ["blue", "black"], object = { R: 100, G: 200 };
const all = { primitive, array, object };
const p = "/anything/path", q = "/anything/query";
const form = "/anything/form-data";

const table = {
    "3.0/parameters-style": [
        ["GET /cookies", all, "/cookies\nCookie: primitive=blue; array=blue; array=black; R=100; G=200"],
        ["GET /cookies#formNonExploded", all, "/cookies\nCookie: primitive=blue; array=blue,black; object=R,100,G,200"],
        ["GET /cookies#formExploded", all, "/cookies\nCookie: primitive=blue; array=blue; array=black; R=100; G=200"],
        ["GET /anything/headers", all, "/anything/headers\nprimitive: blue\narray: blue,black\nobject: R,100,G,200"],
        ["GET /anything/headers/simple", all, "/anything/headers/simple\nprimitive: blue\narray: blue,black\nobject: R,100,G,200"],
        ["POST /anything/headers/simple", all, "/anything/headers/simple\nprimitive: blue\narray: blue,black\nobject: R=100,G=200"],
        [`GET ${p}/{primitive}/{array}/{object}`, all, `${p}/blue/blue,black/R,100,G,200`],
        [`GET ${p}/matrix/{primitive}/{array}/{object}`, all, `${p}/matrix/;primitive=blue/;array=blue,black/;object=R,100,G,200`],
        [`POST ${p}/matrix/{primitive}/{array}/{object}`, all, `${p}/matrix/;primitive=blue/;array=blue;array=black/;R=100;G=200`],
        [`GET ${p}/label/{primitive}/{array}/{object}`, all, `${p}/label/.blue/.blue,black/.R,100,G,200`],
        [`POST ${p}/label/{primitive}/{array}/{object}`, all, `${p}/label/.blue/.blue.black/.R=100.G=200`],
        [`GET ${p}/simple/{primitive}/{array}/{object}`, all, `${p}/simple/blue/blue,black/R,100,G,200`],
        [`POST ${p}/simple/{primitive}/{array}/{object}`, all, `${p}/simple/blue/blue,black/R=100,G=200`],
        [`GET ${q}`, all, `${q}?primitive=blue&array=blue&array=black&R=100&G=200`],
        [`GET ${q}/form`, all, `${q}/form?primitive=blue&array=blue,black&object=R,100,G,200`],
        [`POST ${q}/form`, all, `${q}/form?primitive=blue&array=blue&array=black&R=100&G=200`],
        [`GET ${q}/spaceDelimited`, { array, object }, `${q}/spaceDelimited?array=blue%20black&object=R%20100%20G%20200`],
        [`GET ${q}/pipeDelimited`, { array, object }, `${q}/pipeDelimited?array=blue%7Cblack&object=R%7C100%7CG%7C200`],
        [`GET ${q}/deepObject`, { object }, `${q}/deepObject?object%5BR%5D=100&object%5BG%5D=200`],
        [`POST ${form}`, all, `${form}\nprimitive = blue\narray = blue\narray = black\nobject application/json = {"R":100,"G":200}`],
        [`POST ${form}/form`, all, `${form}/form\nprimitive = blue\narray = blue,black\nobject = R,100,G,200`],
        [`PUT ${form}/form`, all, `${form}/form\nprimitive = blue\narray = blue\narray = black\nR = 100\nG = 200`],
        [`POST ${form}/spaceDelimited`, { array, object }, `${form}/spaceDelimited\narray = blue black\nobject = R 100 G 200`],
        [`POST ${form}/pipeDelimited`, { array, object }, `${form}/pipeDelimited\narray = blue|black\nobject = R|100|G|200`],
        [`POST ${form}/deepObject`, { object }, `${form}/deepObject\nobject[R] = 100\nobject[G] = 200`],
    ],
    "3.0/parameters-cookies": [["POST /post", { foo: "a b", bar: "c;d" }, "/post\nCookie: foo=a%20b; bar=c%3Bd"]],
    "3.0/parameters-common": [
        ["GET /anything/{id}", { id: 1234 }, "/anything/1234"],
        ["POST /anything/{id}", { id: 1234, limit: 5 }, "/anything/1234?limit=5"],
        ["GET /anything/{id}/{action}/{id}", { id: 1234, action: "a/b" }, "/anything/1234/a%2Fb/1234"],
        ["GET /anything/{id}/override", { id: ".." }, "id: is part of the path and must not be only dots"],
    ],
    "3.0/file-uploads": [
        ["POST /anything/image-png", { body: "iVBORw==" }, "/anything/image-png\nContent-Type: image/png\n\x89PNG"],
        ["POST /anything/image-png", { body: "?" }, "body: is not valid base64"],
        ["POST /anything/multipart-formdata", { orderId: 1, userId: 9007199254740991, documentFile: { data: "aGk=", name: "a.txt", type: "text/plain" } },
            "/anything/multipart-formdata\norderId = 1\nuserId = 9007199254740991\ndocumentFile; a.txt text/plain = hi"],
        ["PUT /anything/multipart-formdata", { filename: ["aGk=", "eW8="] },
            "/anything/multipart-formdata\nfilename; filename application/octet-stream = hi\nfilename; filename application/octet-stream = yo"],
    ],
    "3.0/form-data": [
        ["POST /anything", { body: { client_id: "a&b", client_secret: "c", scope: 1 } },
            "/anything\nContent-Type: application/x-www-form-urlencoded\nclient_id=a%26b&client_secret=c&scope=1"],
        ["POST /anything", {}, "/anything"],
    ],
    "3.0/discriminators": [
        ["PATCH /discriminator-with-mapping", { body: { discrim: "Option One" } },
            '/discriminator-with-mapping\nContent-Type: application/json\n{"discrim":"Option One"}'],
        ["PATCH /nested-one-of-object-with-nested-one-of", { config: { pet_type: "Cat" } },
            '/nested-one-of-object-with-nested-one-of\nContent-Type: application/json\n{"config":{"pet_type":"Cat"}}'],
    ],
    "3.0/circular-request-bodies": [
        ["POST /direct", { body: { children: [{ children: [] }] } }, '/direct\nContent-Type: application/json\n{"children":[{"children":[]}]}'],
    ],
    "3.0/circular-paths": [], "3.0/circular": [], "3.0/schema-circular": [], "3.0/security": [], "3.0/security-multiple": [],
    "3.0/schema-encoding-style": [], "3.0/polymorphism": [], "3.0/complex-nesting": [], "3.0/parameters-extreme": [],
    "3.1/parameters-style": [
        [`GET ${q}/deepObject`, { object }, `${q}/deepObject?object%5BR%5D=100&object%5BG%5D=200`],
        [`POST ${form}/form`, all, `${form}/form\nprimitive = blue\narray = blue,black\nobject = R,100,G,200`],
    ],
    "3.1/security": [], "2.0/schema-circular": [],
};

const methods = new Set(["get", "put", "post", "delete", "options", "head", "patch", "trace"]);

for (const [name, rows] of Object.entries(table)) {
    test(`${name}: every operation is imported, with schemas that compile`, async () => {
        const [version, file] = name.split("/");
        const document = JSON.parse(readFileSync(path.join(examples, version, "json", `${file}.json`)));
        const found = Object.values(document.paths).flatMap((item) => Object.keys(item).filter((key) => methods.has(key))).length;
        const { list } = await open(name);

        assert.deepEqual(list.refusals, []);
        assert.equal(list.operations.length, found);
        for (const { input, output } of list.operations)
            for (const schema of [input, output].filter(Boolean)) {
                const ajv = new Ajv({ strict: false, logger: false });

                addFormats(ajv);
                assert.equal(schema.type, "object");
                ajv.compile(schema);
            }
    });
    for (const [operation, args, expected] of rows)
        test(`${name}: ${operation} ${JSON.stringify(args).slice(0, 60)}`, async () => {
            assert.equal(render(await (await open(name)).ask(operation, args)), expected);
        });
}

test("3.0/security: requirements are alternatives of schemes", async () => {
    const { list } = await open("3.0/security");
    const of = Object.fromEntries(list.operations.map(({ method, path: at, requirements }) => [`${method} ${at}`, requirements]));

    assert.deepEqual(of["GET /anything/apiKey"], [["apiKey_query"]]);
    assert.deepEqual(of["POST /anything/basic"], [["basic"]]);
    assert.deepEqual(of["POST /anything/no-auth"], []);
    assert.deepEqual(of["GET /anything/optional-auth"].filter((schemes) => !schemes.length), [[]]);
});

test("a document that is not one is refused", () => {
    const refused = spawnSync(driver, [path.join(examples, "package.json")], { encoding: "utf8" });

    assert.equal(refused.status, 1);
    assert.match(refused.stderr, /./);
});
