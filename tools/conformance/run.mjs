// Runs the conformance suite against a server and holds what fails to the list
// of what is expected to: expected.json, by server, scenario and check, each with its reason.
//
//   node run.mjs SERVER COMMAND [ARGUMENT...]
//
// SERVER is a key of expected.json, where "all" is for every server; the command starts it on a free port, and
// logs url=http://... to stderr.
import { execFile, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

// The revisions whose requirements are checked. The suite has them as they were
// when the revision came out.
const revisions = ["2025-11-25", "2026-07-28"];
const here = import.meta.dirname;
const suite = join(here, "node_modules/@modelcontextprotocol/conformance/dist/index.js");
const [name, command, ...args] = process.argv.slice(2);
const lists = JSON.parse(readFileSync(join(here, "expected.json"), "utf8"));
const expected = { ...lists.all, ...lists[name] };

function start() {
  const server = spawn(command, args, { stdio: ["ignore", "ignore", "pipe"] });
  const url = new Promise((resolve, reject) => {
    let log = "";
    server.stderr.setEncoding("utf8").on("data", (text) => {
      log += text;
      const found = log.match(/url=(http:\S+)/);
      if (found) resolve(found[1]);
    });
    server.on("error", reject).on("exit", () => reject(new Error(`the server ended:\n${log}`)));
  });
  return { server, url };
}

// checks returns what the suite says of each check: {scenario, id, status, error}.
async function checks(url, revision) {
  const out = mkdtempSync(join(tmpdir(), "conformance-"));
  try {
    const options = ["server", "--url", url, "--requirements", revision, "-o", out];
    // It exits with 1 for failures, which are judged here.
    const run = await promisify(execFile)(process.execPath, [suite, ...options], { maxBuffer: 1 << 26 }).catch((error) => error);
    const results = readdirSync(out, { recursive: true }).filter((file) => file.endsWith("checks.json"));
    if (results.length === 0) throw new Error(`the suite has run nothing:\n${run.stdout}\n${run.stderr}`);
    return results.flatMap((file) => {
      const scenario = file.match(/^server-(.*)-\d{4}-\d\d-\d\dT/)[1];
      return JSON.parse(readFileSync(join(out, file), "utf8")).map((check) => ({ ...check, scenario }));
    });
  } finally {
    rmSync(out, { recursive: true });
  }
}

const { server, url } = start();
const met = new Set();
let passed = 0;
let unexpected = 0;
try {
  for (const revision of revisions) {
    for (const { scenario, id, status, errorMessage } of await checks(await url, revision)) {
      const key = [`${scenario}/${id}`, scenario].find((key) => key in expected);
      if (status === "SUCCESS") passed++;
      if (status !== "FAILURE") continue;
      if (key) {
        met.add(key);
      } else {
        unexpected++;
        console.error(`${name}, ${revision}: ${scenario}/${id} failed: ${errorMessage}`);
      }
    }
  }
} finally {
  server.kill("SIGTERM");
}
const stale = Object.keys(expected).filter((key) => !met.has(key));
for (const key of stale) console.error(`${name}: ${key} is expected to fail, and does not: take it off expected.json`);
console.log(`${name}: ${passed} checks passed, ${met.size} kinds of failures as expected, ${unexpected} not expected`);
process.exitCode = unexpected + stale.length > 0 ? 1 : 0;
