// Finds the dates of files in their git history.
import { ExpectedError } from "../../catalog/expected-error.ts";

/** Times in ISO 8601, in the time zone of the commit's author. */
export interface FileDates {
  createdAt: string;
  updatedAt: string;
}

/** Marks the start of each commit in git's output. File names do not normally contain this character. */
const COMMIT = "\u0001";

/**
 * Returns the dates of every file in a folder's git history, by relative path. Follows renames. Throws ExpectedError if
 * git is not installed, if the folder is in no repository with commits, or if the clone is shallow.
 */
export async function readGitDates(folder: string): Promise<Map<string, FileDates>> {
  const shallow = await runGit(folder, ["rev-parse", "--is-shallow-repository"], (text) => text);
  if (shallow.trim() === "true") {
    throw new ExpectedError(
      `--dates git needs the whole history of ${folder}, but the clone is shallow. Fetch the rest: git fetch --unshallow (in GitHub Actions: fetch-depth: 0).`,
    );
  }
  const history = new History();
  // The last three options keep the configuration of an untrusted repository from running programs.
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
  /** Maps each name at the commit being read to the file's current name. */
  readonly #names = new Map<string, string>();
  #date = "";
  #rest = "";
  /** The status of the next file and, if it was renamed or copied, its former name. */
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
    // In older commits, this name belongs to a different file.
    if (status.startsWith("R") || status === "A") this.#names.delete(path);
    if (status === "D") this.dates.delete(name);
  }
}

function isBefore(a: string, b: string): boolean {
  return Date.parse(a) < Date.parse(b);
}

/** Runs git and passes its output to `read` in parts. Returns the joined results of `read`. */
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
    throw new ExpectedError("--dates git needs git, which is not installed. Install git.");
  }
  const complaint = new Response(git.stderr).text();
  let output = "";
  const decoder = new TextDecoder();
  for await (const chunk of git.stdout) output += read(decoder.decode(chunk, { stream: true }));
  if ((await git.exited) === 0) return output;
  const [line = ""] = (await complaint).trim().split("\n");
  throw new ExpectedError(`--dates git needs ${folder} to be in a git repository with commits: ${line}`);
}
