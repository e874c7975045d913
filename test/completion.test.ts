// What a shell completes, asked of the shells that are there.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { importNdjson, publish } from "./support/catalog.ts";
import { MAIN, runCommand } from "./support/command.ts";
import { createKey } from "./support/server.ts";
import { createTestFolder, engines, openTestStore, type TestStore } from "./support/store.ts";

const read = async (shell: string): Promise<string> => {
  const { exitCode, stdout, stderr } = await runCommand(["completion", shell]);
  expect([exitCode, stderr]).toEqual([0, ""]);
  return stdout;
};

describe.each(engines)("names on $name", (engine) => {
  let database: TestStore;
  beforeAll(async () => {
    database = await openTestStore(engine);
    for (const project of ["acme", "demo"]) await publish(database.store, project, [{ _id: "a", name: "A" }]);
    for (const [sourceName, channel] of [
      ["physics", "next"],
      ["tea", "pr-42"],
    ] as const) {
      await importNdjson(database.store, "acme", '{"_id":"b","name":"B"}', undefined, { sourceName, channel });
    }
    await createKey(database.store, "orchard");
    await createKey(database.store, "acme", { channel: "later" });
  });
  afterAll(() => database.drop());

  test.each([
    ["project", "lectern keys list --project ", "acme\ndemo\norchard\n"],
    ["channel", "lectern publish --project acme --channel ", "later\nlive\nnext\npr-42\n"],
    ["channel", "lectern publish --project=demo --channel ", "live\n"],
    ["channel", "lectern publish --channel ", ""],
    ["source", "lectern sources remove --project acme --channel next ", "physics\n"],
    ["source", "lectern sources remove --project acme ", ""],
  ])("of a %s after `%s`", async (kind, line, stdout) => {
    const args = ["completion", "bash", "--names", kind, "--line", `${line}--database ${database.url} `];
    expect(await runCommand(args)).toEqual({ exitCode: 0, stdout, stderr: "" });
  });
});

test("names of a database that is not there, or not to be reached, are none", async () => {
  for (const database of ["sqlite:/nowhere/at/all.db", "postgres://u@127.0.0.1:1/db", "nonsense"]) {
    const args = ["completion", "bash", "--names", "project", "--line", `lectern keys list --database ${database} `];
    expect(await runCommand(args)).toEqual({ exitCode: 0, stdout: "", stderr: "" });
  }
});

describe("bash", () => {
  const folder = createTestFolder();
  beforeAll(async () => {
    mkdirSync(join(folder.path, "courses"));
    writeFileSync(join(folder.path, "courses.ndjson"), "");
    writeFileSync(join(folder.path, "completion.bash"), await read("bash"));
  });
  afterAll(folder.remove);

  /** What bash offers at the end of each line. */
  const complete = async (lines: string[]): Promise<string[]> => {
    const script = `source completion.bash
lectern() { '${process.execPath}' '${MAIN}' "$@"; }
try() {
  COMP_LINE="$1"
  read -ra COMP_WORDS <<< "\${1//=/ = }"
  [[ "$1" == *[" ="] ]] && COMP_WORDS+=("")
  [[ "$1" == *= ]] && unset 'COMP_WORDS[-1]'
  COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
  _lectern
  echo "\${COMPREPLY[*]}"
}
${lines.map((line) => `try '${line}'`).join("\n")}`;
    const env = { ...process.env, LECTERN_DATABASE: "sqlite:acme.db" };
    const child = Bun.spawn(["bash", "-c", script], { cwd: folder.path, env, stdout: "pipe", stderr: "inherit" });
    return (await child.stdout.text()).trimEnd().split("\n");
  };

  test("completes commands, options, values, files and names", async () => {
    writeFileSync(join(folder.path, "a.ndjson"), '{"_id":"a","name":"A"}\n');
    await runCommand(["import", "a.ndjson", "--project", "acme", "--database", "sqlite:acme.db"], { cwd: folder.path });
    const expected: Record<string, string> = {
      "lectern im": "import",
      "lectern keys ": "create list revoke rotate help",
      "lectern keys create --pro": "--project",
      "lectern serve --log-level ": "trace debug info warn error silent",
      "lectern serve --log-level=w": "warn",
      "lectern serve --access-log=": "on off",
      "lectern check courses --format gi": "github",
      "lectern import cou": "courses courses.ndjson",
      "lectern outline cou": "courses",
      "lectern completion ": "bash zsh fish",
      "lectern keys create --name ": "",
      // The value of an option is no command.
      "lectern import --project keys cr": "",
      "lectern publish --project ": "acme",
    };
    const lines = Object.keys(expected);
    const found = (await complete([...lines, "lectern im"])).slice(0, lines.length);
    const sorted = found.map((line, index) => [lines[index], line.split(" ").sort().join(" ")]);
    expect(sorted).toEqual(lines.map((line) => [line, (expected[line] ?? "").split(" ").sort().join(" ")]));
  });
});

test.each(["bash", "zsh", "fish"])("the script for %s can be read by it, where it is installed", async (shell) => {
  const script = await read(shell);
  for (const word of ["import", "keys", "--project", "--log-level"]) expect(script).toContain(word.replace(/^--/, ""));
  if (Bun.which(shell) === null) return;
  const child = Bun.spawn([shell, "-n"], { stdin: new Blob([script]), stdout: "pipe", stderr: "pipe" });
  expect([await child.stderr.text(), await child.exited]).toEqual(["", 0]);
});
