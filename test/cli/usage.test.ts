// The command line's help. What people get wrong: slips.test.ts.
import { describe, expect, test } from "bun:test";
import { version } from "../../package.json";
import { createProgram } from "../../src/cli/program.ts";
import { LAUNCHER, runCommand } from "../support/command.ts";
import { writeFolder } from "../support/written-folder.ts";

describe("help", () => {
  test("of the program lists every command; without arguments, the program shows first steps", async () => {
    const { stdout } = await runCommand(["--help"]);
    for (const command of createProgram().commands)
      expect(stdout).toMatch(new RegExp(`^[A-Z ].{9}${command.name()} +[A-Z]`, "m"));
    const bare = await runCommand([]);
    expect([bare.exitCode, bare.stdout, bare.stderr]).toEqual([2, "", expect.stringContaining("lectern import")]);
  });

  test("`help COMMAND` is `COMMAND --help`, and `help TOPIC` explains", async () => {
    const { stdout: help } = await runCommand(["help", "keys", "create"]);
    expect(help).toStartWith("Usage: lectern keys create ");
    expect((await runCommand(["keys", "create", "--help"])).stdout.trim()).toBe(help.trim());
    const { stdout } = await runCommand(["help", "settings"]);
    expect(stdout).toMatch(/^ {2}LECTERN_PORT +--port: .* Default: 3000\.$/m);
    expect((await runCommand(["help", "exit-codes"])).stdout).toMatch(/^ {2}3 {2}The content has errors/m);
  });

  test("--version prints the version, also through the launcher", async () => {
    for (const word of ["version", "--version"]) expect((await runCommand([word])).stdout).toBe(`${version}\n`);
    expect(Bun.spawnSync(["node", LAUNCHER, "--version"]).stdout.toString()).toBe(`${version}\n`);
  });
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
