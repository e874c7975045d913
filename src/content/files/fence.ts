// Decides which paths of a source are visible. Both kinds of tree check every path on the way of a lookup.

/** Returns true for a path that readers must not see; `path` is relative to the root, with `/`. */
export type Hides = (path: string, isFolder: boolean) => boolean;

/** A file in the root that lists ignored paths. */
export const IGNORE_FILE = ".lecternignore";

// Case-insensitive file systems open `Node_Modules` as well.
const HIDDEN_NAME = /(?:^|\/)(?:\.|node_modules(?:\/|$))/i;

/** Hides ignored paths and paths with a hidden name. The names of the root and its parents do not count. */
export function createFence(isIgnored: Hides = () => false): Hides {
  return (path, isFolder) => path !== "." && (HIDDEN_NAME.test(path) || isIgnored(path, isFolder));
}

/** Contains versions, keys and settings of programs, so configurations cannot open it. */
const CLOSED_NAME =
  /^(?:\.(?:git|hg|svn|bzr|jj|ssh|gnupg|aws|azure|kube|docker|cargo|terraform|config|cache|venv|local|npm|m2|gradle|env.*)|node_modules)$/i;
const SECRET_NAME = /^\..*(?:secret|password|credential|token|key|private)/i;

/** Returns true for a folder with a hidden name that a configuration may open. */
export function mayBeOpened(folder: string): boolean {
  return !folder.split("/").some((name) => name === ".." || CLOSED_NAME.test(name) || SECRET_NAME.test(name));
}

/** Returns the fence of a tree with one dotted folder open; hidden names inside stay hidden. */
export function openFence(hides: Hides, isIgnored: Hides, folder: string): Hides {
  return (path, isFolder) => {
    if (isFolder && (path === folder || folder.startsWith(`${path}/`))) return isIgnored(path, true);
    if (!path.startsWith(`${folder}/`)) return hides(path, isFolder);
    return HIDDEN_NAME.test(path.slice(folder.length + 1)) || isIgnored(path, isFolder);
  };
}

/** Linux's limit on links in a path, and a limit above any real number of names. Lookups beyond them find nothing. */
export const MAX_LINKS = 40;
export const MAX_NAMES = 1000;

/** The links on the way of a lookup, and their targets. */
export interface Way {
  folders: string[];
  /** The links and final targets of the whole path. */
  ends: string[];
}

/** Returns true if the path or another on its way is hidden. */
export function isHiddenWay(path: string, { folders, ends }: Way, isFolder: boolean, hides: Hides): boolean {
  return (
    hides(path, isFolder) || ends.some((place) => hides(place, isFolder)) || folders.some((place) => hides(place, true))
  );
}
