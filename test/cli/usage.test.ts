// The command line's help and errors.
import { beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { Command } from "commander";
import { version } from "../../package.json";
import { createProgram } from "../../src/cli/program.ts";
import { importNdjson, publish } from "../support/catalog.ts";
import { LAUNCHER, runCommand, runProcess } from "../support/command.ts";
import { createKey } from "../support/server.ts";
import { showCommand } from "../support/shown-command.ts";
import { useTestStore } from "../support/store.ts";
import { writeFolder } from "../support/written-folder.ts";

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
      expect(text).toMatch(new RegExp(`^Usage: lectern ${name}(\\|\\w+)? .*\n\n[A-Z][^]{6,300}\\.\n`));
      expect(text).toMatch(new RegExp(`\\nExamples?:\\n(.*\\n)*.*lectern ${name.split(" ")[0]} `));
    },
  );

  test("is what a process prints", async () => {
    const printed = await runProcess(["keys", "create", "--help"]);
    expect(printed).toEqual({ exitCode: 0, stdout: readHelp("keys create"), stderr: "" });
  });

  test("of the program lists every command in 32 lines of 60 columns; without arguments, the program shows first steps", async () => {
    const { exitCode, stdout } = await runCommand(["--help"]);
    expect(exitCode).toBe(0);
    for (const command of createProgram().commands)
      expect(stdout).toMatch(new RegExp(`^[A-Z ].{9}${command.name()} +[A-Z]`, "m"));
    const lines = stdout.trimEnd().split("\n");
    expect([lines.length <= 32, lines.filter((line) => line.length > 60)]).toEqual([true, []]);
    const bare = await runCommand([]);
    expect([bare.exitCode, bare.stdout]).toEqual([2, ""]);
    const known = createProgram().commands.map((command) => `lectern ${command.name()}`);
    const named = bare.stderr.match(/lectern [a-z]+/g) ?? [];
    expect(named).toContain("lectern import");
    for (const command of named) expect(known).toContain(command);
  });

  test("`help COMMAND` is `COMMAND --help`, and `help TOPIC` explains", async () => {
    for (const command of ["keys create", "", "webhooks"]) {
      const words = command.split(" ").filter(Boolean);
      expect(await runCommand(["help", ...words])).toEqual(await runCommand([...words, "--help"]));
    }
    const { stdout } = await runCommand(["help", "settings"]);
    expect(stdout).toMatch(/^ {2}LECTERN_PORT +--port: .* Default: 3000\.$/m);
    expect((await runCommand(["help", "exit-codes"])).stdout).toMatch(/^ {2}3 {2}The content has errors/m);
  });

  test("--version prints the version, also through the launcher", async () => {
    for (const word of ["version", "--version"]) expect((await runCommand([word])).stdout).toBe(`${version}\n`);
    const child = Bun.spawnSync(["node", LAUNCHER, "--version"]);
    expect([child.exitCode, child.stdout.toString()]).toEqual([0, `${version}\n`]);
  });
});

describe("a slip", () => {
  test.each([
    ["improt x", "Unknown command `improt`. Did you mean import?"],
    ["key create --project a", "Unknown command `key`. Did you mean keys?"],
    ["keys create --project a --chanel x", "Unknown option `--chanel`. Did you mean --channel?"],
    ["serve --no-explorer", "Unknown option `--no-explorer`. Did you mean --explorer?"],
    ["channels delet x --project a", "Unknown command `channels delet`. Did you mean delete?"],
    ["check x --format githb", "Option `--format <FORMAT>` argument `githb` is invalid. Did you mean github?"],
  ])("as in %s is asked about", async (line, message) => {
    const result = await runCommand(line.split(" "));
    expect(result).toEqual({ exitCode: 2, stdout: "", stderr: `lectern: ${message}\n` });
  });

  test("in a variable name is reported; variables of other programs and of clients are not", async () => {
    const env = { LECTERN_DATABSE: "sqlite:x.db", LECTERN_DEPLOYED_BY: "me", LECTERN_KEY: "x", LECTER_DATABASE: "" };
    const { stderr } = await runCommand(["status", "--database", "sqlite:none.db"], { env });
    expect(stderr).toStartWith(
      "Unknown setting LECTERN_DATABSE. Did you mean LECTERN_DATABASE?\nlectern: There is no ",
    );
  });

  test("in a folder name prompts a suggestion", async () => {
    const cwd = writeFolder({ "courses/a.md": "" });
    const { stderr } = await runCommand(["import", "cuorses", "--project", "a"], { cwd });
    expect(stderr).toBe("lectern: There is no file or folder cuorses. Did you mean courses?\n");
  });
});

describe("a slip in a name", () => {
  const database = useTestStore();
  beforeAll(async () => {
    for (const project of ["acme", "pilot"]) await publish(database.store, project, [{ _id: "a", name: "A" }]);
    const options = { sourceName: "physics", channel: "next" };
    await importNdjson(database.store, "acme", '{"_id":"b","name":"B"}', undefined, options);
    await createKey(database.store, "orchard");
  });

  test.each([
    ["channels --project pilto", "Project pilto has no channels. Did you mean project pilot? Create one: "],
    ["rollback --project acme --channel lvie", "Project acme has no channel lvie. Did you mean channel live?"],
    ["export - --project pliot", "`lectern releases` lists all releases. Did you mean project pilot?"],
    ["sources remove physcis --project acme --channel next", "Did you mean source physics?"],
    ["keys create --project orchad", "Did you mean project orchard?"],
    ["keys create --project acme --channel lvie", "has no release yet. The key reads an empty catalog until"],
    ["keys create --project acme --channel lvie", "Did you mean channel live?"],
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
    const file = join(writeFolder({ "a.ndjson": '{"_id":"a","name":"A"}\n' }), "a.ndjson");
    const args = ["import", file, "--database", database.url, "--project", "acmee"];
    const { stderr } = await showCommand(args, { columns: undefined });
    expect(stderr).toBe("Project acmee is new. Did you mean project acme?\n");
  });
});

const PERCENT = ": % must be written as %25";

test.each([
  ["postgres://u:hush%-hush@127.0.0.1:1/db", PERCENT],
  ["postgres://u:hush-hush@h%zz:1/db", PERCENT],
  ["postgres://u:hush%00-hush@127.0.0.1:1/db", ": it contains a NUL character"],
  ["postgres://u:hush-hush@127.0.0.1:0/db", ": port 0 is invalid"],
  ["postgres://u:hush-hush@127.0.0.1:1", ": the name of the database is missing"],
  ["postgres://u:hush/hush@127.0.0.1:1/db", ""],
  ["postgres://u:hush#hush@127.0.0.1:1/db", ""],
  ["postgres://u:hush-hush@ho st/db", ""],
])("%s is wrong usage: 2, in one line that does not show the password", async (url, fault) => {
  for (const [flag, ...args] of [
    ["--database", "releases", "--project", "acme"],
    ["--read-database", "serve"],
    ["--from", "copy", "--to", "sqlite:copy.db"],
  ] as [string, ...string[]][]) {
    const { exitCode, stdout, stderr } = await runCommand([...args, flag, url]);
    expect([flag, exitCode, stdout]).toEqual([flag, 2, ""]);
    expect(stderr).toMatch(/^lectern: --\S+ is not a (database|PostgreSQL) URL/);
    expect(stderr).toContain(`${flag} `);
    expect(stderr).toContain(` URL${fault}. Expected `);
    expect(stderr).not.toContain("hush");
    expect(stderr.split("\n")).toHaveLength(2);
  }
});

test("a command exits quietly when its pipe is closed", async () => {
  // The shell's `true` never reads: the pipe is closed when the help is written.
  const script = `{ sleep 0.3; node '${LAUNCHER}' import --help; } | true`;
  const child = Bun.spawn(["sh", "-c", script], { stdout: "ignore", stderr: "pipe" });
  expect(await new Response(child.stderr).text()).toBe("");
});

const readCompletion = async (shell: string): Promise<string> => (await runCommand(["completion", shell])).stdout;

test("bash completes commands, options, values and files", async () => {
  const expected: Record<string, string> = {
    "lectern im": "import",
    "lectern keys ": "create help list revoke rotate",
    "lectern serve --log-level=w": "warn",
    "lectern check courses --format gi": "github",
    "lectern import cou": "courses courses.ndjson",
    // The value of an option is no command.
    "lectern import --project keys cr": "",
    "lectern outline cou": "courses",
  };
  const script = `source completion.bash
try() {
  COMP_LINE="$1"
  read -ra COMP_WORDS <<< "\${1//=/ = }"
  [[ "$1" == *[" ="] ]] && COMP_WORDS+=("")
  [[ "$1" == *= ]] && unset 'COMP_WORDS[-1]'
  COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
  _lectern
  echo "$1: $(echo "\${COMPREPLY[*]}" | tr ' ' '\\n' | sort | paste -sd ' ')"
}
${Object.keys(expected)
  .map((line) => `try '${line}'`)
  .join("\n")}`;
  const cwd = writeFolder({ "courses/a": "", "courses.ndjson": "", "completion.bash": await readCompletion("bash") });
  const child = Bun.spawn(["bash", "-c", script], { cwd, stdout: "pipe", stderr: "inherit" });
  const lines = Object.entries(expected).map(([line, found]) => `${line}: ${found}`);
  expect((await child.stdout.text()).trimEnd().split("\n")).toEqual(lines);
});

test.each(["bash", "zsh", "fish"])("%s parses its completion script, if it is installed", async (shell) => {
  const script = await readCompletion(shell);
  for (const word of ["import", "keys", "project", "log-level"]) expect(script).toContain(word);
  if (Bun.which(shell) === null) return;
  const child = Bun.spawn([shell, "-n"], { stdin: new Blob([script]), stdout: "pipe", stderr: "pipe" });
  expect([await child.stderr.text(), await child.exited]).toEqual(["", 0]);
});
