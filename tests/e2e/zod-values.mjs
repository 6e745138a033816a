/* zod-values.mjs - values to try on a schema: some that every schema gets, and mutations of those
 * that are its own.  The mutations are pseudo-random and always the same. */

const long = "x".repeat(300);

/* One or more of every kind of value, at the edges of its kind. */
export const edges = [
  null, true, false, 0, 1, -1, 2, 1.5, -0.5, 0.1, 100, 2147483647, -2147483649, 4294967296,
  9007199254740991, -9007199254740991, 1e20, -1e20, 1e-7, 1.7976931348623157e308, 5e-324,
  "", " ", "a", "ab", "abc", "abcd", "5", "true", "null", "😀", "😀😀", "a😀", "e\u0301", "\u0000",
      "a\"b\\c\n", long,
  [], [null], [1], ["a"], ["a", "b", "c"], [1, 2, 3, 4, 5], [[]], [{}], [1, "a", null, [], {}],
  {}, { a: 1 }, { a: "x" }, { a: "x", b: "y" }, { a: null }, { b: 2 }, { k: "a" }, { zz: 1 },
      { a: { a: { a: {} } } }, { a: [] },
];

/* Numbers from 0 to below 2^32, the same for the same seed (mulberry32). */
export function random(seed) {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

const isObject = (v) => v !== null && typeof v === "object" && !Array.isArray(v);

function mutateString(s, pick) {
  const units = [...s];
  const at = pick(units.length + 1);
  switch (pick(6)) {
    case 0: return units.slice(0, -1).join("");
    case 1: return [...units.slice(0, at), "😀", ...units.slice(at)].join("");
    case 2: return s.toUpperCase() === s ? s.toLowerCase() : s.toUpperCase();
    case 3: return s + s;
    case 4: return [...units.slice(0, at), "\n", ...units.slice(at)].join("");
    default: return [...units.slice(0, at), "a", ...units.slice(at + 1)].join("");
  }
}

function mutateNumber(n, pick) {
  const finite = (v, otherwise) => (Number.isFinite(v) ? v : otherwise);
  return finite([n + 1, n - 1, n + 0.5, -n, n * 10, n / 3, n * 1e12, String(n)][pick(8)], 0) || 0;
}

function mutateArray(array, pick) {
  const at = pick(array.length + 1);
  switch (pick(4)) {
    case 0: return array.slice(0, -1);
    case 1: return [...array.slice(0, at), edges[pick(edges.length)], ...array.slice(at)];
    case 2: return [...array, ...array];
    default: return [...array].reverse();
  }
}

function mutateObject(object, pick) {
  const entries = Object.entries(object);
  const at = pick(entries.length || 1);
  switch (entries.length ? pick(4) : 1) {
    case 0: return Object.fromEntries(entries.filter((_, i) => i !== at));
    case 1: return { ...object, [["zz", "A", "a ", "name", "é",
        "kk"][pick(6)]]: edges[pick(edges.length)] };
    case 2: return Object.fromEntries(entries.map(([k, v], i) => [i === at ? `${k}s` : k, v]));
    default: return Object.fromEntries(entries.reverse());
  }
}

/* The value with one thing about it, somewhere in it, changed. */
export function mutate(value, pick) {
  if (Array.isArray(value) && value.length && pick(3)) {
    const at = pick(value.length);
    return value.map((v, i) => (i === at ? mutate(v, pick) : v));
  }
  if (isObject(value) && Object.keys(value).length && pick(3)) {
    const at = pick(Object.keys(value).length);
    return Object.fromEntries(Object.entries(value).map(([k, v], i) => [k, i === at ? mutate(v,
        pick) : v]));
  }
  if (!pick(4)) return edges[pick(edges.length)];
  if (Array.isArray(value)) return mutateArray(value, pick);
  if (isObject(value)) return mutateObject(value, pick);
  if (typeof value === "string") return mutateString(value, pick);
  if (typeof value === "number") return mutateNumber(value, pick);
  return edges[pick(edges.length)];
}

/* Arrays in arrays, objects in objects: as deep as haft's limit allows and no deeper. */
function deep(depth, wrap) {
  let value = 1;
  for (let i = 0; i < depth; i++) value = wrap(value);
  return value;
}

/* What a case is tried with: its own values, the edges, and mutations, most of them of values that
 * are accepted; all different. */
export function valuesOf({ values }, seed, accepts) {
  const pick = random(seed);
  const all = [...values, ...edges, deep(60, (v) => [v]), deep(60, (v) => ({ a: v }))];
  const good = all.filter(accepts);
  for (let i = 0; i < 60; i++) {
    const from = good.length && pick(4) ? good : values.length ? values : edges;
    let value = from[pick(from.length)];
    for (let n = 1 + pick(i % 3 ? 1 : 3); n; n--) value = mutate(value, pick);
    all.push(value);
  }
  return [...new Map(all.map((value) => [JSON.stringify(value), value])).values()];
}
