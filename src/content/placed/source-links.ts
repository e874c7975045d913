// What a source's relative links are resolved against, and what is told of them. The one place that knows --asset-base.
import { describeRelativeLink, toFolderUrl, type LinkProblem, type RelativeLink } from "../html/links.ts";

export interface SourceLinks {
  /** What the relative links of a file in `folder` (relative to the source's root) are resolved against; undefined where they stay. */
  baseOf(folder: string): URL | undefined;
  /** What to tell an author about a relative link in a file of `folder`; undefined when readers can follow it. */
  findProblem(link: RelativeLink, folder: string): Promise<LinkProblem | undefined>;
}

/** The links of a source. `findProblem` is for one whose files are known; without it only links that stay relative are told of. */
export function createSourceLinks(
  assetBase: URL | undefined,
  findProblem: SourceLinks["findProblem"] = async (link) => (link.isResolved ? undefined : describeRelativeLink(link)),
): SourceLinks {
  // Asked for each field of each lesson, one folder after the other.
  let last: { folder: string; base: URL } | undefined;
  return {
    baseOf: (folder) => {
      if (assetBase === undefined) return undefined;
      if (last?.folder !== folder) last = { folder, base: toFolderUrl(folder, assetBase) };
      return last.base;
    },
    findProblem,
  };
}
