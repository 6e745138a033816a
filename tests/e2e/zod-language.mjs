/* zod-language.mjs - schema descriptions as Zod schemas.
 *
 * A description is an array: a kind, what the kind needs, then modifiers, each an array of its own.
 * tests/drivers/zod_driver.c reads the same descriptions and calls haft's builder.  A "message" modifier
 * belongs to the kind or the modifier right before it. */

import { z } from "zod";

/* Each haft format, as Zod makes it. */
export const formats = {
  EMAIL: (p) => z.email(p),
  URL: (p) => z.url(p),
  HTTP_URL: (p) => z.httpUrl(p),
  UUID: (p) => z.uuid(p),
  UUID_V4: (p) => z.uuidv4(p),
  UUID_V6: (p) => z.uuidv6(p),
  UUID_V7: (p) => z.uuidv7(p),
  GUID: (p) => z.guid(p),
  EMOJI: (p) => z.emoji(p),
  NANOID: (p) => z.nanoid(p),
  CUID: (p) => z.cuid(p),
  CUID2: (p) => z.cuid2(p),
  ULID: (p) => z.ulid(p),
  XID: (p) => z.xid(p),
  KSUID: (p) => z.ksuid(p),
  DATE_TIME: (p) => z.iso.datetime(p),
  DATE_TIME_OFFSET: (p) => z.iso.datetime({ ...p, offset: true }),
  DATE_TIME_LOCAL: (p) => z.iso.datetime({ ...p, local: true }),
  DATE: (p) => z.iso.date(p),
  TIME: (p) => z.iso.time(p),
  DURATION: (p) => z.iso.duration(p),
  IPV4: (p) => z.ipv4(p),
  IPV6: (p) => z.ipv6(p),
  MAC: (p) => z.mac(p),
  CIDR_V4: (p) => z.cidrv4(p),
  CIDR_V6: (p) => z.cidrv6(p),
  BASE64: (p) => z.base64(p),
  BASE64URL: (p) => z.base64url(p),
  E164: (p) => z.e164(p),
  JWT: (p) => z.jwt(p),
  HOSTNAME: (p) => z.hostname(p),
  HEX: (p) => z.hex(p),
  MD5: (p) => z.hash("md5", p),
  SHA1: (p) => z.hash("sha1", p),
  SHA256: (p) => z.hash("sha256", p),
  SHA384: (p) => z.hash("sha384", p),
  SHA512: (p) => z.hash("sha512", p),
  IBAN: (p) => z.iban(p),
  CREDIT_CARD: (p) => z.creditCard(p),
  CURRENCY_CODE: (p) => z.currencyCode(p),
  LOWERCASE: (p) => z.lowercase(p),
  UPPERCASE: (p) => z.uppercase(p),
};

/* Zod knows these two as checks only. */
const checksOnly = new Set(["LOWERCASE", "UPPERCASE"]);

export function formatted(name, params) {
  const made = formats[name](params);
  return checksOnly.has(name) ? z.string().check(made) : made;
}

const canonical = (value) =>
  JSON.stringify(value, (_, v) =>
    v && typeof v === "object" && !Array.isArray(v)
      ? Object.fromEntries(Object.entries(v).sort(([a], [b]) => (a < b ? -1 : 1)))
      : v,
  );

/* Integers of 64 bits: Zod has them as bigint only, so haft's issues are spelt out here. */
function wide(format, least, most) {
  return z.number().check(({ value, issues }) => {
    const add = (issue) => issues.push({ input: value, ...issue });
    if (!Number.isInteger(value))
      add({ code: "invalid_type", expected: "int", format, continue: false });
    else if (value < Number(least))
      add({
        code: "too_small", origin: "number", minimum: Number(least), inclusive: true,
            continue: true,
        message: `Too small: expected number to be >=${least}`,
      });
    else if (value > Number(most))
      add({
        code: "too_big", origin: "number", maximum: Number(most), inclusive: true, continue: true,
        message: `Too big: expected number to be <=${most}`,
      });
  });
}

const kinds = {
  string: [0, (p) => z.string(p)],
  number: [0, (p) => z.number(p)],
  int: [0, (p) => z.int(p)],
  int32: [0, (p) => z.int32(p)],
  uint32: [0, (p) => z.uint32(p)],
  int64: [0, () => wide("int64", -(2n ** 63n), 2n ** 63n - 1n)],
  uint64: [0, () => wide("uint64", 0n, 2n ** 64n - 1n)],
  float32: [0, (p) => z.float32(p)],
  float64: [0, (p) => z.float64(p)],
  boolean: [0, (p) => z.boolean(p)],
  null: [0, (p) => z.null(p)],
  any: [0, () => z.any()],
  never: [0, (p) => z.never(p)],
  formatted: [1, (p, _, name) => formatted(name, p)],
  literal: [1, (p, _, value) => z.literal(value, p)],
  literals: [1, (p, _, values) => z.literal(values, p)],
  enum: [1, (p, _, names) => z.enum(names, p)],
  array: [1, (p, env, item) => z.array(build(item, env), p)],
  tuple: [
    2,
    (p, env, items, rest) =>
      rest ? z.tuple(buildAll(items, env), build(rest, env), p) : z.tuple(buildAll(items, env), p),
  ],
  record: [2, (p, env, key, value) => z.record(build(key, env), build(value, env), p)],
  partialRecord: [2, (p, env, key, value) => z.partialRecord(build(key, env), build(value, env),
      p)],
  object: [1, (p, env, shape) => z.strictObject(buildShape(shape, env), p)],
  union: [1, (p, env, options) => z.union(buildAll(options, env), p)],
  xor: [1, (p, env, options) => z.xor(buildAll(options, env), p)],
  discriminated: [2, (p, env, key, options) => z.discriminatedUnion(key, buildAll(options, env),
      p)],
  intersection: [2, (_, env, left, right) => z.intersection(build(left, env), build(right, env))],
  lazy: [1, (_, env, name) => z.lazy(() => env[name])],
  define: [
    2,
    (_, env, names, root) => {
      for (const name of Object.keys(names)) env[name] = build(names[name], env);
      return build(root, env);
    },
  ],
};

const buildAll = (defs, env) => defs.map((def) => build(def, env));
const buildShape = (shape, env) =>
  Object.fromEntries(Object.entries(shape).map(([name, def]) => [name, build(def, env)]));
const mask = (names) => Object.fromEntries(names.map((name) => [name, true]));

const predicates = {
  notBlank: (s) => /[^ ]/.test(s),
  even: (n) => Number.isInteger(n) && n % 2 === 0,
  short: (a) => a.length <= 2,
  same: (o) => typeof o.a === "string" && o.a === o.b,
  notNull: (v) => v !== null,
};

function isUnique({ value, issues }) {
  if (new Set(value.map(canonical)).size !== value.length)
    issues.push({
      code: "custom",
      message: "Invalid input: items must be unique",
      input: value,
      continue: true,
    });
}

function complain(value, ctx) {
  if (!value.length) return;
  ctx.addIssue({ code: "custom", message: "the first of 2" });
  ctx.addIssue({ code: "custom", message: "the second", path: ["deep", 0, "key"] });
}

const modifiers = {
  minLength: (s, p, _, n) => s.min(n, p),
  maxLength: (s, p, _, n) => s.max(n, p),
  length: (s, p, _, n) => s.length(n, p),
  pattern: (s, p, _, source, flags) => s.regex(new RegExp(source, flags), p),
  startsWith: (s, p, _, text) => s.startsWith(text, p),
  endsWith: (s, p, _, text) => s.endsWith(text, p),
  includes: (s, p, _, text, position) => s.includes(text, { ...p, position }),
  format: (s, p, _, name) => s.check(formats[name](p)),
  gte: (s, p, _, n) => s.gte(n, p),
  lte: (s, p, _, n) => s.lte(n, p),
  gt: (s, p, _, n) => s.gt(n, p),
  lt: (s, p, _, n) => s.lt(n, p),
  gteInt64: (s, p, _, n) => s.gte(n, p),
  lteInt64: (s, p, _, n) => s.lte(n, p),
  multipleOf: (s, p, _, n) => s.multipleOf(n, p),
  minItems: (s, p, _, n) => s.min(n, p),
  maxItems: (s, p, _, n) => s.max(n, p),
  items: (s, p, _, n) => s.length(n, p),
  unique: (s) => s.check(isUnique),
  strict: (s) => s.strict(),
  loose: (s) => s.loose(),
  catchall: (s, _p, env, def) => s.catchall(build(def, env)),
  extend: (s, _p, env, shape) => s.extend(buildShape(shape, env)),
  merge: (s, _p, env, def) => s.merge(build(def, env)),
  pick: (s, _p, _e, names) => s.pick(mask(names)),
  omit: (s, _p, _e, names) => s.omit(mask(names)),
  partial: (s) => s.partial(),
  required: (s) => s.required(),
  keyof: (s) => s.keyof(),
  optional: (s) => s.optional(),
  nullable: (s) => s.nullable(),
  nullish: (s) => s.nullish(),
  default: (s, _p, _e, value) => s.default(value),
  describe: (s, _p, _e, text) => s.describe(text),
  title: (s, _p, _e, title) => s.meta({ title }),
  examples: (s, _p, _e, examples) => s.meta({ examples }),
  deprecated: (s) => s.meta({ deprecated: true }),
  readOnly: (s) => s.readonly(),
  meta: (s, _p, _e, key, value) => s.meta({ [key]: value }),
  refine: (s, p, _, name, message) => s.refine(predicates[name],
      p ?? (message && { error: message })),
  complain: (s) => s.superRefine(complain),
};

/* The Zod schema of a description. */
export function build(def, env = {}) {
  const [n, make] = kinds[def[0]];
  const rest = def.slice(1 + n);
  const params = () => (rest[0]?.[0] === "message" ? { error: rest.shift()[1] } : undefined);
  let schema = make(params(), env, ...def.slice(1, 1 + n));
  while (rest.length) {
    const [name, ...args] = rest.shift();
    schema = modifiers[name](schema, params(), env, ...args);
  }
  return schema;
}

/* Every kind and modifier that a description uses. */
export function words(def, found = new Set()) {
  if (Array.isArray(def)) {
    if (typeof def[0] === "string") found.add(def[0]);
    for (const part of def) words(part, found);
  } else if (def && typeof def === "object") {
    for (const part of Object.values(def)) words(part, found);
  }
  return found;
}

export const vocabulary = { kinds: Object.keys(kinds), modifiers: Object.keys(modifiers) };
