// What a shell completes, asked of the shells that are there.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runCommand } from "../support/command.ts";
import { createTestFolder } from "../support/store.ts";

const read = async (shell: string): Promise<string> => {
  const { exitCode, stdout, stderr } = await runCommand(["completion", shell]);
  expect([exitCode, stderr]).toEqual([0, ""]);
  return stdout;
};

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
    const child = Bun.spawn(["bash", "-c", script], { cwd: folder.path, stdout: "pipe", stderr: "inherit" });
    return (await child.stdout.text()).trimEnd().split("\n");
  };

  test("completes commands, options, values and files", async () => {
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
      "lectern publish --project ": "",
    };
    const lines = Object.keys(expected);
    const found = (await complete([...lines, "lectern im"])).slice(0, lines.length);
    const sorted = found.map((line, index) => [lines[index], line.split(" ").sort().join(" ")]);
    expect(sorted).toEqual(lines.map((line) => [line, (expected[line] ?? "").split(" ").sort().join(" ")]));
  });
});

test.each(["bash", "zsh", "fish"])("%s parses its script, if it is installed", async (shell) => {
  const script = await read(shell);
  for (const word of ["import", "keys", "--project", "--log-level"]) expect(script).toContain(word.replace(/^--/, ""));
  if (Bun.which(shell) === null) return;
  const child = Bun.spawn([shell, "-n"], { stdin: new Blob([script]), stdout: "pipe", stderr: "pipe" });
  expect([await child.stderr.text(), await child.exited]).toEqual(["", 0]);
});
