// Detects the kind of a followed source and its display name.
import { statSync } from "node:fs";
import { toPrintable } from "../../catalog/printable.ts";
import type { ArchiveLimits } from "../../content/limits.ts";
import { CommandFailure, UsageFailure } from "../failure.ts";

export interface Fetched {
  /** What the reader opens: the path of a folder or file, or the URL of a service. */
  path: string;
  /** What the list of releases shows as the source and its revision; undefined if the reader provides this text. */
  label: string | undefined;
  /** Undefined if only an import can detect a change. */
  revision: string | undefined;
  /** Notes on skipped parts. */
  notes?: string[];
}

export interface FollowedSource {
  /** The name to show, without user name, password and query. */
  name: string;
  /**
   * Fetches the source into an empty folder. Returns undefined if the source is still at revision `known`. Throws an
   * Error with a message for the user.
   */
  fetchChange(known: string | undefined, folder: string, ended: AbortSignal): Promise<Fetched | undefined>;
}

export interface SourceChoice {
  branch?: string | undefined;
  folder?: string | undefined;
  /** Whether an API key is given, which means that the source is a service. */
  hasKey: boolean;
  limits: ArchiveLimits;
}

/** A URL and its credentials. */
export interface RemoteAddress {
  /** The URL without the password. Only an SSH URL keeps the user name. */
  url: string;
  /** The name to show, without user name, password and query. */
  name: string;
  /** The value of an Authorization header; undefined if the URL contains neither a user name nor a password. */
  authorization: string | undefined;
}

export const FILES_FOLDER = "files";

const ARCHIVE_PATH = /\.(?:zip|imscc|tar|tgz|tar\.gz)$/i;
/** An SSH address in the form that Git hosts display, such as `git@example.org:acme/courses.git`. */
const SSH_ADDRESS = /^(?:[\w.-]+@)?([\w][\w.-]*:(?!:|\/\/).+)$/;

/** Detects the kind of a source and opens it. Throws CommandFailure if the source is invalid. */
export async function openFollowedSource(text: string, choice: SourceChoice): Promise<FollowedSource> {
  const { branch, folder, hasKey, limits } = choice;
  const isWeb = /^https?:\/\//i.test(text);
  const isGitOnly = branch !== undefined || folder !== undefined;
  if (hasKey) {
    if (isGitOnly) throw new UsageFailure("--branch and --folder need the URL of a Git repository as SOURCE.");
    if (!isWeb) throw new UsageFailure("With an API key, SOURCE must be the URL of a service.");
    const { name, url, authorization } = parseAddress(text);
    if (authorization !== undefined)
      throw new UsageFailure("Remove the user name and password from the URL: a service takes an API key.");
    return { name, fetchChange: async () => ({ path: url, label: undefined, revision: undefined }) };
  }
  if (isWeb && !isGitOnly && ARCHIVE_PATH.test(URL.parse(text)?.pathname ?? "")) {
    const { followArchive } = await import("./followed-archive.ts");
    return followArchive(parseAddress(text), limits);
  }
  const found = statSync(text, { throwIfNoEntry: false });
  const isUrl = /^[\w+.-]+:(?:\/\/|:)/.test(text);
  if (isUrl || (found === undefined && SSH_ADDRESS.test(text))) {
    const { followGit } = await import("./followed-git.ts");
    return followGit(parseGitAddress(text), { branch: checkBranch(branch), folder: checkFolder(folder), limits });
  }
  if (isGitOnly) throw new UsageFailure("--branch and --folder need the URL of a Git repository as SOURCE.");
  if (found === undefined) throw new CommandFailure(`There is no file or folder ${toPrintable(text)}.`);
  if (!found.isDirectory() && !found.isFile())
    throw new CommandFailure(`${toPrintable(text)} is neither a folder nor a file.`);
  const { followFiles } = await import("./followed-files.ts");
  return followFiles(text);
}

function parseAddress(text: string): RemoteAddress {
  const url = URL.parse(text);
  if (url === null) throw new UsageFailure("SOURCE is not a valid URL.");
  const { username, password, protocol, host, pathname } = url;
  const user = `${decode(username)}:${decode(password)}`;
  const authorization = user === ":" ? undefined : `Basic ${Buffer.from(user).toString("base64")}`;
  url.password = "";
  if (protocol !== "ssh:") url.username = "";
  return { url: url.href, name: toPrintable(`${protocol}//${host}${pathname}`), authorization };
}

/** Allows only https, ssh and file, because some other transports of Git run programs. */
function parseGitAddress(text: string): RemoteAddress {
  const [, name] = SSH_ADDRESS.exec(text) ?? [];
  if (name !== undefined && !/^\w+::/.test(text))
    return { url: text, name: toPrintable(name), authorization: undefined };
  if (/^(?:https|ssh|file):\/\//i.test(text)) return parseAddress(text);
  throw new UsageFailure("Use a Git repository over https, ssh or file, such as https://HOST/PATH.git.");
}

/** Returns the last part of a path as a local file name, or `source` if that part could be unsafe. */
export function nameLocally(path: string): string {
  const name = path.split("/").findLast((part) => part !== "") ?? "";
  return /^[\w-][\w.-]{0,99}$/.test(name) ? name : "source";
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

// Applies the rules of git-check-ref-format(1), except those about slashes.
function checkBranch(branch: string | undefined): string | undefined {
  if (
    branch === undefined ||
    (/^[^-./][^\s~^:?*[\\\x00-\x1f\x7f]*$/.test(branch) && !/\.\.|@\{|\.lock$|[./]$/.test(branch))
  )
    return branch;
  throw new UsageFailure("--branch is not a valid branch name.");
}

function checkFolder(folder: string | undefined): string | undefined {
  const path = folder?.replace(/\/+$/, "");
  if (path === undefined || (path !== "" && path.split("/").every((name) => !["", ".", ".."].includes(name))))
    return path;
  throw new UsageFailure("--folder needs a path in the repository, such as docs/courses.");
}
