/* zod.test.mjs - haft's schemas beside Zod's.
 *
 * Every case is built twice from one description: by haft's builder in tests/drivers/zod_driver.c, and by
 * Zod. Each value then gets the same verdict and the same issues, member by member, from both; and
 * Ajv, given the JSON Schema that haft advertises, comes to haft's verdict.  Where haft means to
 * differ, `same` says so. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { cases } from "./zod-cases.mjs";
import { build, formats, formatted, vocabulary, words } from "./zod-language.mjs";
import { valuesOf } from "./zod-values.mjs";

const LEAST_SCHEMAS = 150;
const LEAST_VALUES = 5000;

const root = fileURLToPath(new URL("../..", import.meta.url));
const directory = process.env.HAFT_BUILD_DIR ?? process.env.HAFT_BUILD ?? join(root, "build/dev");
const driver = join(directory, "tests/zod-driver");

/* ---- haft ---- */

const DIALECTS = ["2020-12", "draft-07"];

/* One run of the driver answers everything: per case the schema, its two emissions, its values. */
function ask() {
  const requests = [];
  for (const [id, { def, tried }] of cases.entries()) {
    requests.push({ op: "schema", id, def });
    for (const dialect of DIALECTS) requests.push({ op: "emit", id, dialect });
    for (const value of tried) requests.push({ op: "validate", id, value });
  }
  const input = requests.map((request) => `${JSON.stringify(request)}\n`).join("");
  const run = spawnSync(driver, { input, maxBuffer: 1 << 30, encoding: "utf8" });
  assert.equal(run.status, 0, run.stderr || String(run.error));
  const answers = run.stdout.trimEnd().split("\n");
  assert.equal(answers.length, requests.length);
  let next = 0;
  const take = () => JSON.parse(answers[next++]);
  for (const entry of cases) {
    entry.built = take();
    entry.emitted = DIALECTS.map(take);
    entry.answers = entry.tried.map(take);
  }
}

for (const [i, entry] of cases.entries()) {
  entry.schema = build(entry.asked);
  entry.tried = valuesOf(entry, i + 1, (value) => entry.schema.safeParse(value).success);
}
ask();

/* ---- what differs, and why ---- */

/* Sentences of which Zod's is only the beginning: ours goes on to say which keys are accepted, or
 * why the option that came closest failed. */
function sameMessage(ours, theirs, { code }) {
  const more =
    (code === "unrecognized_keys" && theirs.startsWith("Unrecognized key")) ||
    (code === "invalid_union" && theirs === "Invalid input");
  return more ? ours.startsWith(theirs) : ours === theirs;
}

/* Zod's issues do not have the keys that would have been accepted; ours do not say which options of
 * an exclusive union matched. */
const ONE_SIDED = new Set(["accepted", "matches"]);

/* Zod asks the size of a value of the wrong type too: an array in the place of a string is also
 * "too small", in items.  haft says that it is not a string. */
function isSizeOfWrongType(issue, before) {
  const expected = { array: "string", string: "array" }[issue.origin];
  return (
    /^too_/.test(issue.code) &&
    before.some(
      ({ code, expected: type, path }) =>
        code === "invalid_type" && type === expected && `${path}` === `${issue.path}`,
    )
  );
}

const withoutWrongSizes = (issues) =>
  issues.filter((issue, i) => !isSizeOfWrongType(issue, issues.slice(0, i)));

/* haft reports the items of a tuple with a rest in their order, Zod the rest first; the keys of a
 * partial record in the order of the enum, Zod in that of the value; and a key of both sides of an
 * intersection once and in one place, Zod with each side. */
function isReordered(def) {
  if (def === null || typeof def !== "object") return false;
  const here = { tuple: def[2], partialRecord: true, intersection: true }[def[0]];
  return Boolean(here) || Object.values(def).some(isReordered);
}

/* haft divides exactly; Zod and Ajv divide doubles, and take a quotient that is nearly whole for whole. */
function isMultiple(value, of) {
  const [a, b] = [value, of].map((number) => {
    const [digits, exponent = "0"] = String(Math.abs(number)).split("e");
    const [whole, part = ""] = digits.split(".");
    return { digits: BigInt(whole + part), exponent: Number(exponent) - part.length };
  });
  const least = Math.min(a.exponent, b.exponent);
  const scale = ({ digits, exponent }) => digits * 10n ** BigInt(exponent - least);
  return scale(a) % scale(b) === 0n;
}

const numbersIn = (value) =>
  value !== null && typeof value === "object"
    ? Object.values(value).flatMap(numbersIn)
    : typeof value === "number" ? [value] : [];

function divisorsIn(def) {
  if (def === null || typeof def !== "object") return [];
  return def[0] === "multipleOf" ? [def[1]] : Object.values(def).flatMap(divisorsIn);
}

/* Whether another's division of a number in the value, by a divisor in the definition, is not exact. */
const isDividedRoughly = (entry, value, divides) =>
  entry.divisors.some((divisor) =>
    numbersIn(value).some((number) => divides(number, divisor) !== isMultiple(number, divisor)));

const zodDivides = (number, divisor) =>
  build(["number", ["multipleOf", divisor]]).safeParse(number).success;

const ajvDivides = (number, divisor) =>
  ajvFor("2020-12", []).compile({ multipleOf: divisor })(number);

const sorted = (object) => Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1));

function sameIssues(ours, theirs) {
  theirs = withoutWrongSizes(theirs);
  return ours.length === theirs.length && ours.every((issue, i) => sameIssue(issue, theirs[i]));
}

function sameMember(name, ours, theirs, issue) {
  if (name === "message") return sameMessage(ours, theirs, issue);
  if (name === "issues") return sameIssues(ours, theirs);
  if (name === "errors")
    return ours.length === theirs.length && ours.every((list, i) => sameIssues(list, theirs[i]));
  return JSON.stringify(ours) === JSON.stringify(theirs);
}

function sameIssue(ours, theirs) {
  const names = new Set([...Object.keys(ours), ...Object.keys(theirs)]);
  for (const name of names) {
    if (ONE_SIDED.has(name)) continue;
    if (!(name in ours) || !(name in theirs)) return false;
    if (!sameMember(name, ours[name], theirs[name], theirs)) return false;
  }
  return true;
}

/* The issues without their order, each once; of a sentence that goes on, only its beginning. */
function asSet(issues) {
  const shown = withoutWrongSizes(issues).map(({ accepted, matches, ...issue }) => {
    if (issue.code === "unrecognized_keys")
      issue.message = issue.message.replace(/ \((accepted|no keys).*/s, "");
    if (issue.code === "invalid_union" && !issue.options && issue.inclusive !== false)
      issue.message = issue.message.replace(/^Invalid input.*/s, "Invalid input");
    if (issue.errors) issue.errors = issue.errors.map(asSet);
    if (issue.issues) issue.issues = asSet(issue.issues);
    return JSON.stringify(sorted(issue));
  });
  return [...new Set(shown)].sort();
}

/* An intersection with a union is a union of intersections to haft: why no option fits is told for
 * the whole of each. */
function isDistributed(entry, ours) {
  const joined = entry.words.has("union") || entry.words.has("discriminated");
  return entry.words.has("intersection") && joined && ours.length > 0;
}

function same(entry, value, ours, theirs) {
  if (sameIssues(ours, theirs)) return true;
  if (isDividedRoughly(entry, value, zodDivides)) return true;
  if (isDistributed(entry, ours)) return theirs.length > 0;
  return isReordered(entry.def) && `${asSet(ours)}` === `${asSet(theirs)}`;
}

/* ---- Ajv ---- */

/* Formats that no pattern can decide are decided by Zod's own check. */
const CHECKED = {
  uri: "URL", jwt: "JWT", credit_card: "CREDIT_CARD", iban: "IBAN", ipv6: "IPV6", cidrv6: "CIDR_V6",
  base64: "BASE64", base64url: "BASE64URL", hostname: "HOSTNAME",
};

function ajvFor(dialect, def) {
  const checks = { ...CHECKED };
  if (JSON.stringify(def).includes('"HTTP_URL"')) checks.uri = "HTTP_URL";
  const known = Object.fromEntries(
    Object.entries(checks).map(([name, format]) => {
      const schema = formatted(format);
      return [name, (text) => schema.safeParse(text).success];
    }),
  );
  /* Without allErrors Ajv does not miss a required key whose name is empty. */
  const options = { strict: false, allErrors: true, formats: known, logger: false };
  options.multipleOfPrecision = 9;
  return dialect === "draft-07" ? new Ajv(options) : new Ajv2020(options);
}

/* ---- the tests ---- */

let compared = 0;

for (const entry of cases) {
  entry.words = words(entry.def);
  entry.divisors = divisorsIn(entry.def);

  test(entry.name, () => {
    const wrong = [];
    assert.deepEqual(entry.built, { ok: true });
    for (const [i, value] of entry.tried.entries()) {
      const result = entry.schema.safeParse(value);
      const theirs = JSON.parse(JSON.stringify(result.error?.issues ?? []));
      const ours = entry.answers[i];
      compared++;
      const sound = ours.issues && ours.ok === (ours.issues.length === 0);
      if (!sound || !same(entry, value, ours.issues, theirs))
        wrong.push([value, ours, theirs].map((part) => JSON.stringify(part)));
    }
    assert.equal(wrong.length, 0, JSON.stringify({ "value, haft, zod": wrong.slice(0, 3) }, null, 1));
  });

  for (const [d, dialect] of DIALECTS.entries()) {
    test(`${entry.name}: as advertised in ${dialect}`, () => {
      const { ok, schema, error } = entry.emitted[d];
      assert.ok(ok, error);
      const validate = ajvFor(dialect, entry.def).compile(schema);
      /* What only code can check, or a flag that JSON Schema does not have, is not advertised: a
       * value may fit what is and be refused. */
      const flagged = /"pattern","[^"]*","[ms]/.test(JSON.stringify(entry.def));
      const more = flagged || entry.words.has("refine") || entry.words.has("complain");
      const wrong = entry.tried.filter((value, i) => {
        const ours = entry.answers[i].ok;
        if (validate(value) === ours || (more && !ours)) return false;
        return !isDividedRoughly(entry, value, ajvDivides);
      });
      const shown = JSON.stringify({ schema, values: wrong.slice(0, 5) }, null, 1);
      assert.equal(wrong.length, 0, shown);
    });
  }
}

test("multiples are exact", () => {
  const plain = cases.filter(({ asked, divisors }) =>
    asked[0] === "number" && asked.length === 1 + divisors.length && divisors.length);
  assert.ok(plain.length >= 4);
  for (const { asked, divisors, tried, answers } of plain)
    for (const [i, value] of tried.entries())
      if (typeof value === "number")
        assert.equal(answers[i].ok, divisors.every((divisor) => isMultiple(value, divisor)),
          `${value} by ${JSON.stringify(asked)}`);
});

test("every kind, modifier and format is compared", () => {
  const used = new Set(cases.flatMap((entry) => [...entry.words]));
  const text = JSON.stringify(cases.map(({ def }) => def));
  const known = [...vocabulary.kinds, ...vocabulary.modifiers];
  assert.deepEqual(known.filter((word) => !used.has(word)), []);
  assert.deepEqual(Object.keys(formats).filter((name) => !text.includes(`"${name}"`)), []);
});

after(() => {
  const accepted = cases.flatMap((entry) => entry.answers).filter(({ ok }) => ok).length;
  console.log(`compared ${cases.length} schemas and ${compared} values, of which ${accepted} fit`);
  assert.ok(cases.length >= LEAST_SCHEMAS, `${cases.length} schemas are too few`);
  assert.ok(compared >= LEAST_VALUES, `${compared} values are too few`);
});
