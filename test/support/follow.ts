// Helpers for tests of `lectern follow`: repositories, sources, and the log of a following process.
import { join } from "node:path";
import { collectText, runCommand, startCommand, type CommandOptions } from "./command.ts";
import { waitFor } from "./server.ts";
import type { TestStore } from "./store.ts";
import { makeFolder, writeFiles } from "./written-folder.ts";

type Files = Record<string, string>;

export function git(cwd: string, ...args: string[]): string {
  const identity = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"];
  const env = { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
  const { exitCode, stdout, stderr } = Bun.spawnSync(["git", ...identity, ...args], { cwd, env });
  if (exitCode !== 0) throw new Error(stderr.toString());
  return stdout.toString().trim();
}

/** A bare repository, and a function that commits files and returns the commit. */
export function createRepository(hash = "sha1"): { url: string; work: string; commit: (files: Files) => string } {
  const [bare, work] = [join(makeFolder(), "courses.git"), makeFolder()];
  git(work, "init", "--quiet", `--object-format=${hash}`, "--bare", bare);
  git(work, "init", "--quiet", `--object-format=${hash}`);
  return {
    url: `file://${bare}`,
    work,
    commit(files) {
      writeFiles(work, files);
      git(work, "add", "-A");
      git(work, "commit", "--quiet", "-m", "a");
      git(work, "push", "--quiet", bare, "HEAD:main");
      return git(work, "rev-parse", "HEAD");
    },
  };
}

export const lesson = (name: string, text = "x"): string => `---\ntitle: ${name}\n---\n${text}\n`;
export const course = (...lessons: string[]): Files =>
  Object.fromEntries([
    ["courses/tea/course.yaml", "name: Tea\n"],
    ...lessons.map((name, index) => [`courses/tea/0${index + 1}-${name}.md`, lesson(name)]),
  ]);

interface Line {
  level: string;
  msg: string;
  from?: string;
  revision?: string;
}

/** Follows until `end`; `until` waits for a new line of the log. */
export function startFollowing(args: string[], options: CommandOptions = {}) {
  const child = startCommand(["follow", "--every", "1s", ...args], options);
  const { text: log, ended } = collectText(child.stderr);
  let seen = 0;
  return {
    log,
    async until(part: string): Promise<Line> {
      let found: Line | undefined;
      await waitFor(() => {
        if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}: ${log()}`);
        const lines = log().split("\n").slice(0, -1);
        while (found === undefined && seen < lines.length) {
          const line = JSON.parse(lines[seen++] ?? "") as Line;
          if (line.msg.includes(part)) found = line;
        }
        return found !== undefined;
      });
      return found as Line;
    },
    async end(): Promise<number> {
      child.kill("SIGTERM");
      const code = await child.exited;
      await ended;
      return code;
    },
  };
}

export const listSources = async (store: TestStore["store"], project: string): Promise<(string | undefined)[]> =>
  (await store.publishing.listPublications(project)).map(({ release }) => release?.source);
export const listFailures = async (url: string, project = "acme"): Promise<string[]> => {
  const { stdout } = await runCommand(["status", "--json", "--database", url]);
  const { findings } = JSON.parse(stdout) as { findings: { kind: string; project: string; message: string }[] };
  const failures = findings.filter((found) => found.kind === "follow-fails" && found.project === project);
  return failures.map(({ message }) => message);
};

export const toMembers = (files: Files) => Object.entries(files).map(([path, content]) => ({ path, content }));
