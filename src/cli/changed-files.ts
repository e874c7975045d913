// Which files of a source changed since a commit. Git itself is asked: it knows renames of branches, ignored files, worktrees.
import { realpathSync, statSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { CommandFailure, EXIT } from "./failure.ts";

/**
 * Tells of files, by the paths that problems have, whether they differ from `ref` or are not tracked; of a folder, whether one
 * in it does. Throws CommandFailure when there is no git, no repository around the source, or no such commit.
 */
export async function findChangedFiles(source: string, ref: string): Promise<(file: string) => boolean> {
  // Not an option, whatever it looks like.
  if (ref === "" || ref.startsWith("-")) {
    throw new CommandFailure("--changed-since needs a commit, branch or tag.", EXIT.usage);
  }
  if (source === "-") {
    throw new CommandFailure("--changed-since is for folders and files, not for standard input.", EXIT.usage);
  }
  const found = statSync(source, { throwIfNoEntry: false });
  if (found === undefined) throw new CommandFailure(`There is no file or folder ${source}.`);
  const typedRoot = resolve(source);
  const realRoot = realpathSync(source);
  const folder = found.isDirectory() ? realRoot : dirname(realRoot);

  const top = await runGit(folder, ["rev-parse", "--show-toplevel"]);
  if (top.output === undefined) {
    throw new CommandFailure(`--changed-since needs a git repository around ${source}: ${top.complaint}`);
  }
  const commit = await runGit(folder, ["rev-parse", "--verify", "--quiet", `${ref}^{commit}`]);
  if (commit.output === undefined) {
    throw new CommandFailure(
      `git knows no commit ${ref} here. If it is one of the remote, fetch it first; actions/checkout needs fetch-depth: 0.`,
    );
  }
  const changed = await listNames(folder, [
    "diff",
    "--name-only",
    "-z",
    "--no-ext-diff",
    commit.output.trim(),
    "--",
    ".",
  ]);
  const untracked = await listNames(folder, ["ls-files", "--others", "--exclude-standard", "--full-name", "-z"]);
  const names = new Set([...changed, ...untracked]);
  for (const name of names) addFolders(names, name);
  const topFolder = realpathSync(top.output.replace(/\r?\n$/, ""));
  return (file) => {
    const place = join(realRoot, relative(typedRoot, resolve(file)));
    return names.has(relative(topFolder, place).replaceAll(sep, "/"));
  };
}

function addFolders(names: Set<string>, name: string): void {
  let end = name.lastIndexOf("/");
  for (; end !== -1; end = name.lastIndexOf("/", end - 1)) {
    const folder = name.slice(0, end);
    if (names.has(folder)) return;
    names.add(folder);
  }
  // The repository as a whole.
  names.add("");
}

async function listNames(folder: string, args: string[]): Promise<string[]> {
  const { output, complaint } = await runGit(folder, args);
  if (output === undefined) throw new CommandFailure(`git cannot tell what changed: ${complaint}`);
  return output.split("\0").filter((name) => name !== "");
}

interface GitResult {
  /** Undefined when git failed. */
  output: string | undefined;
  /** What it said then. */
  complaint: string;
}

async function runGit(folder: string, args: string[]): Promise<GitResult> {
  let git: Bun.Subprocess<"ignore", "pipe", "pipe">;
  try {
    // Names count from the top of the repository, whatever its configuration says.
    const command = ["git", "-C", folder, "-c", "diff.relative=false", ...args];
    git = Bun.spawn(command, { stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  } catch (error) {
    if ((error as { code?: unknown }).code !== "ENOENT") throw error;
    throw new CommandFailure("--changed-since asks git which files changed, and there is no git on this machine.");
  }
  const [output, complaint, exitCode] = await Promise.all([git.stdout.text(), git.stderr.text(), git.exited]);
  return { output: exitCode === 0 ? output : undefined, complaint: complaint.trim().split("\n")[0] ?? "" };
}
