// What the relative links of a source become, and what is told of them. The one place that knows --asset-base.
import type { LinkTarget } from "../../catalog/course.ts";
import { describeRelativeLink, resolveUrl, toFolderUrl, type LinkProblem, type RelativeLink } from "../html/links.ts";

/** What becomes of a relative link. */
export interface LinkDecision {
  /** What stands in its place; undefined where it stays as it was written. */
  url: string | undefined;
  /** What to tell its author; undefined when readers can follow it. */
  problem: LinkProblem | undefined;
  /** The lesson that it leads to: then the URL is made when the ids of lessons are final. */
  target?: LinkTarget | undefined;
}

export interface SourceLinks {
  /** Decides about a relative link in a file of `folder`, which is relative to the source's root. */
  decide(link: RelativeLink, folder: string): Promise<LinkDecision>;
  /** The lesson that is another part of the same file, where a place in the page is meant; undefined where there is none. */
  findPart?: (fragment: string, sourcePath: string) => LinkTarget | undefined;
}

/**
 * The links of a source. The others are for one whose files are known: `findProblem` tells of links to nothing, without it only
 * those that stay relative are told of; `decideFile` decides about links to files that are given to readers.
 */
export function createSourceLinks(
  assetBase: URL | undefined,
  findProblem?: (link: RelativeLink, folder: string) => Promise<LinkProblem | undefined>,
  decideFile?: (link: RelativeLink, folder: string) => Promise<LinkDecision | undefined>,
): SourceLinks {
  const setting =
    findProblem === undefined || decideFile !== undefined ? "--asset-base" : "--public-url or --asset-base";
  // Asked for each link of each lesson, one folder after the other.
  let last: { folder: string; base: URL } | undefined;
  const baseOf = (folder: string): URL | undefined => {
    if (assetBase === undefined) return undefined;
    if (last?.folder !== folder) last = { folder, base: toFolderUrl(folder, assetBase) };
    return last.base;
  };
  return {
    async decide(link, folder) {
      const file = await decideFile?.(link, folder);
      if (file?.url !== undefined) return file;
      const url = resolveUrl(link.url, baseOf(folder));
      const problem = await findProblem?.(link, folder);
      return {
        url,
        problem: file?.problem ?? problem ?? (url === undefined ? describeRelativeLink(link, setting) : undefined),
      };
    },
  };
}
