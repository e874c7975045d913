// What the relative links of a source become, and what is told of them. The one place that knows --asset-base.
import type { LinkTarget } from "../../catalog/course.ts";
import type { ImageSize } from "../html/image-size.ts";
import { describeRelativeLink, resolveUrl, toFolderUrl, type LinkProblem, type RelativeLink } from "../html/links.ts";

/** What becomes of a relative link. */
export interface LinkDecision {
  /** What stands in its place; undefined where it stays as it was written. */
  url: string | undefined;
  /** What to tell its author; undefined when readers can follow it. */
  problem: LinkProblem | undefined;
  /** The lesson that it leads to: then the URL is made when the ids of lessons are final. */
  target?: LinkTarget | undefined;
  /** That of an image, where its file tells it. */
  size?: ImageSize | undefined;
}

export interface SourceLinks {
  /** Decides about a relative link in a file of `folder`, which is relative to the source's root. */
  decide(link: RelativeLink, folder: string): Promise<LinkDecision>;
  /** The lesson that is another part of the same file, where a place in the page is meant; undefined where there is none. */
  findPart?: (fragment: string, sourcePath: string) => LinkTarget | undefined;
}

type AboutLink<T> = (link: RelativeLink, folder: string) => Promise<T | undefined>;

/** What is known of the files of a source. */
export interface FileKnowledge {
  /** Tells of links to nothing. */
  findProblem: AboutLink<LinkProblem>;
  findSize: AboutLink<ImageSize>;
  /** Decides about links to files that are given to readers; undefined where none is. */
  decideFile: AboutLink<LinkDecision> | undefined;
}

/** The links of a source. Without `files` only links that stay relative are told of. */
export function createSourceLinks(assetBase: URL | undefined, files?: FileKnowledge): SourceLinks {
  const setting =
    files === undefined || files.decideFile !== undefined ? "--asset-base" : "--public-url or --asset-base";
  // Asked for each link of each lesson, one folder after the other.
  let last: { folder: string; base: URL } | undefined;
  const baseOf = (folder: string): URL | undefined => {
    if (assetBase === undefined) return undefined;
    if (last?.folder !== folder) last = { folder, base: toFolderUrl(folder, assetBase) };
    return last.base;
  };
  return {
    async decide(link, folder) {
      const isImage = link.tag === "img" && link.attribute === "src";
      const size = isImage ? await files?.findSize(link, folder) : undefined;
      const file = await files?.decideFile?.(link, folder);
      if (file?.url !== undefined) return { ...file, size };
      const url = resolveUrl(link.url, baseOf(folder));
      const problem = await files?.findProblem(link, folder);
      return {
        url,
        size,
        problem: file?.problem ?? problem ?? (url === undefined ? describeRelativeLink(link, setting) : undefined),
      };
    },
  };
}
