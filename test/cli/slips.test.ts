// What people get wrong at the command line: one or two lines say what, where and what to do, and the exit code is not 0.
import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { importNdjson, publish } from "../support/catalog.ts";
import { runCommand } from "../support/command.ts";
import { createKey } from "../support/server.ts";
import { createTestFolder, postgres, sqlite, useTestStore } from "../support/store.ts";

const EXAMPLES = join(import.meta.dir, "../../examples/catalog");
const REFUSED = "postgres://lectern:hush@127.0.0.1:1/catalog";

const folder = createTestFolder();
/** Placeholders in the table for values known only at run time. */
let known: Record<string, string>;
const database = useTestStore(sqlite, async () => {
  for (const name of ["A", "B"]) await publish(database.store, "acme", [{ _id: "a", name }]);
  await publish(database.store, "pilot", [{ _id: "a", name: "A" }]);
  const named = { sourceName: "physics", channel: "next" };
  await importNdjson(database.store, "acme", '{"_id":"p","name":"P"}', undefined, named);
  await createKey(database.store, "orchard");
  const server = await postgres.createStoreDatabase();
  const role = `reader_${crypto.randomUUID().slice(0, 8)}`;
  await server.execute(`create role ${role} login`);
  await server.execute(`grant select on all tables in schema public to ${role}`);
  const listener = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  known = {
    SQLITE: database.url,
    READER: server.url.replace("lectern@", `${role}@`),
    STRANGER: server.url.replace("lectern@", `nobody_${role}@`),
    TAKEN: String(listener.port),
    EXAMPLES,
  };
  return async () => {
    listener.stop(true);
    await server.drop();
    folder.remove();
  };
});

const fill = (text: string): string => text.replaceAll(/\b[A-Z]{4,}\b/g, (word) => known[word] ?? word);
const run = async (line: string, env: Record<string, string> = {}) =>
  runCommand(line.split(" ").filter(Boolean).map(fill), {
    cwd: folder.path,
    env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, fill(value)])),
  });

type Row = [line: string, exitCode: number, said: string | RegExp];
const UNREACHED =
  "lectern: The database catalog on 127.0.0.1:1 cannot be used: the connection was refused. Start PostgreSQL there, or";
const NO_MODE = ": sslmode must be one of disable, ";
const DENIED = /^lectern: permission denied for \w+ \w+: .* Set .* to the URL of the role that owns the database; .*$/m;
const IN_USE = ": port TAKEN is in use. Choose another port with";
const NO_ADDRESS = "203.0.113.9: this machine has no such address. Set";
const WITHOUT_PROJECT =
  "lectern: Missing --project. Give --project NAME, or set LECTERN_PROJECT. The database contains the projects acme, orchard, pilot.";

const UNKNOWN = "lectern: Unknown command `diff`. `lectern --help` explains the usage.";
const ROLLBACK = "has no release 99; `lectern releases --project acme` lists its releases.";

/** By the database that LECTERN_DATABASE names. */
const SLIPS: Record<string, Row[]> = {
  [REFUSED]: [
    ["keys create --project acme", 1, UNREACHED],
    ["serve", 1, UNREACHED],
  ],
  "": [
    ["status --database postgres://u:hush@no-host.invalid/c", 1, "the host no-host.invalid is unknown. Correct"],
    [`releases --project acme --database ${REFUSED}?sslmode=bogus`, 2, NO_MODE],
    [`copy --from SQLITE --to ${REFUSED}?sslmode=on`, 2, "--to is not a database URL: sslmode must be one of "],
    [`status --database ${REFUSED}?sslmode=verify-full&sslrootcert=/none/ca.crt`, 1, "Unable to access caFile path."],
    ["status --database postgres:///catalog", 2, "is not a database URL: the host is missing. Expected "],
    ["serve --database foo", 2, "lectern: --database is not a database URL. Expected sqlite:PATH, such as "],
    ["diff --help", 2, UNKNOWN],
    ["improt x", 2, "Unknown command `improt`. Did you mean import?"],
    ["help chek", 2, "Unknown command `chek`. Did you mean check?"],
    ["channels delet x --project a", 2, "Unknown command `channels delet`. Did you mean delete?"],
    ["channels --project a delet", 2, "lectern: Too many arguments for `list`. Expected 0 arguments but got 1. "],
    ["keys create --project a --chanel x", 2, "Unknown option `--chanel`. Did you mean --channel?"],
    ["import x --project a --format mdbok", 2, "Invalid --format `mdbok`. Did you mean mdbook?"],
    ["releases --project a --database postgres://u:hush%-@h/db", 2, " URL: % must be written as %25. Expected "],
    ["releases --project a --database postgres://u:hush%00@h/db", 2, " URL: it contains a NUL character. Expected "],
    ["serve --read-database postgres://u:hush@h:0/db", 2, "is not a PostgreSQL URL: port 0 is invalid. "],
    ["copy --from postgres://u:hush@h:1 --to sqlite:x.db", 2, " URL: the name of the database is missing. Expected "],
    ["releases --project a --database postgres://u:hush/hush@h:1/db", 2, "--database is not a database URL. Expected "],
    ["keys", 2, "lectern: `keys` needs a command: create, list, revoke, rotate."],
    ["serve --trust-proxy 10.0.0.0/33", 2, "is neither an address nor a network"],
    ["serve --trust-proxy fe80::1%eth0", 2, "is neither an address nor a network"],
    ["webhooks", 2, "lectern: `webhooks` needs a command: create, list, rotate, test, resume, delete."],
    ["import", 2, "lectern: Missing --project."],
    ["serve --port abc", 2, "lectern: Invalid --port `abc`. Expected a whole number from 0 to 65535."],
    ["serve --cors-origins https://example.org/", 2, "is not an origin. Give an origin without a path, such as https:"],
    ["releases --project=a/b", 2, "Expected 1 to 64 of "],
    ["serve", 1, "lectern: There is no database at ./data/lectern.db"],
    ["import - --project acme --source -x", 2, "beginning with a letter or digit"],
    ["import - --project acme --take-over", 2, "--take-over needs --source NAME."],
    ["import x --project p --lesson-url //o.example/{lessonId}", 2, "must begin with https://, http:// or one /"],
    ["import x --project p --lesson-url https://o.example/{course}/{lessonId}", 2, 'contains "{course}"; the '],
    ["import x --project p --lesson-url https://o.example/{courseSlug}", 2, "must contain {lessonId}"],
    ["import https://catalog.example --project acme", 2, "--api-key-stdin"],
    [`restore x --database ${REFUSED}`, 2, "pg_restore"],
    [`backup x --database ${REFUSED}`, 2, `pg_dump --format=custom --file=x ${REFUSED.replace(":hush", "")}`],
    [`backup x --database ${REFUSED}?password=hush&sslmode=require`, 2, "?password=…&sslmode=require'"],
    ["check https://hush@hush@a.example/b.zip?private_token=hush", 1, "der https://…@a.example/b.zip?private_token=…"],
    ["check https://u:hush/hush@a.example/b.zip", 1, "folder https://u:…@a.example/b.zip."],
    ["copy --from SQLITE --to SQLITE", 2, "--from and --to name the same database"],
    ["export EXAMPLES --project acme", 1, "database"],
    ["import EXAMPLES/../catalgo --project a", 1, "Did you mean "],
    ["preview EXAMPLES/../README.md", 1, "is not a folder"],
    ["export x --project acme --static", 2, "Add --public"],
    ["export x --project acme --static --public --release 1", 2, "Publish the release"],
    ["demo --host 127.0.0.1 --port 0 --admin-port TAKEN", 1, `${IN_USE} \`--admin-port N\`.`],
  ],
  STRANGER: [["status", 1, /^lectern: The database \S+ on \S+ cannot be used: role "nobody_\w+" does not exist\.$/m]],
  READER: ["keys create", "import EXAMPLES", "prune"].map((line): Row => [`${line} --project acme`, 1, DENIED]),
  SQLITE: [
    ["releases --project acmee", 1, "lectern: Project acmee has no releases. Did you mean project acme?"],
    ["rollback --project acme --channel lvie", 1, "Project acme has no channel lvie. Did you mean channel live?"],
    ["sources remove physcis --project acme --channel next", 1, "Did you mean source physics?"],
    ["rollback --project acme --to 99", 1, ROLLBACK],
    ["keys create --project acme --channel liv", 1, "Did you mean channel live? To create liv, run lectern import"],
    ["keys revoke nothing", 1, "lectern: No key has this id or secret. `lectern keys list"],
    ...["releases", "keys create", "import EXAMPLES --dry-run"].map((line): Row => [line, 2, WITHOUT_PROJECT]),
    ["serve --host 203.0.113.9 --port 0", 1, `lectern: Cannot listen on ${NO_ADDRESS} --host `],
    ["serve --workers 2 --host 203.0.113.9 --port 0", 1, `lectern: Cannot listen on ${NO_ADDRESS} --host `],
    ["serve --host 127.0.0.1 --port TAKEN --admin-port 0", 1, `${IN_USE} \`--port N\`.`],
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

test.each(Object.entries(SLIPS).flatMap(([on, rows]) => rows.map((row) => ({ on, row, line: row[0] }))))(
  "lectern $line on $on exits with a reason",
  async ({ on, row }) => expectSlip(row, on === "" ? {} : { LECTERN_DATABASE: on }),
);

test("a name is not suspected if it exists, resembles no other, or differs only in numbers", async () => {
  for (const [line, code] of [
    ["releases --project orchard", 0],
    ["releases --project other", 1],
    ["keys create --project acme-2", 0],
    ["keys create --project acme --channel pr-42", 0],
    ["keys create --project acme --channel pr-43", 0],
  ] as const) {
    const { exitCode, stderr } = await run(line, { LECTERN_DATABASE: "SQLITE" });
    expect([line, exitCode, stderr]).toEqual([line, code, expect.not.stringContaining("Did you mean")]);
  }
});

test("when its port is in use, `npm start` explains how to use another", async () => {
  const line = "demo --host 127.0.0.1 --port TAKEN --admin-port 0";
  await expectSlip([line, 1, `${IN_USE} \`npm start -- --port N\`.`], { npm_lifecycle_event: "start" });
});

test("a variable with an unknown name or a wrong value is named; those of other programs and of clients are not", async () => {
  await expectSlip(["serve", 2, "lectern: Invalid LECTERN_PORT `abc`. Expected "], { LECTERN_PORT: "abc" });
  const env = { LECTERN_DATABSE: "sqlite:x.db", LECTERN_DEPLOYED_BY: "me", LECTERN_KEY: "x", LECTER_DATABASE: "" };
  const { stderr } = await run("status --database sqlite:none.db", env);
  expect(stderr).toStartWith("Unknown setting LECTERN_DATABSE. Did you mean LECTERN_DATABASE?\nlectern: There is no ");
});

test.each(["sqlite:none.db", "EMPTY"])("a dry run without a database is a plan against nothing: %s", async (on) => {
  const empty = await postgres.createDatabase();
  known["EMPTY"] = empty.url;
  const line = `import EXAMPLES --project acme --public-url http://localhost --dry-run --database ${on}`;
  const { exitCode, stdout, stderr } = await run(line);
  expect([exitCode, stderr]).toEqual([0, "There is no database yet. This is the plan for a new one.\n"]);
  expect(stdout).toStartWith("Would publish in acme: 2 courses and 1 draft, 14 lessons.\n");
  const json = await run(`${line} --json`);
  expect(JSON.parse(json.stdout)).toMatchObject({ project: "acme", counts: { courses: 2, drafts: 1, lessons: 14 } });
  expect(readdirSync(folder.path)).toEqual([]);
  await empty.drop();
});
