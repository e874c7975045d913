// The one rule about what of a source exists. Both kinds of tree ask it for every place that a look at a path goes through.

/** True for a place in the source that does not exist for readers of it; `path` is relative to the root, with `/`. */
export type Hides = (path: string, isFolder: boolean) => boolean;

/** Names what of a source is not read, in its root. */
export const IGNORE_FILE = ".lecternignore";

// File systems that ignore the case of letters open `Node_Modules` as well.
const HIDDEN_NAME = /(?:^|\/)(?:\.|node_modules(?:\/|$))/i;

/** Hides what has a hidden name on its path, and what `isIgnored` names. The root itself and what is above it have no say. */
export function createFence(isIgnored: Hides = () => false): Hides {
  return (path, isFolder) => path !== "." && (HIDDEN_NAME.test(path) || isIgnored(path, isFolder));
}

/** What keeps versions, keys and settings of programs: no configuration opens it. */
const CLOSED_NAME =
  /^(?:\.(?:git|hg|svn|bzr|jj|ssh|gnupg|aws|azure|kube|docker|cargo|terraform|config|cache|venv|local|npm|m2|gradle|env.*)|node_modules)$/i;
const SECRET_NAME = /^\..*(?:secret|password|credential|token|key|private)/i;

/** True for a folder with a hidden name on its path that a configuration may open by naming it. */
export function mayBeOpened(folder: string): boolean {
  return !folder.split("/").some((name) => name === ".." || CLOSED_NAME.test(name) || SECRET_NAME.test(name));
}

/** The fence of a tree with one folder open whose name, or one on its path, begins with a dot; within it hidden names stay so. */
export function openFence(hides: Hides, isIgnored: Hides, folder: string): Hides {
  return (path, isFolder) => {
    if (isFolder && (path === folder || folder.startsWith(`${path}/`))) return isIgnored(path, true);
    if (!path.startsWith(`${folder}/`)) return hides(path, isFolder);
    return HIDDEN_NAME.test(path.slice(folder.length + 1)) || isIgnored(path, isFolder);
  };
}

/** As many links as Linux follows in one path, and more names than any path has: what leads through more is not there. */
export const MAX_LINKS = 40;
export const MAX_NAMES = 1000;

/** The places that a path leads through, besides its own: those of links, and those that they lead to. */
export interface Way {
  folders: string[];
  /** Links and what they lead to in the end: each is the folder or file that the whole path is. */
  ends: string[];
}

/** True when a path or a place on its way is hidden. */
export function isHiddenWay(path: string, { folders, ends }: Way, isFolder: boolean, hides: Hides): boolean {
  return (
    hides(path, isFolder) || ends.some((place) => hides(place, isFolder)) || folders.some((place) => hides(place, true))
  );
}
