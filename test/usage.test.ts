// What the command line tells of itself, and what it refuses.
import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import type { Command } from "commander";
import packageJson from "../package.json" with { type: "json" };
import { createProgram } from "../src/cli/program.ts";
import { LAUNCHER, runCommand, runProcess } from "./support/command.ts";
import { createTestFolder } from "./support/store.ts";

describe("help", () => {
  const listNames = (command: Command, parents: string[]): string[][] =>
    command.commands.flatMap((child) => {
      const names = [...parents, child.name()];
      return child.commands.length > 0 ? listNames(child, names) : [names];
    });

  /** What a command prints for `--help`, without a process of its own. */
  const readHelp = (name: string): string => {
    let command: Command | undefined = createProgram();
    for (const word of name.split(" ")) command = command?.commands.find((child) => child.name() === word);
    let text = "";
    command?.configureOutput({ writeOut: (part) => (text += part) }).outputHelp();
    return text;
  };

  test.each(listNames(createProgram(), []).map((names) => names.join(" ")))(
    "of %s tells what it is, and gives examples",
    (name) => {
      const text = readHelp(name);
      expect(text).toStartWith(`Usage: lectern ${name} `);
      expect(text).toMatch(new RegExp(`\\nExamples?:\\n(.*\\n)*.*lectern ${name.split(" ")[0]} `));
    },
  );

  test("is what a process prints", async () => {
    for (const name of ["serve", "keys create"]) {
      const printed = await runProcess([...name.split(" "), "--help"]);
      expect(printed).toEqual({ exitCode: 0, stdout: readHelp(name), stderr: "" });
    }
  });

  test("of the program lists every command; asked for in vain, it goes to standard error", async () => {
    const { exitCode, stdout } = await runProcess(["--help"]);
    expect(exitCode).toBe(0);
    for (const command of createProgram().commands) expect(stdout).toContain(`  ${command.name()}`);
    const bare = await runProcess([]);
    expect([bare.exitCode, bare.stdout]).toEqual([2, ""]);
    expect(bare.stderr).toContain("Usage: lectern");
  });

  test("--version prints the version, also through the launcher", async () => {
    expect(await runProcess(["--version"])).toEqual({ exitCode: 0, stdout: `${packageJson.version}\n`, stderr: "" });
    const child = Bun.spawnSync(["node", LAUNCHER, "--version"]);
    expect([child.exitCode, child.stdout.toString()]).toEqual([0, `${packageJson.version}\n`]);
    expect(Bun.spawnSync(["node", LAUNCHER, "no-such-command"]).exitCode).toBe(2);
  });
});

describe("wrong usage", () => {
  test.concurrent.each([
    ["an unknown command", ["sing"]],
    ["an unknown command of keys", ["keys", "sing"]],
    ["an unknown option", ["serve", "--no-such-option"]],
    ["a missing argument", ["import", "--project", "acme"]],
    ["an argument too many", ["serve", "now"]],
    ["a missing project", ["import", "courses.ndjson"]],
    ["a project with a slash", ["import", "courses.ndjson", "--project", "a/b"]],
    ["a project without a name", ["import", "courses.ndjson", "--project", ""]],
    ["a project of 65 characters", ["import", "courses.ndjson", "--project", "a".repeat(65)]],
    ["a project beyond ASCII", ["releases", "--project", "học"]],
    ["a database of an unknown kind", ["releases", "--project", "acme", "--database", "mysql://localhost/x"]],
    ["a server without a database", ["releases", "--project", "acme", "--database", "postgres://localhost"]],
    [
      "a URL whose password has a bare %",
      ["releases", "--project", "acme", "--database", "postgres://u:a%b@localhost/x"],
    ],
    ["a port that is none", ["serve", "--port", "65536"]],
    ["a port of words", ["serve", "--admin-port", "http"]],
    ["an origin with a path", ["serve", "--cors-origins", "https://example.org/"]],
    ["a base that is relative", ["import", "x", "--project", "acme", "--asset-base", "/assets"]],
    ["an unknown log level", ["serve", "--log-level", "loud"]],
  ])("%s is wrong usage: 2, told on standard error, and nothing is made", async (_what, args) => {
    const folder = createTestFolder();
    const { exitCode, stdout, stderr } = await runCommand(args, { cwd: folder.path });
    expect([exitCode, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^(error|lectern): /);
    expect(stderr).not.toContain("    at ");
    expect(readdirSync(folder.path)).toEqual([]);
    folder.remove();
  });
});

test.concurrent.each([
  ["postgres://u:hush%-hush@127.0.0.1:1/db", ": a % in it must be written as %25"],
  ["postgres://u%:hush-hush@127.0.0.1:1/db", ": a % in it must be written as %25"],
  ["postgres://u:hush-hush@127.0.0.1:1/d%zz", ": a % in it must be written as %25"],
  ["postgres://u:hush-hush@127.0.0.1:1/db%ff", ": a % in it must be written as %25"],
  ["postgres://u:hush-hush@h%zz:1/db", ": a % in it must be written as %25"],
  ["postgres://u:hush%00-hush@127.0.0.1:1/db", ": it holds a NUL character"],
  ["postgres://u:hush-hush@127.0.0.1:0/db", ": no server has port 0"],
  ["postgres://u:hush-hush@127.0.0.1:1", ": it names no database"],
  ["postgres://u:hush-hush@127.0.0.1:65536/db", ""],
  ["postgres://u:hush-hush@127.0.0.1:http/db", ""],
  ["postgres://u:hush/hush@127.0.0.1:1/db", ""],
  ["postgres://u:hush#hush@127.0.0.1:1/db", ""],
  ["postgres://u:hush-hush@ho st/db", ""],
])("%s is wrong usage: 2, in one line that does not show the password", async (url, fault) => {
  await expectRefused("--database", ["releases", "--project", "acme"], url, fault);
});

test.concurrent.each([
  ["--read-database", ["serve"]],
  ["--from", ["copy", "--to", "sqlite:copy.db"]],
])("%s refuses the same", async (flag, args) => {
  await expectRefused(flag, args, "postgres://u:hush%-hush@127.0.0.1:1/db", ": a % in it must be written as %25");
});

async function expectRefused(flag: string, args: string[], url: string, fault: string): Promise<void> {
  const { exitCode, stdout, stderr } = await runCommand([...args, flag, url]);
  expect([flag, exitCode, stdout]).toEqual([flag, 2, ""]);
  expect(stderr).toStartWith(`lectern: ${flag} is no URL of a `);
  expect(stderr).toContain(`database${fault}. Expected `);
  expect(stderr).not.toContain("hush");
  expect(stderr.split("\n")).toHaveLength(2);
}

test("a reader that has seen enough ends a command quietly", async () => {
  // The shell's `true` never reads: the pipe is closed when the help is written.
  const script = `{ sleep 0.3; node '${LAUNCHER}' import --help; } | true`;
  const child = Bun.spawn(["sh", "-c", script], { stdout: "ignore", stderr: "pipe" });
  const errors = await new Response(child.stderr).text();
  expect(errors).toBe("");
});
