// What people get wrong at the command line: one or two lines say what, where and what to do, and the exit code is not 0.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import packageJson from "../../package.json";
import { publish } from "../support/catalog.ts";
import { runCommand } from "../support/command.ts";
import { createKey } from "../support/server.ts";
import { createTestFolder, engines, openTestStore, type TestDatabase, type TestStore } from "../support/store.ts";

const EXAMPLES = join(import.meta.dir, "../../examples/catalog");
const REFUSED = "postgres://lectern:hush@127.0.0.1:1/catalog";

let folder: { path: string; remove: () => void };
let sqlite: TestStore;
let postgres: TestDatabase;
let listener: Bun.TCPSocketListener;
/** Placeholders in the table for values known only at run time. */
let known: Record<string, string>;

beforeAll(async () => {
  folder = createTestFolder();
  const [embedded, server] = engines;
  if (embedded === undefined || server === undefined) throw new Error("an engine is missing");
  sqlite = await openTestStore(embedded);
  for (const name of ["A", "B"]) await publish(sqlite.store, "acme", [{ _id: "a", name }]);
  await publish(sqlite.store, "pilot", [{ _id: "a", name: "A" }]);
  await createKey(sqlite.store, "orchard");
  postgres = await server.createStoreDatabase();
  const role = `reader_${crypto.randomUUID().slice(0, 8)}`;
  await postgres.execute(`create role ${role} login`);
  await postgres.execute(`grant select on all tables in schema public to ${role}`);
  listener = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  known = {
    SQLITE: sqlite.url,
    READER: postgres.url.replace("lectern@", `${role}@`),
    STRANGER: postgres.url.replace("lectern@", `nobody_${role}@`),
    TAKEN: String(listener.port),
    EXAMPLES,
  };
});
afterAll(async () => {
  listener.stop(true);
  await sqlite.drop();
  await postgres.drop();
  folder.remove();
});

const fill = (text: string): string => text.replaceAll(/\b[A-Z]{4,}\b/g, (word) => known[word] ?? word);
const run = async (line: string, env: Record<string, string> = {}) =>
  runCommand(line.split(" ").filter(Boolean).map(fill), {
    cwd: folder.path,
    env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, fill(value)])),
  });

type Row = [line: string, exitCode: number, said: string | RegExp];
const CANNOT = "lectern: The database catalog on";
const NO_MODE = ": sslmode must be one of disable, ";
const DENIED = /^lectern: permission denied for \w+ \w+: .* Set .* to the URL of the role that owns the database; .*$/m;
const NO_ADDRESS = "203.0.113.9: this machine has no such address. Set";
const WITHOUT_PROJECT =
  "lectern: Missing --project. Give --project NAME, or set LECTERN_PROJECT. The database contains the projects acme, orchard, pilot.";

/** By the database that LECTERN_DATABASE names. */
const SLIPS: Record<string, Row[]> = {
  [REFUSED]: [
    ...["releases --project acme", "keys create --project acme", "serve", "status", "vacuum"].map((line): Row => [
      line,
      1,
      `${CANNOT} 127.0.0.1:1 cannot be used: the connection was refused. Start PostgreSQL there, or`,
    ]),
    ["releases", 2, "lectern: Missing --project. Give --project NAME, or set LECTERN_PROJECT.\n"],
  ],
  "": [
    [
      "releases --project acme --database postgres://lectern:hush@no-such-host.invalid/catalog",
      1,
      `${CANNOT} no-such-host.invalid cannot be used: the host no-such-host.invalid is unknown. Correct --database or LECTERN_DATABASE.`,
    ],
    [`releases --project acme --database ${REFUSED}?sslmode=bogus`, 2, NO_MODE],
    ["status --database postgres:///catalog", 2, "is not a database URL: the host is missing. Expected "],
    [`serve --database ${REFUSED}?sslmode=verify`, 2, NO_MODE],
    [`serve --database SQLITE --read-database ${REFUSED}?sslmode=yes`, 2, NO_MODE],
    [`copy --from SQLITE --to ${REFUSED}?sslmode=on`, 2, "--to is not a database URL: sslmode must be one of "],
    [
      `releases --project acme --database ${REFUSED}?sslmode=verify-full&sslrootcert=/none/ca.crt`,
      1,
      `${CANNOT} 127.0.0.1:1 cannot be used: Unable to access caFile path.`,
    ],
    ["diff --help", 2, "lectern: Unknown command `diff`. `lectern --help` lists the commands."],
    ["help diff", 2, "lectern: Unknown command `diff`."],
    ["keys diff --help", 2, "lectern: Unknown command `keys diff`. `lectern keys --help` lists the commands."],
    ["keys", 2, "lectern: `keys` needs a command: create, list, revoke, rotate."],
    ["webhooks", 2, "lectern: `webhooks` needs a command: create, list, rotate, test, resume, delete."],
    ["init", 2, "lectern: `init` needs a command: site."],
    ["import", 2, "lectern: Missing SOURCE. Usage: lectern import <SOURCE> --project <NAME> [options]"],
    ["preview", 2, "lectern: Missing FOLDER. Usage: lectern preview|dev <FOLDER> [options]"],
    ["publish --project acme", 2, "lectern: Missing --release. Give --release N."],
    [
      "import my courses --project acme",
      2,
      "lectern: Unexpected argument `courses`. Quote a name that contains spaces.",
    ],
    ["serve now", 2, "lectern: `serve` takes no arguments. Remove `now`."],
    ["serve --port", 2, "lectern: --port needs a value: --port <N>."],
    ["serve --port abc", 2, "lectern: Invalid --port `abc`. Expected a whole number from 0 to 65535."],
    ["serve --port 65536", 2, "lectern: Invalid --port `65536`. Expected a whole number from 0 to 65535."],
    ["serve --workers 1000", 2, "lectern: Invalid --workers `1000`. Expected a whole number from 0 to 256."],
    ["serve --cache-size 64MB", 2, "lectern: Invalid --cache-size `64MB`. Expected a whole number from 0 to 999999."],
    ["serve --admin-port http", 2, "lectern: Invalid --admin-port `http`. Expected a whole number from 0 to 65535."],
    [
      "serve --cors-origins https://example.org/",
      2,
      "is not an origin. Give an origin without a path, such as https://www.example.org.",
    ],
    ["import x --project acme --asset-base /assets", 2, "Expected an absolute http or https URL."],
    ["releases --project acme --database mysql://localhost/x", 2, "--database is not a database URL. Expected "],
    ...["a/b", "", "a".repeat(65), "học"].map((name): Row => [`releases --project=${name}`, 2, "Expected 1 to 64 of "]),
    ["serve --explorer yes", 2, "lectern: Invalid --explorer `yes`. Expected one of on, off."],
    [
      "serve --strict",
      2,
      "lectern: Unknown option --strict of `serve`. It is an option of `import`, `follow`, `check`.",
    ],
    ["serve --database foo", 2, "lectern: --database is not a database URL. Expected sqlite:PATH, such as "],
    ["serve --database catalog.db", 2, "lectern: --database is not a database URL. Expected sqlite:PATH, such as "],
    ["serve", 1, "lectern: There is no database at ./data/lectern.db"],
    ["keys create --strict", 2, "lectern: Unknown option --strict of `keys create`."],
    [
      "keys create --project acme --expires 30",
      2,
      "lectern: Invalid --expires `30`. Expected a number and a unit, such as",
    ],
    ["rollback --project acme --to last", 2, "lectern: Invalid --to `last`. Expected "],
    ["completion tcsh", 2, "lectern: Invalid argument `tcsh`. Expected one of bash, zsh, fish."],
    ["import nowhere --project acme", 1, "lectern: There is no file or folder nowhere"],
    ["check nowhere", 1, "lectern: There is no file or folder nowhere"],
    ["preview nowhere", 1, "nowhere"],
    ["outline nowhere", 1, "nowhere"],
    ["import EXAMPLES --project acme --json", 2, "--json"],
    ["import https://catalog.example --project acme", 2, "--api-key-stdin"],
    ["copy --from SQLITE --to SQLITE", 2, "--from and --to name the same database"],
    ["get api/v1/courses --project acme", 1, "A path begins with a slash"],
    ["export EXAMPLES --project acme", 1, "database"],
    ["releases --database SQLITE", 2, WITHOUT_PROJECT],
    ["demo --host 203.0.113.9 --port 0 --admin-port 0", 1, `${NO_ADDRESS} --host `],
    [
      "demo --host 127.0.0.1 --port 0 --admin-port TAKEN",
      1,
      ": port TAKEN is in use. Choose another port with `--admin-port N`.",
    ],
  ],
  STRANGER: [
    [
      "releases --project acme",
      1,
      /^lectern: The database \S+ on \S+ cannot be used: role "nobody_\w+" does not exist\.$/m,
    ],
  ],
  READER: ["keys create --project acme", "import EXAMPLES --project acme", "prune --project acme"].map((line): Row => [
    line,
    1,
    DENIED,
  ]),
  SQLITE: [
    ["releases --project acmee", 1, "lectern: Project acmee has no releases. Did you mean project acme?"],
    ["webhooks list --project acmee", 1, "Did you mean project acme?"],
    ["get /api/v1/courses --project acmee", 1, "lectern: There is no project acmee. Did you mean project acme?"],
    ["rollback --project acmee", 1, "Did you mean project acme?"],
    ["releases --project nothing", 1, "lectern: Project nothing has no releases."],
    [
      "keys create --project acme --channel liv",
      1,
      "no channel liv. Did you mean channel live? To create liv, run lectern import",
    ],
    [
      "webhooks create --project acme --channel Live --url http://127.0.0.1/ --allow-private",
      1,
      "Did you mean channel live?",
    ],
    ["publish --project acme --release 99", 1, "has no release 99"],
    ["channels delete nothing --project acme", 1, "no channel nothing"],
    ["sources remove nothing --project acme", 1, "no"],
    ["keys revoke nothing", 1, "lectern: No key has this id or secret. `lectern keys list"],
    ["webhooks test nothing", 1, "lectern: There is no webhook nothing. `lectern webhooks list` shows the ids."],
    ["rollback --project acme --to 99", 1, "has no release 99; `lectern releases --project acme` lists its releases."],
    ["releases", 2, "lectern: Missing --project."],
    ...["releases", "keys create", "import EXAMPLES --dry-run"].map((line): Row => [line, 2, WITHOUT_PROJECT]),
    ["serve --host 203.0.113.9 --port 0", 1, `lectern: Cannot listen on ${NO_ADDRESS} --host `],
    ["serve --workers 2 --host 203.0.113.9 --port 0", 1, `lectern: Cannot listen on ${NO_ADDRESS} --host `],
    ["serve --admin-host 203.0.113.9 --port 0", 1, `${NO_ADDRESS} --admin-host `],
    ...[0, 6789].map((port): Row => [
      `serve --host no-such-host.invalid --port ${port}`,
      1,
      "no-such-host.invalid: this machine has no such address. Set --host ",
    ]),
    [
      "serve --host 127.0.0.1 --port TAKEN --admin-port 0",
      1,
      ": port TAKEN is in use. Choose another port with `--port N`.",
    ],
  ],
};

async function expectSlip([line, code, said]: Row, env: Record<string, string>): Promise<void> {
  const { exitCode, stdout, stderr } = await run(line, env);
  expect([exitCode, stdout]).toEqual([code, ""]);
  if (typeof said === "string") expect(stderr).toContain(fill(said));
  else expect(stderr).toMatch(said);
  expect(stderr.trimEnd().split("\n").length).toBeLessThanOrEqual(2);
  expect(stderr).not.toMatch(/hush|^ +at /m);
  // Nothing was made.
  expect(readdirSync(folder.path)).toEqual([]);
}

test.each(Object.entries(SLIPS).flatMap(([database, rows]) => rows.map((row) => ({ database, row, line: row[0] }))))(
  "lectern $line on $database exits with a reason",
  async ({ database, row }) => expectSlip(row, database === "" ? {} : { LECTERN_DATABASE: database }),
);

test("when its port is in use, `npm start` explains how to use another", async () => {
  const line = "demo --host 127.0.0.1 --port TAKEN --admin-port 0";
  const said = ": port TAKEN is in use. Choose another port with `npm start -- --port N`.";
  await expectSlip([line, 1, said], { npm_lifecycle_event: "start" });
});

test("version prints the version", async () => {
  expect(await run("version")).toEqual({ exitCode: 0, stdout: `${packageJson.version}\n`, stderr: "" });
});

test.each([
  [{}, "sqlite:none.db"],
  [{}, "EMPTY"],
])("a dry run without a database is a plan against nothing", async (env, database) => {
  const empty = await (engines[1] ?? engines[0])?.createDatabase();
  known["EMPTY"] = empty?.url ?? "";
  const line = `import EXAMPLES --project acme --public-url http://localhost --dry-run --database ${database}`;
  const { exitCode, stdout, stderr } = await run(line, env);
  expect([exitCode, stderr]).toEqual([0, "There is no database yet. This is the plan for a new one.\n"]);
  expect(stdout).toStartWith("Would publish in acme: 2 courses and 1 draft, 14 lessons.\n");
  const json = await run(`${line} --json`, env);
  expect(JSON.parse(json.stdout)).toMatchObject({ project: "acme", counts: { courses: 2, drafts: 1, lessons: 14 } });
  expect(readdirSync(folder.path)).toEqual([]);
  await empty?.drop();
});
