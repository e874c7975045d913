// What the links of a course of files become: rules that the course gives, lessons, then files.
import { join } from "node:path/posix";
import type { LinkTarget } from "../../catalog/course.ts";
import type { SourceTree } from "../files/source-tree.ts";
import { isPageLink, isRelativeUrl, type LinkProblem, type RelativeLink } from "../html/links.ts";
import { isLessonFile } from "../lesson-files/lesson-names.ts";
import type { LinkMap } from "./link-map.ts";
import type { LinkDecision, SourceLinks } from "../resolve/source-links.ts";
import { cutTexts } from "../quote.ts";
import { findPath, isRooted, type FoundTarget, type LessonTargets } from "./lesson-targets.ts";

/** What the links of a course need to know. */
interface CourseLinkOptions {
  targets: LessonTargets;
  linkMap: LinkMap;
  isFile: (path: string) => Promise<boolean>;
  /** Decides about those that lead to no lesson. */
  files: SourceLinks;
  /** Folders from which a link is tried that leads nowhere from its own. */
  linkFolders?: readonly string[] | undefined;
  /** Where pages are now, by the paths at which they were. */
  redirects?: ReadonlyMap<string, string> | undefined;
}

/** The links of a course of files. */
export function createCourseLinks(
  tree: SourceTree,
  courseFolder: string,
  { targets, linkMap, isFile, files, linkFolders = [], redirects = new Map() }: CourseLinkOptions,
): SourceLinks {
  const findProblem = async (link: RelativeLink, folder: string): Promise<LinkProblem | undefined> => {
    const path = findPath(link.url);
    if (path === undefined) return undefined;
    const [value, shown] = cutTexts(link.value, path);
    if (isRooted(path)) {
      // As files are looked for that readers are to get.
      for (let from = folder; ; from = join(from, "..")) {
        if (await isFile(join(from, path))) return undefined;
        if (from === ".") break;
      }
      const message = `link "${value}" leads to no lesson of this course; a linkMap in course.yaml can say where it leads`;
      return { kind: "link-to-nothing", message };
    }
    if (!isLessonFile(path) || !(await isFile(join(folder, path)))) return undefined;
    const file = tree.toTypedPath(join(folder, shown));
    const message = `link "${value}" leads to ${file}, which is no lesson of a course: readers get the bare file, or nothing`;
    return { kind: "link-to-no-lesson", message };
  };
  // Builders put the pages of several folders into one.
  const findFolder = async (url: string, folder: string): Promise<string> => {
    const path = linkFolders.length === 0 ? undefined : findPath(url);
    if (path === undefined || isRooted(path) || (await isFile(join(folder, path)))) return folder;
    for (const other of linkFolders) if (await isFile(join(other, path))) return other;
    return folder;
  };
  const findElsewhere = async (url: string, folder: string): Promise<FoundTarget | undefined> => {
    const path = findPath(url);
    if (path === undefined || isRooted(path) || (await isFile(join(folder, path)))) return undefined;
    for (const other of linkFolders) {
      const target = await targets.find(url, other);
      if (target !== undefined) return target;
    }
    return undefined;
  };
  // What a redirect leads to is not asked for another.
  const findRedirect = (url: string, folder: string): string | undefined => {
    const path = redirects.size === 0 ? undefined : findPath(url);
    if (path === undefined || isRooted(path)) return undefined;
    // Builders make the page's address of the file's.
    const at = join(folder, path);
    const found = redirects.get(at) ?? redirects.get(at.replace(/\.(?:md|markdown|mkd)$/i, ".html"));
    return found === undefined || found.includes("#") ? found : found + (/#.*$/s.exec(url)?.[0] ?? "");
  };
  const describeHeld = ({ value }: RelativeLink, { sourcePath }: FoundTarget): LinkProblem => {
    const [shown, file] = cutTexts(value, tree.toTypedPath(sourcePath));
    return { kind: "link-to-no-lesson", message: `link "${shown}" leads to ${file}, which is left out for now` };
  };
  return {
    async decide(link, folder): Promise<LinkDecision> {
      if (!isPageLink(link)) return files.decide(link, await findFolder(link.url, folder));
      const mapped = linkMap.map(link.url);
      if (mapped !== undefined && !isRelativeUrl(mapped)) return { url: mapped, problem: undefined };
      const [url, from] = mapped === undefined ? [link.url, folder] : [mapped, courseFolder];
      const redirect = findRedirect(url, from);
      if (redirect !== undefined && !isRelativeUrl(redirect)) return { url: redirect, problem: undefined };
      const target =
        (await targets.find(url, from)) ??
        (redirect === undefined ? undefined : await targets.find(encodeURI(redirect), ".")) ??
        (await findElsewhere(url, from));
      if (target?.isHeld === true) return { url: undefined, problem: describeHeld(link, target) };
      if (target !== undefined) return { url: undefined, problem: undefined, target };
      const problem = await findProblem({ ...link, url }, from);
      // What a site meant by a rooted address, no other host can know.
      if (problem?.kind === "link-to-nothing") return { url: mapped, problem };
      const decision = await files.decide({ ...link, url }, await findFolder(url, from));
      return { ...decision, problem: problem ?? decision.problem };
    },
    findPart: (fragment, sourcePath): LinkTarget | undefined => targets.findPart(fragment, sourcePath),
  };
}
