// The one rule about what of a source exists. Both kinds of tree ask it for every place that a look at a path goes through.

/** True for a place in the source that does not exist for readers of it; `path` is relative to the root, with `/`. */
export type Hides = (path: string, isFolder: boolean) => boolean;

// File systems that ignore the case of letters open `Node_Modules` as well.
const HIDDEN_NAME = /(?:^|\/)(?:\.|node_modules(?:\/|$))/i;

/** Hides what has a hidden name on its path, and what `isIgnored` names. The root itself and what is above it have no say. */
export function createFence(isIgnored: Hides = () => false): Hides {
  return (path, isFolder) => path !== "." && (HIDDEN_NAME.test(path) || isIgnored(path, isFolder));
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
