// Dates files by their history in git.
import { ExpectedError } from "../../catalog/expected-error.ts";

/** Dates in ISO 8601 with the author's zone. */
export interface FileDates {
  createdAt: string;
  updatedAt: string;
}

/** Separates commits; file names do not contain it. */
const COMMIT = "\u0001";

/**
 * Dates every file in a folder's git history, by relative path. Follows renames. Runs git once. Throws an Error for
 * people if there is no git or repository, or if the clone is shallow.
 */
export async function readGitDates(folder: string): Promise<Map<string, FileDates>> {
  const shallow = await runGit(folder, ["rev-parse", "--is-shallow-repository"], (text) => text);
  if (shallow.trim() === "true") {
    throw new ExpectedError(
      `--dates git needs the whole history of ${folder}, but the clone is shallow. Fetch the rest: git fetch --unshallow (in GitHub Actions: fetch-depth: 0).`,
    );
  }
  const history = new History();
  // The configuration of a foreign repository may run programs.
  const log = [
    "log",
    "-z",
    "-M",
    "--name-status",
    "--relative",
    "--no-ext-diff",
    "--no-textconv",
    "--no-show-signature",
  ];
  await runGit(folder, [...log, `--format=%x01%aI`, "--", "."], (text) => {
    history.read(text);
    return "";
  });
  history.end();
  return history.dates;
}

/** Reads commits, newest first. */
class History {
  readonly dates = new Map<string, FileDates>();
  /** Current names by the names at the commit being read. */
  readonly #names = new Map<string, string>();
  #date = "";
  #rest = "";
  /** The status of the next file, and the former name of a renamed one. */
  #status = "";
  #former: string | undefined;

  read(text: string): void {
    const parts = (this.#rest + text).split("\0");
    this.#rest = parts.pop() ?? "";
    for (const part of parts) this.#readPart(part);
  }

  end(): void {
    if (this.#rest !== "") this.#readPart(this.#rest);
  }

  #readPart(part: string): void {
    const text = part.startsWith("\n") ? part.slice(1) : part;
    if (this.#status === "" && text.startsWith(COMMIT)) {
      this.#date = text.slice(COMMIT.length).trim();
    } else if (this.#status === "") this.#status = text;
    else if (/^[RC]/.test(this.#status) && this.#former === undefined) this.#former = text;
    else {
      this.#addChange(this.#status, text, this.#former);
      this.#status = "";
      this.#former = undefined;
    }
  }

  #addChange(status: string, path: string, former: string | undefined): void {
    const name = this.#names.get(path) ?? path;
    const known = this.dates.get(name);
    if (known === undefined) this.dates.set(name, { createdAt: this.#date, updatedAt: this.#date });
    else {
      if (isBefore(this.#date, known.createdAt)) known.createdAt = this.#date;
      if (isBefore(known.updatedAt, this.#date)) known.updatedAt = this.#date;
    }
    if (status.startsWith("R") && former !== undefined) this.#names.set(former, name);
    // An older file of this name is a different file.
    if (status.startsWith("R") || status === "A") this.#names.delete(path);
    if (status === "D") this.dates.delete(name);
  }
}

function isBefore(a: string, b: string): boolean {
  return Date.parse(a) < Date.parse(b);
}

/** Streams git's output to `read`. */
async function runGit(folder: string, args: string[], read: (text: string) => string): Promise<string> {
  let git: Bun.Subprocess<"ignore", "pipe", "pipe">;
  try {
    git = Bun.spawn(["git", "-c", "core.fsmonitor=false", "-c", "core.quotePath=false", "-C", folder, ...args], {
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
      env: { ...process.env, GIT_OPTIONAL_LOCKS: "0", GIT_TERMINAL_PROMPT: "0", GIT_NO_LAZY_FETCH: "1", LC_ALL: "C" },
    });
  } catch {
    throw new ExpectedError("git is not installed: --dates git needs it.");
  }
  const complaint = new Response(git.stderr).text();
  let output = "";
  const decoder = new TextDecoder();
  for await (const chunk of git.stdout) output += read(decoder.decode(chunk, { stream: true }));
  if ((await git.exited) === 0) return output;
  const [line = ""] = (await complaint).trim().split("\n");
  throw new ExpectedError(`--dates git needs a git repository with commits around ${folder}: ${line}`);
}
