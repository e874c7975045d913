// npm run bench [-- --only NAME] [--rounds N] [--seconds N] [--courses SOURCE]... [--write]
import { existsSync } from "node:fs";
import { cpus, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { buildPages } from "../test/support/build-pages.ts";
import { describeOutcome, writePerformancePage } from "./performance-page.ts";
import type { Row } from "./row.ts";
import { workloads } from "./workloads.ts";

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "3" },
    folder: { type: "string", default: join(tmpdir(), "lectern-bench-catalogs") },
    courses: { type: "string", multiple: true, default: [] },
    write: { type: "boolean", default: false },
  },
});

const chosen = values.only?.split(",") ?? workloads.map(({ name }) => name);
const unknown = chosen.filter((name) => !workloads.some((workload) => workload.name === name));
if (unknown.length > 0) {
  const names = workloads.map(({ name }) => name);
  fail(`unknown workload ${unknown.join(", ")}; choose from ${names.join(", ")}`);
}
if (values.write && values.only !== undefined) fail("--write needs all rows: remove --only");

for (const [program, what] of [
  ["wrk", "the load generator: apt-get install wrk"],
  ["nginx", "the reference server: apt-get install nginx-light"],
  ["taskset", "to pin processes to processors: apt-get install util-linux"],
] as const) {
  if (Bun.which(program) === null) fail(`${program} is missing, ${what}`);
}
if (!existsSync(join(import.meta.dir, "peers/node_modules"))) fail("Express is missing: npm ci --prefix bench/peers");
if (cpus().length < 2) fail("the benchmark needs two processors, for server and load");
await buildPages();

const rows: Row[] = [];
for (const workload of workloads) {
  if (!chosen.includes(workload.name)) continue;
  const { folder, courses } = values;
  const options = { folder, courses, rounds: Number(values.rounds), seconds: Number(values.seconds) };
  for (const row of await workload.run(options)) {
    rows.push(row);
    console.log(`${describeOutcome(row).padEnd(7)}  ${row.work}: ${row.result} (${row.reach}); ${row.details}`);
  }
}
if (values.write) {
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? "?"}, ${Math.round(totalmem() / 2 ** 30)} GiB, Bun ${Bun.version}`;
  await writePerformancePage(rows, machine, { rounds: Number(values.rounds), seconds: Number(values.seconds) });
}

function fail(message: string): never {
  console.error(`bench: ${message}`);
  process.exit(1);
}
