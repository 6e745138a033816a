// tokens.mjs: makes tokens.txt, the frozen tokens of test_token.c, with new keys.  `node tests/auth/tokens.mjs` writes the file; it
// needs what tests/e2e installs, and is run only when a token is added.  Tests of servers make them anew.
//
// Each line is {"name", "token", "error", "keys", "any_type"} or {"jwks", "document"}.  `error` is what the verifier must say.
import crypto from "node:crypto";
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const jose = await import(createRequire(new URL("../e2e/", import.meta.url)).resolve("jose"));
export async function makeTokens({ now, issuer, resource }) {
  const b64 = (x) => Buffer.from(typeof x === "string" || Buffer.isBuffer(x) ? x : JSON.stringify(x)).toString("base64url");

  const make = async (alg, jwk) => {
    const { publicKey, privateKey } = await jose.generateKeyPair(alg, { extractable: true, modulusLength: 2048 });
    return { key: crypto.KeyObject.from(privateKey), spki: await jose.exportSPKI(publicKey), jwk: { ...(await jose.exportJWK(publicKey)), ...jwk } };
  };
  const keys = {
    rs: await make("RS256", { kid: "rs-1", alg: "RS256", use: "sig" }),
    ps: await make("PS256", { kid: "ps-1", alg: "PS256", use: "sig" }),
    any: await make("RS256", { kid: "rsa-any" }),
    es: await make("ES256", { kid: "es-1", alg: "ES256", use: "sig", key_ops: ["verify"] }),
    ed: await make("EdDSA", { kid: "ed-1", alg: "EdDSA", use: "sig" }),
    odd: await make("ES256", { kid: "ключ/1 \"x\"", use: "sig" }),
    foreign: await make("ES256", {}),
  };
  const bytesOf = {
    RS256: (m, key) => crypto.sign("sha256", m, key),
    PS256: (m, key) => crypto.sign("sha256", m, { key, padding: crypto.constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }),
    ES256: (m, key) => crypto.sign("sha256", m, { key, dsaEncoding: "ieee-p1363" }),
    EdDSA: (m, key) => crypto.sign(null, m, key),
  };
  bytesOf.Ed25519 = bytesOf.EdDSA;
  const claims = { iss: issuer, aud: resource, sub: "ada", client_id: "c1", scope: "files:read files:write", iat: now - 10, exp: now + 300, jti: "j" };
  const header = (alg, kid, more) => ({ alg, typ: "at+jwt", kid, ...more });
  const sign = (key, h, c, by = h.alg) => {
    const m = `${b64(h)}.${b64(c)}`;
    return `${m}.${bytesOf[by](Buffer.from(m), key.key).toString("base64url")}`;
  };
  const es = (c, h) => sign(keys.es, header("ES256", "es-1", h), typeof c === "string" ? c : { ...claims, ...c }, "ES256");
  const raw = (h, c, signature) => `${b64(h)}.${b64(c)}.${b64(signature)}`;
  const H = header("ES256", "es-1");
  const good = es({});
  const [gh, gc, gs] = good.split(".");
  const flip = (part, at) => { const x = Buffer.from(part, "base64url"); x[at] ^= 1; return x.toString("base64url"); };
  const hmac = (h, key) => { const m = `${b64(h)}.${b64(claims)}`; return `${m}.${crypto.createHmac("sha256", key).update(m).digest("base64url")}`; };

  const rows = [];
  const row = (error, name, token, more) => rows.push({ name, token, error, ...more });
  const ok = (name, token, more) => row("OK", name, token, more);

  // Good ones.
  for (const [alg, key] of [["RS256", "rs"], ["PS256", "ps"], ["RS256", "any"], ["PS256", "any"], ["ES256", "es"], ["EdDSA", "ed"], ["Ed25519", "ed"]])
    ok(`good ${alg} ${keys[key].jwk.kid}`, sign(keys[key], header(alg, keys[key].jwk.kid), claims));
  ok("kid with quotes and other alphabets", sign(keys.odd, header("ES256", keys.odd.jwk.kid), claims));
  ok("typ application/at+jwt", es({}, { typ: "application/at+jwt" }));
  ok("typ AT+JWT", es({}, { typ: "AT+JWT" }));
  ok("aud is an array", es({ aud: ["https://other.example", resource] }));
  ok("aud with a slash at the end", es({ aud: `${resource}/` }));
  ok("aud in capitals with its port", es({ aud: resource.replace(/^(\w+:\/\/)([^/:]*)(:\d+)?/, (_, scheme, host, port) => scheme.toUpperCase() + host.toUpperCase() + (port ?? ":443")) }));
  ok("exp with a fraction", es({ exp: now + 300.5 }));
  ok("exp in the form of a real", es(JSON.stringify(claims).replace(`"exp":${now + 300}`, `"exp":1.8000003e9`)));
  ok("exp a moment ago, within the skew", es({ exp: now - 59 }));
  ok("nbf and iat at the limit of the skew", es({ nbf: now + 60, iat: now + 60 }));
  ok("jku, x5u, x5c and jwk are ignored", es({}, { jku: "https://evil.example/jwks", x5u: "https://evil.example/x", x5c: ["AAAA"], jwk: keys.foreign.jwk }));
  ok("no scope", es({ scope: undefined }));
  ok("scp is an array", es({ scope: undefined, scp: ["a", "b"] }));
  ok("client without a subject", es({ sub: undefined }));
  ok("no client", es({ client_id: undefined }));
  ok("bound to a key", es({ cnf: { jkt: "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I" } }));
  ok("claims of others", es({ roles: ["a"], nested: { a: { b: [1, 2.5, null, true] } } }));
  ok("white space in the JSON", sign(keys.es, H, JSON.stringify(claims, null, 2)));
  ok("b64 true", es({}, { b64: true }));
  ok("typ JWT, allowed", es({}, { typ: "JWT" }), { any_type: true });
  ok("typ absent, allowed", es({}, { typ: undefined }), { any_type: true });
  ok("no kid, one key", es({}, { kid: undefined }), { keys: "one" });
  ok("no kid, one key of the type", sign(keys.ed, header("EdDSA", undefined), claims));

  // Algorithms.
  for (const alg of ["none", "nOnE", "None", "NONE", "", "HS256", "HS384", "HS512", "RS1", "RS384", "RS512", "PS384", "PS512", "ES256K", "ES384", "ES512", "Ed448", "es256", "ES256 ", "RSA-OAEP", "dir"])
    row("WRONG_ALGORITHM", `alg ${JSON.stringify(alg)}`, raw({ ...H, alg }, claims, Buffer.from(gs, "base64url")));
  row("WRONG_ALGORITHM", "alg none without a signature", `${b64({ ...H, alg: "none" })}.${b64(claims)}.`);
  row("WRONG_ALGORITHM", "HS256 with the public key as PEM", hmac({ ...H, alg: "HS256" }, keys.es.spki));
  row("WRONG_ALGORITHM", "HS256 with the public key as a JWK", hmac({ ...H, alg: "HS256" }, JSON.stringify(keys.es.jwk)));
  row("WRONG_ALGORITHM", "HS256 with the RSA key as PEM", hmac(header("HS256", "rs-1"), keys.rs.spki));
  row("WRONG_ALGORITHM", "HS256 with an empty key", hmac({ ...H, alg: "HS256" }, ""));
  row("WRONG_ALGORITHM", "PS256 by a key for RS256", sign(keys.rs, header("PS256", "rs-1"), claims));
  row("WRONG_ALGORITHM", "RS256 by a key for PS256", sign(keys.ps, header("RS256", "ps-1"), claims));
  row("WRONG_ALGORITHM", "RS256 that says ES256", sign(keys.rs, header("ES256", "rs-1"), claims, "RS256"));
  row("WRONG_ALGORITHM", "ES256 with the kid of an RSA key", sign(keys.es, header("ES256", "rs-1"), claims));
  row("WRONG_ALGORITHM", "EdDSA with the kid of an EC key", sign(keys.ed, header("EdDSA", "es-1"), claims));
  row("MALFORMED", "no alg", raw({ typ: "at+jwt", kid: "es-1" }, claims, "x"));
  row("MALFORMED", "alg is a number", raw({ ...H, alg: 1 }, claims, "x"));
  row("MALFORMED", "alg is a list", raw({ ...H, alg: ["ES256"] }, claims, "x"));
  row("MALFORMED", "alg with a NUL", raw({ ...H, alg: "ES256\0" }, claims, "x"));
  row("MALFORMED", "alg twice", `${b64(JSON.stringify(H).replace("{", '{"alg":"none",'))}.${gc}.${gs}`);

  // Signatures.
  row("BAD_SIGNATURE", "RS256 that says PS256, of a key for both", sign(keys.any, header("PS256", "rsa-any"), claims, "RS256"));
  row("BAD_SIGNATURE", "PS256 with a salt of 20 bytes", (() => { const m = `${b64(header("PS256", "ps-1"))}.${b64(claims)}`; return `${m}.${b64(crypto.sign("sha256", Buffer.from(m), { key: keys.ps.key, padding: crypto.constants.RSA_PKCS1_PSS_PADDING, saltLength: 20 }))}`; })());
  row("BAD_SIGNATURE", "zeros", `${gh}.${gc}.${b64(Buffer.alloc(64))}`);
  row("BAD_SIGNATURE", "r is zero", `${gh}.${gc}.${b64(Buffer.concat([Buffer.alloc(32), Buffer.from(gs, "base64url").subarray(32)]))}`);
  row("BAD_SIGNATURE", "s is zero", `${gh}.${gc}.${b64(Buffer.concat([Buffer.from(gs, "base64url").subarray(0, 32), Buffer.alloc(32)]))}`);
  row("BAD_SIGNATURE", "r and s are the order of the curve", `${gh}.${gc}.${Buffer.from("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551".repeat(2), "hex").toString("base64url")}`);
  row("BAD_SIGNATURE", "DER", `${gh}.${gc}.${b64(crypto.sign("sha256", Buffer.from(`${gh}.${gc}`), keys.es.key))}`);
  row("BAD_SIGNATURE", "63 bytes", `${gh}.${gc}.${b64(Buffer.from(gs, "base64url").subarray(1))}`);
  row("BAD_SIGNATURE", "65 bytes", `${gh}.${gc}.${b64(Buffer.concat([Buffer.from(gs, "base64url"), Buffer.alloc(1)]))}`);
  row("BAD_SIGNATURE", "65 bytes, a zero in front", `${gh}.${gc}.${b64(Buffer.concat([Buffer.alloc(1), Buffer.from(gs, "base64url")]))}`);
  row("BAD_SIGNATURE", "one bit of the signature", `${gh}.${gc}.${flip(gs, 40)}`);
  row("BAD_SIGNATURE", "other claims", `${gh}.${b64({ ...claims, sub: "eve" })}.${gs}`);
  row("BAD_SIGNATURE", "other header", `${b64({ ...H, x: 1 })}.${gc}.${gs}`);
  row("BAD_SIGNATURE", "another key with this kid", sign(keys.foreign, H, claims));
  row("BAD_SIGNATURE", "another key, which is in the header", sign(keys.foreign, { ...H, jwk: keys.foreign.jwk }, claims));
  row("BAD_SIGNATURE", "EdDSA, one bit", (() => { const [h, c, s] = sign(keys.ed, header("EdDSA", "ed-1"), claims).split("."); return `${h}.${c}.${flip(s, 3)}`; })());
  row("BAD_SIGNATURE", "EdDSA, zeros", raw(header("EdDSA", "ed-1"), claims, Buffer.alloc(64)));
  row("BAD_SIGNATURE", "RS256, zeros", raw(header("RS256", "rs-1"), claims, Buffer.alloc(256)));
  row("BAD_SIGNATURE", "RS256, one", raw(header("RS256", "rs-1"), claims, Buffer.concat([Buffer.alloc(255), Buffer.from([1])])));
  row("BAD_SIGNATURE", "RS256, larger than the modulus", raw(header("RS256", "rs-1"), claims, Buffer.alloc(256, 0xff)));
  row("MALFORMED", "no signature", `${gh}.${gc}.`);

  // Keys.
  row("UNKNOWN_KEY", "kid is a path", es({}, { kid: "../../dev/null" }));
  row("UNKNOWN_KEY", "kid is SQL", es({}, { kid: "es-1' OR '1'='1" }));
  row("UNKNOWN_KEY", "kid is a prefix", es({}, { kid: "es-" }));
  row("UNKNOWN_KEY", "kid is empty", es({}, { kid: "" }));
  row("UNKNOWN_KEY", "kid in capitals", es({}, { kid: "ES-1" }));
  row("UNKNOWN_KEY", "kid of 256 bytes", es({}, { kid: "k".repeat(256) }));
  row("UNKNOWN_KEY", "no kid, two keys of the type", es({}, { kid: undefined }));
  row("UNKNOWN_KEY", "a kid, and a key without", es({}), { keys: "one" });
  row("UNKNOWN_KEY", "no kid, no key of the type", sign(keys.ed, header("EdDSA", undefined), claims), { keys: "one" });
  row("MALFORMED", "kid of 257 bytes", es({}, { kid: "k".repeat(257) }));
  row("MALFORMED", "kid is a number", es({}, { kid: 1 }));
  row("MALFORMED", "kid is null", es({}, { kid: null }));
  row("MALFORMED", "kid with a NUL", es({}, { kid: "es-1\0" }));

  // Types, critical headers.
  for (const typ of ["JWT", "dpop+jwt", "oauth-id-jag+jwt", "logout+jwt", "at+jwt ", "at+jwt;x=1", "application/application/at+jwt", "application/", "text/at+jwt", ""])
    row("WRONG_TYPE", `typ ${JSON.stringify(typ)}`, es({}, { typ }));
  row("WRONG_TYPE", "typ absent", es({}, { typ: undefined }));
  row("WRONG_TYPE", "typ dpop+jwt, any type allowed", es({}, { typ: "dpop+jwt" }), { any_type: true });
  row("WRONG_TYPE", "an ID token", sign(keys.es, { alg: "ES256", kid: "es-1" }, { ...claims, aud: "c1", nonce: "n" }));
  row("WRONG_AUDIENCE", "an ID token, any type allowed", sign(keys.es, { alg: "ES256", kid: "es-1" }, { ...claims, aud: "c1", nonce: "n" }), { any_type: true });
  row("MALFORMED", "typ is a number", es({}, { typ: 1 }));
  row("CRITICAL", "crit", es({}, { crit: ["exp2"], exp2: 1 }));
  row("CRITICAL", "crit is empty", es({}, { crit: [] }));
  row("CRITICAL", "crit names exp", es({}, { crit: ["exp"] }));
  row("CRITICAL", "b64 false", es({}, { crit: ["b64"], b64: false }));
  row("CRITICAL", "b64 false without crit", es({}, { b64: false }));

  // Form.
  row("MALFORMED", "empty", "");
  row("MALFORMED", "dots", "..");
  row("MALFORMED", "one part", gh);
  row("MALFORMED", "two parts", `${gh}.${gc}`);
  row("MALFORMED", "four parts", `${good}.x`);
  row("MALFORMED", "five parts, as a JWE", `${good}.x.x`);
  row("MALFORMED", "a dot at the end", `${good}.`);
  row("MALFORMED", "no header", `.${gc}.${gs}`);
  row("MALFORMED", "padding", `${good}==`);
  row("MALFORMED", "padding of the header", `${b64({ ...H, xx: 1 })}=.${gc}.${gs}`);
  row("MALFORMED", "line end", `${good}\n`);
  row("MALFORMED", "space in front", ` ${good}`);
  row("MALFORMED", "space in the claims", `${gh}.${gc.slice(0, 8)} ${gc.slice(8)}.${gs}`);
  row("MALFORMED", "NUL at the end", `${good}\0`);
  row("MALFORMED", "base64 instead of base64url", (() => { for (let i = 0; ; i++) { const t = es({ jti: `${i}???>>>` }); const s = t.replaceAll("-", "+").replaceAll("_", "/"); if (s !== t) return s; } })());
  row("MALFORMED", "bits left over", `${gh}.${gc}.${gs.slice(0, -1)}${String.fromCharCode(gs.charCodeAt(gs.length - 1) + 1)}`);
  row("MALFORMED", "JSON serialization", JSON.stringify({ protected: gh, payload: gc, signature: gs }));
  row("MALFORMED", "header is not JSON", `${b64("x")}.${gc}.${gs}`);
  row("MALFORMED", "header is a list", `${b64("[]")}.${gc}.${gs}`);
  row("MALFORMED", "header with more behind it", `${b64(JSON.stringify(H) + "{}")}.${gc}.${gs}`);
  row("MALFORMED", "claims are a string", es('"x"'));
  row("MALFORMED", "claims are null", es("null"));
  row("MALFORMED", "claims with a byte order mark", es("\uFEFF" + JSON.stringify(claims)));
  row("MALFORMED", "claims with a comma too many", es(JSON.stringify(claims).replace("}", ",}")));
  row("MALFORMED", "claims with a comment", es(JSON.stringify(claims).replace("{", "{/**/")));
  row("MALFORMED", "claims are not UTF-8", (() => { const m = `${b64(H)}.${Buffer.concat([Buffer.from(JSON.stringify(claims).replace("}", ',"x":"')), Buffer.from([0xc3, 0x28]), Buffer.from('"}')]).toString("base64url")}`; return `${m}.${b64(bytesOf.ES256(Buffer.from(m), keys.es.key))}`; })());
  row("MALFORMED", "half a surrogate pair", es(JSON.stringify(claims).replace("}", ',"x":"\\ud800"}')));
  row("MALFORMED", "aud twice, the second is right", es(JSON.stringify(claims).replace("{", '{"aud":"https://other.example",')));
  row("MALFORMED", "exp twice", es(JSON.stringify(claims).replace("}", `,"exp":${now + 9e6}}`)));
  row("MALFORMED", "a member twice, spelled with an escape", es(JSON.stringify(claims).replace("{", '{"\\u0061ud":"https://other.example",')));
  row("MALFORMED", "a member twice, deeper", es({ x: 1 }.x && JSON.stringify(claims).replace("}", ',"x":{"a":1,"a":2}}')));
  row("MALFORMED", "nesting of 17 levels", es(JSON.stringify(claims).replace("{", `{"x":${"[".repeat(16)}${"]".repeat(16)},`)));
  row("MALFORMED", "nesting of 5,000 levels", es(JSON.stringify(claims).replace("{", `{"x":${"[".repeat(5000)}${"]".repeat(5000)},`)));
  ok("nesting of 16 levels", es(JSON.stringify(claims).replace("{", `{"x":${"[".repeat(15)}${"]".repeat(15)},`)));
  row("MALFORMED", "a number without end", es(JSON.stringify(claims).replace(`"exp":${now + 300}`, '"exp":1e999')));
  row("MALFORMED", "NaN", es(JSON.stringify(claims).replace(`"exp":${now + 300}`, '"exp":NaN')));
  row("TOO_LONG", "more than 16 KiB", es({ x: "A".repeat(12 << 10) }));

  // Claims.
  row("WRONG_ISSUER", "iss with a slash", es({ iss: `${issuer}/` }));
  row("WRONG_ISSUER", "iss in capitals", es({ iss: "https://AS.example" }));
  row("WRONG_ISSUER", "iss of another", es({ iss: "https://evil.example" }));
  row("WRONG_ISSUER", "iss missing", es({ iss: undefined }));
  row("WRONG_ISSUER", "iss is empty", es({ iss: "" }));
  row("BAD_CLAIM", "iss is a list", es({ iss: [issuer] }));
  row("BAD_CLAIM", "iss with a NUL and more", es({ iss: `${issuer}\0evil` }));
  row("WRONG_AUDIENCE", "aud of another resource", es({ aud: "https://other.example/mcp" }));
  row("WRONG_AUDIENCE", "aud is a prefix", es({ aud: new URL(resource).origin }));
  row("WRONG_AUDIENCE", "aud has more behind it", es({ aud: `${resource}.evil` }));
  row("WRONG_AUDIENCE", "aud below the resource", es({ aud: `${resource}/x` }));
  row("WRONG_AUDIENCE", "aud with two slashes", es({ aud: `${resource}//` }));
  row("WRONG_AUDIENCE", "aud with another case of the path", es({ aud: resource.replace(/mcp$/, "MCP") }));
  row("WRONG_AUDIENCE", "aud with a port", es({ aud: "https://rs.example:8443/mcp" }));
  row("WRONG_AUDIENCE", "aud by http", es({ aud: "http://rs.example/mcp" }));
  row("WRONG_AUDIENCE", "aud with a user", es({ aud: "https://x@rs.example/mcp" }));
  row("WRONG_AUDIENCE", "aud with a query", es({ aud: `${resource}?` }));
  row("WRONG_AUDIENCE", "aud missing", es({ aud: undefined }));
  row("WRONG_AUDIENCE", "aud is an empty list", es({ aud: [] }));
  row("WRONG_AUDIENCE", "aud is empty", es({ aud: "" }));
  row("BAD_CLAIM", "aud is an object", es({ aud: { a: resource } }));
  row("BAD_CLAIM", "aud is a number", es({ aud: 1 }));
  row("BAD_CLAIM", "aud is null", es({ aud: null }));
  row("BAD_CLAIM", "aud is a list with a number", es({ aud: [resource, 1] }));
  row("BAD_CLAIM", "aud with a NUL and more", es({ aud: `${resource}\0evil` }));
  row("EXPIRED", "exp in the past", es({ exp: now - 3600 }));
  row("EXPIRED", "exp at the limit of the skew", es({ exp: now - 60 }));
  row("EXPIRED", "exp is 0", es({ exp: 0 }));
  row("EXPIRED", "exp is negative", es({ exp: -1 }));
  row("BAD_CLAIM", "exp missing", es({ exp: undefined }));
  row("BAD_CLAIM", "exp is a string", es({ exp: String(now + 300) }));
  row("BAD_CLAIM", "exp is null", es({ exp: null }));
  row("BAD_CLAIM", "exp is true", es({ exp: true }));
  row("BAD_CLAIM", "exp is 2^64", es(JSON.stringify(claims).replace(`"exp":${now + 300}`, '"exp":18446744073709551616')));
  row("BAD_CLAIM", "exp is 1e300", es({ exp: 1e300 }));
  row("NOT_YET", "nbf ahead", es({ nbf: now + 61 }));
  row("NOT_YET", "iat ahead", es({ iat: now + 61 }));
  row("NOT_YET", "nbf ahead by a fraction", es({ nbf: now + 60.5 }));
  row("BAD_CLAIM", "nbf is a string", es({ nbf: "0" }));
  row("BAD_CLAIM", "iat is a list", es({ iat: [now] }));
  row("BAD_CLAIM", "scope is a list", es({ scope: ["files:read"] }));
  row("BAD_CLAIM", "scope with a quote", es({ scope: 'a"b' }));
  row("BAD_CLAIM", "scope with a line end", es({ scope: "a\nb" }));
  row("BAD_CLAIM", "scope with a NUL", es({ scope: "a\0b" }));
  row("BAD_CLAIM", "scp is an object", es({ scope: undefined, scp: {} }));
  row("BAD_CLAIM", "scp with a number", es({ scope: undefined, scp: ["a", 1] }));
  row("BAD_CLAIM", "neither subject nor client", es({ sub: undefined, client_id: undefined }));
  row("BAD_CLAIM", "sub is a number", es({ sub: 1 }));
  row("BAD_CLAIM", "sub is empty", es({ sub: "" }));
  row("BAD_CLAIM", "sub with a line end", es({ sub: "ada\nbob" }));
  row("BAD_CLAIM", "sub with a NUL", es({ sub: "ada\0bob" }));
  row("BAD_CLAIM", "sub of 2,000 bytes", es({ sub: "a".repeat(2000) }));
  row("BAD_CLAIM", "client_id is a list", es({ client_id: ["c1"] }));
  row("BAD_CLAIM", "cnf is a string", es({ cnf: "x" }));
  row("BAD_CLAIM", "cnf is empty", es({ cnf: {} }));
  row("BAD_CLAIM", "cnf of a kind that cannot be checked", es({ cnf: { kid: "x" } }));
  row("BAD_CLAIM", "jkt is a number", es({ cnf: { jkt: 1 } }));
  row("BAD_CLAIM", "jkt is short", es({ cnf: { jkt: "abc" } }));
  row("BAD_CLAIM", "x5t#S256 is null", es({ cnf: { "x5t#S256": null } }));

  const documents = {
    all: { keys: [keys.rs, keys.ps, keys.any, keys.es, keys.ed, keys.odd].map((k) => k.jwk) },
    one: { keys: [{ ...keys.es.jwk, kid: undefined }] },
  };
  return { rows, documents };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { rows, documents } = await makeTokens({ now: 1800000000, issuer: "https://as.example", resource: "https://rs.example/mcp" });
  const lines = [...Object.entries(documents).map(([jwks, document]) => ({ jwks, document: JSON.stringify(document) })), ...rows];
  writeFileSync(new URL("tokens.txt", import.meta.url), lines.map((l) => JSON.stringify(l) + "\n").join(""));
  console.log(`${rows.length} tokens, ${rows.filter((r) => r.error !== "OK").length} of them to refuse`);
}
