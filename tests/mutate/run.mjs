// run.mjs [--list] [--check] [--jobs N] [--number N]... [ROOM...]: switches faults on, one at a time, and sees that a
// test notices.
//
// The tree is copied to build/mutate/tree with every fault of the table behind a switch, and built once, with
// sanitizers.  All tests run once without a fault, which says what each of them reaches (and is kept until the
// test changes); then each fault is tried on the tests that reach it, those of its own room first and quick ones before slow
// ones, until one fails.  What survives the quick tests is tried on the slow ones when all others are done.
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync, existsSync, rmSync, openSync, closeSync, readdirSync, statSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { readTable, withFaults } from "./table.mjs";

const root = process.cwd();
const work = join(root, "build/mutate");
const tree = join(work, "tree"), build = join(work, "out");

// What looks at the text of the tree, measures or takes minutes.
const leftOut = /^(rules|walls|docs|install|mistakes|fuzz|examples)\/|^(http\/hostile|e2e\/(soak|zod|cli-completion))$|^program\/printed$/;

const options = { rooms: [], numbers: [], jobs: availableParallelism() };
for (let args = process.argv.slice(2); args.length; ) {
  const arg = args.shift();
  if (arg === "--list" || arg === "--check") options[arg.slice(2)] = true;
  else if (arg === "--jobs") options.jobs = Number(args.shift());
  else if (arg === "--number") options.numbers.push(Number(args.shift()));
  else if (arg.startsWith("-")) throw new Error(`unknown option ${arg}`);
  else options.rooms.push(arg);
}

const { rows, problems } = readTable(root);
if (problems.length) {
  console.log(problems.join("\n"));
  console.log(`${problems.length} of ${rows.length} rows do not apply`);
  process.exit(1);
}
const title = (row) => `${row.number} ${row.room}/${row.file}: ${row.from} => ${row.to || "(nothing)"}`;
if (options.check || options.list) {
  withEveryFault();
  if (options.list) for (const row of rows) console.log(`${title(row)}\n    ${row.why}${row.excluded ? `; not run: ${row.excluded}` : ""}`);
  else console.log(`${rows.length} rows apply`);
  process.exit(0);
}

function withEveryFault() {
  const texts = new Map();
  for (const path of new Set(rows.map((row) => row.path)))
    texts.set(path, withFaults(readFileSync(join(root, path), "utf8"), rows.filter((row) => row.path === path)));
  return texts;
}

// Writes only what changed, so that the build does only what it must.
const put = (path, text) => {
  if (existsSync(path) && readFileSync(path).equals(Buffer.from(text))) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};

const copyTree = () => {
  const texts = withEveryFault();
  const append = (path, text) => texts.set(path, readFileSync(join(root, path), "utf8") + text);
  append("src/base/CMakeLists.txt", "\nhaft_sources(mutant.c)\n");
  append("src/http/client/CMakeLists.txt", "\ntarget_sources(http_client_objects PRIVATE ../../base/mutant.c)\n");
  append("src/store/sqlite/CMakeLists.txt", "\ntarget_sources(sqlite_objects PRIVATE ../../base/mutant.c)\n");
  texts.set("src/base/mutant.c", readFileSync(join(root, "tests/mutate/mutant.c")));
  const files = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], { encoding: "utf8" }).split("\n")
    .filter((file) => file && existsSync(join(root, file)) && !/^(tests\/mutate|bench)\//.test(file));
  const wanted = new Set([...files, ...texts.keys()]);
  if (existsSync(tree))
    for (const old of execFileSync("find", [".", "-type", "f", "-not", "-path", "*/node_modules/*"], { cwd: tree, encoding: "utf8" }).split("\n"))
      if (old && !wanted.has(old.slice(2))) rmSync(join(tree, old));
  for (const file of wanted) put(join(tree, file), texts.get(file) ?? readFileSync(join(root, file)));
  if (existsSync(join(root, "tests/e2e/node_modules")) && !existsSync(join(tree, "tests/e2e/node_modules")))
    execFileSync("cp", ["-al", join(root, "tests/e2e/node_modules"), join(tree, "tests/e2e/")]);
};

const buildTree = () => {
  const flags = `-O1 -g1 -w -include ${join(root, "tests/mutate/mutant.h")}`;
  const log = openSync(join(work, "build.log"), "w");
  try {
    const stdio = ["ignore", log, log];
    execFileSync("cmake", ["-S", tree, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_C_COMPILER=clang",
      `-DCMAKE_C_FLAGS_DEBUG=${flags}`, "-DHAFT_SANITIZE=address,undefined", "-DHAFT_BENCH=OFF"], { stdio });
    execFileSync("cmake", ["--build", build, "-j", String(options.jobs), "--", "-k", "0"], { stdio });
  } catch {
    console.log(readFileSync(join(work, "build.log"), "utf8").slice(-6000));
    console.log("the tree with faults does not build");
    process.exit(1);
  }
  closeSync(log);
};

const property = (test, name) => test.properties?.find((each) => each.name === name)?.value;

const readTests = () => {
  const text = execFileSync("ctest", ["--test-dir", build, "--show-only=json-v1"], { encoding: "utf8", maxBuffer: 1 << 28 });
  return JSON.parse(text).tests.filter((test) => !leftOut.test(test.name)).map((test) => ({
    name: test.name, room: test.name.split("/")[0], command: test.command, cwd: property(test, "WORKING_DIRECTORY"),
    environment: Object.fromEntries((property(test, "ENVIRONMENT") ?? []).map((each) => [each.slice(0, each.indexOf("=")), each.slice(each.indexOf("=") + 1)])),
  }));
};

// Runs a test to its end or its timeout; everything that it started goes with it.
const runTest = (test, extra, timeout) => new Promise((resolve) => {
  const temporary = join(work, "tmp", `${process.pid}-${runTest.count = (runTest.count ?? 0) + 1}`);
  mkdirSync(temporary, { recursive: true });
  const log = openSync(join(temporary, "log"), "w");
  const started = Date.now();
  const child = spawn(test.command[0], test.command.slice(1), {
    cwd: test.cwd, detached: true, stdio: ["ignore", log, log],
    env: { ...process.env, ...test.environment, ...extra, TMPDIR: temporary },
  });
  closeSync(log);
  let late = false;
  const end = () => { try { process.kill(-child.pid, "SIGKILL"); } catch { /* it is gone */ } };
  const timer = setTimeout(() => { late = true; end(); }, timeout);
  child.on("exit", (code, signal) => {
    clearTimeout(timer);
    end();
    const text = readFileSync(join(temporary, "log"), "utf8").slice(-20000);
    rmSync(temporary, { recursive: true, force: true });
    resolve({ failed: late || signal !== null || (code !== 0 && code !== 77), late, seconds: (Date.now() - started) / 1000, text });
  });
});

// Calls `work` for each of `items`, so many at once.
const inParallel = async (items, work) => {
  const queue = [...items];
  await Promise.all(Array.from({ length: options.jobs }, async () => {
    while (queue.length) await work(queue.shift());
  }));
};

// Each test without a fault: how long it takes, and which faults it reaches.
const measure = async (tests) => {
  const bad = [];
  await inParallel(tests, async (test) => {
    const map = join(work, `map-${test.name.replace("/", "-")}`);
    writeFileSync(map, Buffer.alloc(rows.length + 1));
    const result = await runTest(test, { HAFT_MUTANT_MAP: map }, 600_000);
    test.seconds = result.seconds;
    test.reached = readFileSync(map);
    rmSync(map);
    if (!result.failed) return;
    bad.push(test);
    console.log(`${test.name} fails without a fault\n${result.text.slice(-2000)}`);
  });
  return bad;
};

// What a test is made of, as times of files: its program, and for a script every program that it may start.
const time = (path) => (existsSync(path) ? statSync(path).mtimeMs : 0);
const filesIn = (folder, pattern) => (existsSync(folder) ? readdirSync(folder) : [])
  .filter((name) => pattern.test(name)).map((name) => join(folder, name));
const madeOf = (test) => {
  const files = [...test.command, ...filesIn(join(build, "tests/plugins"), /\.so$/), ...filesIn(build, /\.so/)];
  if (test.room === "e2e") files.push(join(build, "bin/haft"), ...filesIn(join(build, "tests"), /-driver$/));
  return files.map(time).join(" ");
};

// How long each test takes and what it reaches: from the last time, if it is still made of the same.
const measured = async (tests) => {
  const path = join(work, "measured.json");
  const known = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {};
  const same = (test) => known[test.name]?.of === madeOf(test);
  for (const test of tests.filter(same))
    Object.assign(test, { seconds: known[test.name].seconds, reached: Buffer.from(known[test.name].reached, "base64") });
  const others = tests.filter((test) => !same(test));
  if (!others.length) return;
  console.log(`== running ${others.length} tests without a fault`);
  const bad = await measure(others);
  writeFileSync(path, JSON.stringify(Object.fromEntries(tests.filter((test) => !bad.includes(test)).map((test) =>
    [test.name, { of: madeOf(test), seconds: test.seconds, reached: test.reached.toString("base64") }]))));
  if (bad.length) process.exit(1);
};

const isSlow = (test) => test.room === "e2e" || test.name === "fault/calls" || test.seconds > 20;

const attempt = async (row, tests) => {
  const mine = tests.filter((test) => test.reached[row.number]);
  const rank = (test) => (test.room === row.room ? 0 : 1);
  mine.sort((a, b) => rank(a) - rank(b) || a.seconds - b.seconds);
  for (const test of mine) {
    const result = await runTest(test, { HAFT_MUTANT: String(row.number) }, test.seconds * 4000 + 15_000);
    if (result.failed) return { killed: true, by: test.name + (result.late ? " (timeout)" : "") };
  }
  return { killed: false, by: mine.length ? `passes ${mine.length} tests that reach it` : "no test reaches it" };
};

mkdirSync(work, { recursive: true });
rmSync(join(work, "tmp"), { recursive: true, force: true });
copyTree();
console.log(`== building ${rows.length} faults in one tree`);
buildTree();
const chosen = rows.filter((row) => !row.excluded && (!options.rooms.length || options.rooms.includes(row.room)) &&
  (!options.numbers.length || options.numbers.includes(row.number)));
const tests = readTests();
await measured(tests);
console.log(`== trying ${chosen.length} faults`);
let killed = 0;
const tryOn = async (faults, tests) => {
  const survivors = [];
  await inParallel(faults, async (row) => {
    const { killed: dead, by } = await attempt(row, tests);
    if (dead) killed++;
    else survivors.push(row);
    console.log(`${dead ? "killed" : "survived"} ${title(row)}: ${by}`);
  });
  return survivors;
};
const lasting = await tryOn(chosen, tests.filter((test) => !isSlow(test)));
if (lasting.length) console.log(`== trying ${lasting.length} that survived on the slow tests`);
const survivors = await tryOn(lasting, tests.filter(isSlow));
for (const row of survivors) console.log(`SURVIVED ${title(row)}\n    ${row.why}`);
const excluded = rows.filter((row) => row.excluded).length;
console.log(`${killed} killed, ${survivors.length} survived (${excluded} of ${rows.length} rows are not run: equivalent)`);
process.exit(survivors.length ? 1 : 0);
