// Follows a branch of a Git repository. Reads exactly the files of the branch's newest commit, and runs nothing from
// the repository.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ExpectedError } from "../../catalog/expected-error.ts";
import { toPrintable } from "../../catalog/printable.ts";
import { formatSize, type ArchiveLimits } from "../../content/limits.ts";
import { formatCount } from "../terminal/format.ts";
import { FILES_FOLDER, nameLocally, type FollowedSource, type RemoteAddress } from "./followed-source.ts";
import { GitRunner } from "./git-runner.ts";

interface GitChoice {
  branch: string | undefined;
  folder: string | undefined;
  limits: ArchiveLimits;
}

const ASK_TIMEOUT_MS = 60_000;
const FETCH_TIMEOUT_MS = 600_000;
/** How many of the commit's digits the list of releases shows. */
const SHOWN_DIGITS = 12;
/** The length of a commit's id in a repository that uses SHA-256. */
const SHA256_DIGITS = 64;
/** The local ref that names the fetched commit. */
const FETCHED = "refs/lectern/fetched";

/** Serves a local repository. This second Git inherits the memory limit, but the command must repeat the settings. */
const LOCAL_SERVER = "git -c core.packedGitWindowSize=32m -c core.packedGitLimit=128m -c pack.threads=1 upload-pack";

export function followGit(
  { url, name, authorization }: RemoteAddress,
  { branch, folder, limits }: GitChoice,
): FollowedSource {
  const ref = branch === undefined ? "HEAD" : `refs/heads/${branch}`;
  const shownName = [name, branch, folder].filter((part) => part !== undefined).join(" ");
  return {
    name: shownName,
    async fetchChange(known, into, ended) {
      const repository = join(into, "repository");
      const git = new GitRunner({ home: into, repository, authorization, url, maxBytes: limits.maxBytes, ended });
      const asking = git.read(["ls-remote", "--", url, ref], { timeoutMs: ASK_TIMEOUT_MS });
      const asked = await asking.catch(async (error: Error) => {
        if (/ returned error: 30\d/.test(error.message)) throw await describeRedirect({ url, name, authorization });
        throw error;
      });
      // A server can also list refs whose names merely end with this one.
      const line = asked.split("\n").find((each) => each.endsWith(`\t${ref}`));
      if (line === undefined)
        throw new ExpectedError(`${name} has no ${branch === undefined ? "default branch" : `branch ${branch}`}.`);
      if (known !== undefined && line.startsWith(`${known}\t`)) return undefined;
      const hashes = line.indexOf("\t") === SHA256_DIGITS ? ["--object-format=sha256"] : [];
      await git.read(["init", "--quiet", "--bare", "--template=", ...hashes, repository]);
      const fetch = ["fetch", "--quiet", "--depth=1", "--no-tags", "--recurse-submodules=no"];
      if (url.startsWith("file:")) fetch.push(`--upload-pack=${LOCAL_SERVER}`);
      await git.read([...fetch, "--", url, `+${ref}:${FETCHED}`], {
        timeoutMs: FETCH_TIMEOUT_MS,
        maxPackBytes: limits.maxBytes,
      });
      const commit = (await git.read(["rev-parse", "--verify", `${FETCHED}^{commit}`])).trim();
      const path = join(into, FILES_FOLDER, nameLocally((folder ?? name).replace(/\.git$/, "")));
      mkdirSync(path, { recursive: true });
      const listing = createListingReader(limits, name);
      const tree = folder === undefined ? `${commit}^{tree}` : `${commit}:${folder}`;
      const kind = await git.read(["cat-file", "-t", tree]).catch(() => "");
      if (kind.trim() !== "tree")
        throw new ExpectedError(`${name} has no folder ${folder} at commit ${commit.slice(0, SHOWN_DIGITS)}.`);
      await git.read(["ls-tree", "-r", "-t", "-l", "-z", tree], { onText: (text) => listing.read(text) });
      // Overrides the repository's attributes, so that Git runs no filter and converts no file.
      mkdirSync(join(repository, "info"), { recursive: true });
      writeFileSync(join(repository, "info", "attributes"), "* -text -filter -ident !eol !working-tree-encoding\n");
      await git.read(["read-tree", tree]);
      await git.read(["checkout-index", "--all", "--quiet"], { workTree: path, timeoutMs: FETCH_TIMEOUT_MS });
      const submodules = listing.countSubmodules();
      const notes = submodules === 0 ? [] : [`Skipped ${formatCount(submodules, "submodule")} of ${name}.`];
      return { path, label: `git ${shownName} ${commit.slice(0, SHOWN_DIGITS)}`, revision: commit, notes };
    },
  };
}

/** Describes a redirect with its target, which Git does not report. */
async function describeRedirect({ url, name, authorization }: RemoteAddress): Promise<ExpectedError> {
  const suffix = "/info/refs?service=git-upload-pack";
  const headers = authorization === undefined ? {} : { authorization };
  const signal = AbortSignal.timeout(ASK_TIMEOUT_MS);
  const response = await fetch(url + suffix, { headers, redirect: "manual", signal }).catch(() => undefined);
  await response?.body?.cancel();
  const next = URL.parse(response?.headers.get("location") ?? "", url);
  const place = next === null ? "another URL" : `${next.origin}${next.pathname.replace(/\/info\/refs$/, "")}`;
  return new ExpectedError(`${name} redirects to ${toPrintable(place)}. Redirects are not followed: use that URL.`);
}

/** Reads the output of `git ls-tree -r -t -l -z`. Throws if the commit exceeds the limits for archives. */
function createListingReader({ maxBytes, maxMembers, maxDepth }: ArchiveLimits, name: string) {
  let [submodules, members, size, rest] = [0, 0, 0, ""];
  return {
    countSubmodules: (): number => submodules,
    read(text: string): void {
      const lines = (rest + text).split("\0");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const [, kind, bytes = "", path = ""] = /^\d+ (\w+) \w+ +(\d+|-)\t(.*)/s.exec(line) ?? [];
        if (kind === "commit") submodules++;
        size += bytes === "-" ? 0 : Number(bytes);
        if (++members > maxMembers)
          throw new ExpectedError(`${name} has more than ${maxMembers} files and folders (--max-archive-members).`);
        // Removing very deep folders takes quadratic time.
        if (path.split("/").length > maxDepth)
          throw new ExpectedError(`${name} has a path of more than ${maxDepth} names (--max-archive-depth).`);
        if (size > maxBytes)
          throw new ExpectedError(
            `The files in ${name} take up more than ${formatSize(maxBytes)} (--max-archive-size).`,
          );
      }
    },
  };
}
