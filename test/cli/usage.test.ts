// The command line's help and errors.
import { beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import packageJson from "../../package.json" with { type: "json" };
import { createProgram } from "../../src/cli/program.ts";
import { importNdjson, publish } from "../support/catalog.ts";
import { LAUNCHER, runCommand, runProcess } from "../support/command.ts";
import { createKey } from "../support/server.ts";
import { showCommand } from "../support/shown-command.ts";
import { createTestFolder, useTestStore } from "../support/store.ts";

describe("help", () => {
  const listNames = (command: Command, parents: string[]): string[][] =>
    command.commands.flatMap((child) => {
      const names = [...parents, child.name()];
      return child.commands.length > 0 ? listNames(child, names) : [names];
    });

  /** What a command prints for `--help`, without a process of its own. */
  const readHelp = (name: string): string => {
    let command: Command | undefined = createProgram();
    for (const word of name.split(" ").filter(Boolean))
      command = command?.commands.find((child) => child.name() === word);
    let text = "";
    command?.configureOutput({ writeOut: (part) => (text += part) }).outputHelp();
    return text;
  };

  test.each(listNames(createProgram(), []).map((names) => names.join(" ")))(
    "of %s describes the command and gives examples",
    (name) => {
      const text = readHelp(name);
      expect(text).toMatch(new RegExp(`^[A-Z][^]{6,300}\\.\n\nUsage: lectern ${name}(\\|\\w+)? `));
      expect(text).toMatch(new RegExp(`\\nExamples?:\\n(.*\\n)*.*lectern ${name.split(" ")[0]} `));
    },
  );

  test("is what a process prints", async () => {
    const printed = await runProcess(["keys", "create", "--help"]);
    expect(printed).toEqual({ exitCode: 0, stdout: readHelp("keys create"), stderr: "" });
    expect(await runCommand(["serve", "--help"])).toEqual({ exitCode: 0, stdout: readHelp("serve"), stderr: "" });
  });

  test("of the program lists every command; without arguments, the program shows first steps", async () => {
    const { exitCode, stdout } = await runCommand(["--help"]);
    expect(exitCode).toBe(0);
    for (const command of createProgram().commands)
      expect(stdout).toMatch(new RegExp(`^[A-Z ].{9}${command.name()} +[A-Z]`, "m"));
    const bare = await runCommand([]);
    expect([bare.exitCode, bare.stdout]).toEqual([2, ""]);
    const known = createProgram().commands.map((command) => `lectern ${command.name()}`);
    const named = bare.stderr.match(/lectern [a-z]+/g) ?? [];
    expect(named).toContain("lectern import");
    for (const command of named) expect(known).toContain(command);
  });

  test("fits one screen: 32 lines of 60 columns", () => {
    const lines = readHelp("").trimEnd().split("\n");
    expect(lines.length).toBeLessThanOrEqual(32);
    expect(lines.filter((line) => line.length > 60)).toEqual([]);
  });

  test("shows common options first and limits last", () => {
    const groups = readHelp("import").split(/^(Options|More options|Limits|Examples):\n/m);
    const flags = groups.map((group) => group.match(/^ {2}--\S+/gm) ?? []);
    expect(groups.filter((_, index) => index % 2 === 1)).toEqual(["Options", "More options", "Limits", "Examples"]);
    expect(flags[2]?.length).toBeLessThanOrEqual(6);
    expect(flags[2]).toContain("  --project");
    expect(flags[6]?.every((flag) => /--(max|service)-/.test(flag))).toBe(true);
  });

  test.each([
    ["help keys create", "keys create --help"],
    ["help", "--help"],
    ["help webhooks", "webhooks --help"],
  ])("%s is %s", async (line, plain) => {
    expect(await runCommand(line.split(" "))).toEqual(await runCommand(plain.split(" ")));
  });

  test("explains topics", async () => {
    const { stdout } = await runCommand(["help", "settings"]);
    expect(stdout).toMatch(/^ {2}LECTERN_PORT +--port: .* Default: 3000\.$/m);
    expect((await runCommand(["help", "exit-codes"])).stdout).toMatch(/^ {2}3 {2}The content has errors/m);
  });

  test("--version prints the version, also through the launcher", async () => {
    expect(await runCommand(["--version"])).toEqual({ exitCode: 0, stdout: `${packageJson.version}\n`, stderr: "" });
    const child = Bun.spawnSync(["node", LAUNCHER, "--version"]);
    expect([child.exitCode, child.stdout.toString()]).toEqual([0, `${packageJson.version}\n`]);
  });
});

describe("a slip", () => {
  test.each([
    ["improt x", "Unknown command `improt`. Did you mean `lectern import`?"],
    ["keys lits", "Unknown command `keys lits`. Did you mean `lectern keys list`?"],
    ["key create --project a", "Unknown command `key`. Did you mean `lectern keys create`?"],
    ["server", "Unknown command `server`. Did you mean `lectern serve`?"],
    ["start", "Unknown command `start`. Did you mean `lectern serve`?"],
    ["hook list", "Unknown command `hook`. Did you mean `lectern webhooks list`?"],
    ["help setings", "Unknown command `setings`. Did you mean `lectern help settings`?"],
    ["help key", "Unknown command `key`. Did you mean `lectern keys`?"],
    ["publsh --help", "Unknown command `publsh`. Did you mean `lectern publish`?"],
    ["keys creat --help", "Unknown command `keys creat`. Did you mean `lectern keys create`?"],
    ["sing --help", "Unknown command `sing`. `lectern --help` lists the commands."],
    ["keys create --project a --chanel x", "Unknown option --chanel of `keys create`. Did you mean --channel?"],
    ["serve -port 80", "Unknown option -port of `serve`. Did you mean --port?"],
    ["serve --no-explorer", "Unknown option --no-explorer of `serve`. Did you mean --explorer off?"],
    ["import x --projct acme", "Unknown option --projct of `import`. Did you mean --project?"],
    ["keys --project acme", "`keys` needs a command before --project: create, list, revoke, rotate."],
    [
      "channels delet pr-42 --project acme",
      "Unknown command `channels delet`. Did you mean `lectern channels delete`?",
    ],
    ["channels delet pr-42", "Unknown command `channels delet`. Did you mean `lectern channels delete`?"],
    ["check x --format githb", "Invalid --format `githb`. Did you mean github?"],
    ["import x --project a --format mdbok", "Invalid --format `mdbok`. Did you mean mdbook?"],
    ["serve --log-level wran", "Invalid --log-level `wran`. Did you mean warn?"],
    ["completion fihs", "Invalid argument `fihs`. Did you mean fish?"],
  ])("as in %s is asked about", async (line, message) => {
    const result = await runCommand(line.split(" "));
    expect(result).toEqual({ exitCode: 2, stdout: "", stderr: `lectern: ${message}\n` });
  });

  test("in a variable name is reported; variables of other programs and of clients are not", async () => {
    const env = {
      LECTERN_DATABSE: "sqlite:x.db",
      LECTERN_DEPLOYED_BY: "me",
      LECTERN_KEY: "lectern_x",
      LECTER_DATABASE: "",
    };
    const { stderr } = await runCommand(["status", "--database", "sqlite:none.db"], { env });
    expect(stderr).toStartWith(
      "Unknown setting LECTERN_DATABSE. Did you mean LECTERN_DATABASE?\nlectern: There is no ",
    );
  });

  test("in a folder name prompts a suggestion", async () => {
    const folder = createTestFolder();
    mkdirSync(join(folder.path, "courses"));
    const { stderr } = await runCommand(["import", "cuorses", "--project", "a"], { cwd: folder.path });
    expect(stderr).toBe("lectern: There is no file or folder cuorses. Did you mean courses?\n");
    folder.remove();
  });
});

describe("a slip in a name", () => {
  const database = useTestStore();
  beforeAll(async () => {
    for (const project of ["acme", "pilot"]) await publish(database.store, project, [{ _id: "a", name: "A" }]);
    const { outcome } = await importNdjson(database.store, "acme", '{"_id":"b","name":"B"}', undefined, {
      sourceName: "physics",
      channel: "next",
    });
    expect(outcome.status).toBe("published");
    await createKey(database.store, "orchard");
  });

  test.each([
    ["channels --project pilto", "Project pilto has no channels. Did you mean project pilot? Create one: "],
    ["sources --project acme --channel nxet", "has no named sources. Did you mean channel next? Create one: "],
    ["prune --project acne", "Nothing to prune in acne. Did you mean project acme?"],
    ["rollback --project acme --channel lvie", "Project acme has no channel lvie. Did you mean channel live?"],
    ["channels delete nxt --project acme", "Project acme has no channel nxt. Did you mean channel next?"],
    ["export - --project pliot", "`lectern releases` lists all releases. Did you mean project pilot?"],
    ["sources remove physcis --project acme --channel next", "Did you mean source physics?"],
    ["keys create --project orchad", "Did you mean project orchard?"],
    [
      "webhooks create --project pilto --url http://127.0.0.1/ --allow-private",
      "Channel live of project pilto has no release yet. Did you mean project pilot?",
    ],
  ])("as in %s is asked about", async (line, message) => {
    const { stdout, stderr } = await showCommand([...line.split(" "), "--database", database.url]);
    expect(stdout + stderr).toContain(message);
  });

  test("is not suspected if the name exists, resembles no other, or differs only in numbers", async () => {
    for (const [line, expected] of [
      ["releases --project orchard", 0],
      ["releases --project other", 1],
      ["keys create --project acme-2", 0],
      ["keys create --project acme --channel pr-42", 0],
      ["keys create --project acme --channel pr-43", 0],
    ] as const) {
      const { exitCode, stdout, stderr } = await showCommand([...line.split(" "), "--database", database.url]);
      expect([exitCode, stdout + stderr]).toEqual([expected, expect.not.stringContaining("Did you mean")]);
    }
  });

  test("prompts a question at the first import into a project", async () => {
    const folder = createTestFolder();
    writeFileSync(join(folder.path, "a.ndjson"), '{"_id":"a","name":"A"}\n');
    const args = ["import", join(folder.path, "a.ndjson"), "--database", database.url, "--project", "acmee"];
    expect((await showCommand(args, { columns: undefined })).stderr).toBe(
      "Project acmee is new. Did you mean project acme?\n",
    );
    folder.remove();
  });
});

const PERCENT = ": % must be written as %25";

test.each([
  ["postgres://u:hush%-hush@127.0.0.1:1/db", PERCENT],
  ["postgres://u%:hush-hush@127.0.0.1:1/db", PERCENT],
  ["postgres://u:hush-hush@127.0.0.1:1/d%zz", PERCENT],
  ["postgres://u:hush-hush@127.0.0.1:1/db%ff", PERCENT],
  ["postgres://u:hush-hush@h%zz:1/db", PERCENT],
  ["postgres://u:hush%00-hush@127.0.0.1:1/db", ": it contains a NUL character"],
  ["postgres://u:hush-hush@127.0.0.1:0/db", ": port 0 is invalid"],
  ["postgres://u:hush-hush@127.0.0.1:1", ": the name of the database is missing"],
  ["postgres://u:hush-hush@127.0.0.1:65536/db", ""],
  ["postgres://u:hush-hush@127.0.0.1:http/db", ""],
  ["postgres://u:hush/hush@127.0.0.1:1/db", ""],
  ["postgres://u:hush#hush@127.0.0.1:1/db", ""],
  ["postgres://u:hush-hush@ho st/db", ""],
])("%s is wrong usage: 2, in one line that does not show the password", async (url, fault) => {
  await expectRefused("--database", ["releases", "--project", "acme"], url, fault);
});

test("--read-database and --from reject the same URLs", async () => {
  const [url, fault] = ["postgres://u:hush%-hush@127.0.0.1:1/db", PERCENT];
  await expectRefused("--read-database", ["serve"], url, fault);
  await expectRefused("--from", ["copy", "--to", "sqlite:copy.db"], url, fault);
});

async function expectRefused(flag: string, args: string[], url: string, fault: string): Promise<void> {
  const { exitCode, stdout, stderr } = await runCommand([...args, flag, url]);
  expect([flag, exitCode, stdout]).toEqual([flag, 2, ""]);
  expect(stderr).toMatch(/^lectern: --\S+ is not a (database|PostgreSQL) URL/);
  expect(stderr).toContain(`${flag} `);
  expect(stderr).toContain(` URL${fault}. Expected `);
  expect(stderr).not.toContain("hush");
  expect(stderr.split("\n")).toHaveLength(2);
}

test("a command exits quietly when its pipe is closed", async () => {
  // The shell's `true` never reads: the pipe is closed when the help is written.
  const script = `{ sleep 0.3; node '${LAUNCHER}' import --help; } | true`;
  const child = Bun.spawn(["sh", "-c", script], { stdout: "ignore", stderr: "pipe" });
  const errors = await new Response(child.stderr).text();
  expect(errors).toBe("");
});
