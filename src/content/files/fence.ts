// Decides which paths of a source are visible. `FolderFiles` and `ArchiveTree` check every path that a lookup passes
// through.

import { ExpectedError } from "../../catalog/expected-error.ts";

/** Returns true if readers must not see a path. `path` is relative to the root, with `/` as the separator. */
export type Hides = (path: string, isFolder: boolean) => boolean;

/** The file in a source's root that lists the paths to ignore. */
export const IGNORE_FILE = ".lecternignore";

export const isIgnoreFile = (name: string): boolean => name.toLowerCase() === IGNORE_FILE;

// Ignores case, since some file systems open `node_modules` under the name `Node_Modules`, too.
const HIDDEN_NAME = /(?:^|\/)(?:\.|node_modules(?:\/|$))/i;

/** Creates a fence that hides ignored paths and hidden names. The names of the root and its parents have no effect. */
export function createFence(isIgnored: Hides = () => false): Hides {
  return (path, isFolder) => path !== "." && (HIDDEN_NAME.test(path) || isIgnored(path, isFolder));
}

/**
 * The names of folders that contain version history, keys or program settings. No configuration can open such a folder.
 */
const CLOSED_NAME =
  /^(?:\.(?:git|hg|svn|bzr|jj|ssh|gnupg|pki|aws|azure|gcloud|oci|kube|docker|cargo|terraform|vagrant|ansible|chef|pulumi|vault|serverless|vercel|netlify|wrangler|heroku|streamlit|kaggle|huggingface|dvc|direnv|vscode|idea|config|cache|venv|local|npm|m2|gradle|env.*)|node_modules)$/i;
const SECRET_NAME = /^\..*(?:secret|password|credential|token|key|private)/i;

/** Returns true if a configuration is allowed to open a folder, even one with a hidden name. */
export function mayBeOpened(folder: string): boolean {
  return !folder.split("/").some((name) => name === ".." || CLOSED_NAME.test(name) || SECRET_NAME.test(name));
}

/** Returns a fence that opens one dotted folder. Hidden names inside this folder stay hidden. */
export function openFence(hides: Hides, isIgnored: Hides, folder: string): Hides {
  // The root is always open, and no pattern can match it.
  if (folder === ".") return hides;
  return (path, isFolder) => {
    if (isFolder && (path === folder || folder.startsWith(`${path}/`))) return isIgnored(path, true);
    if (!path.startsWith(`${folder}/`)) return hides(path, isFolder);
    return HIDDEN_NAME.test(path.slice(folder.length + 1)) || isIgnored(path, isFolder);
  };
}

/** Linux's limit on the symbolic links in a path. A lookup that needs more finds nothing. */
export const MAX_LINKS = 40;
/** A limit on the names in a path, including those in the targets of its links. No real path contains that many. */
export const MAX_NAMES = 200;

/** The paths that a lookup passes through, from its first link on. */
export interface Way {
  folders: string[];
  /** The paths at the end of the lookup: the links to the final target, and the target itself. */
  ends: string[];
}

/** The maximum total length of the links' targets and paths that lookups pass through: about ten seconds. */
const MAX_LINK_WORK = 1_000_000_000;

/** Limits the work of a source's links, since each lookup can pass through many links and long paths. */
export class LinkWork {
  #length = 0;

  /** Counts a lookup's way. Throws ExpectedError beyond the limit. */
  countWay({ folders, ends }: Way): void {
    for (const place of folders) this.#length += place.length;
    for (const place of ends) this.count(place);
  }

  /** Counts a link's target. Throws ExpectedError beyond the limit. */
  count({ length }: string): void {
    this.#length += length;
    if (this.#length <= MAX_LINK_WORK) return;
    throw new ExpectedError("The source's links lead through too many other links; replace some by what they lead to.");
  }
}

/** Returns true if a path, or any path that its lookup passes through, is hidden. */
export function isHiddenWay(path: string, { folders, ends }: Way, isFolder: boolean, hides: Hides): boolean {
  return (
    hides(path, isFolder) || ends.some((place) => hides(place, isFolder)) || folders.some((place) => hides(place, true))
  );
}
