// What the links of a course of files become: what course.yaml says of them, lessons, then files.
import { join } from "node:path/posix";
import { findLessonUrlFault } from "../../catalog/lesson-url.ts";
import type { LinkTarget } from "../../catalog/course.ts";
import type { SourceTree } from "../files/source-tree.ts";
import { decodeUrl, isPageLink, isRelativeUrl, toReadUrl, type LinkProblem, type RelativeLink } from "../html/links.ts";
import { isLessonFile } from "../lesson-files/lesson-names.ts";
import type { LinkDecision, SourceLinks } from "../resolve/source-links.ts";
import { findText, type PlacedFields, type PlacedValue } from "../resolve/placed-value.ts";
import { cutText, cutTexts } from "../quote.ts";
import type { Tell } from "../source.ts";
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

/** Longer addresses are no key. */
const MAX_KEY = 2000;
const MAX_SEGMENTS = 32;

/** Rules of a course for its links. */
export class LinkMap {
  readonly #rules: ReadonlyMap<string, string>;

  constructor(rules: ReadonlyMap<string, string>) {
    this.#rules = rules;
  }

  /**
   * What a rule makes of a relative URL: another URL, which is relative to the course's folder unless it is absolute. Undefined
   * when there is no rule. The longest key wins; one that ends with `/` stands for all that begins with it, and what follows is
   * kept. So is a fragment, where the rule has none.
   */
  map(url: string): string | undefined {
    if (this.#rules.size === 0 || url.length > MAX_KEY) return undefined;
    const [, written = "", query = "", fragment = ""] = /^([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(toReadUrl(url)) ?? [];
    const path = decodeUrl(written);
    const found = this.#find(path);
    if (found === undefined) return undefined;
    return found.includes("#") ? found : found + (found.includes("?") ? "" : query) + fragment;
  }

  #find(path: string): string | undefined {
    const exact = this.#rules.get(path);
    if (exact !== undefined) return exact;
    let segments = 0;
    for (let end = path.lastIndexOf("/"); end !== -1 && segments < MAX_SEGMENTS; end = path.lastIndexOf("/", end - 1)) {
      segments++;
      const value = this.#rules.get(path.slice(0, end + 1));
      if (value !== undefined) return value.endsWith("/") ? value + encodeURI(path.slice(end + 1)) : value;
      if (end === 0) break;
    }
    return undefined;
  }
}

/** What a course says of its links. */
export interface LinkFields {
  /** See `toLessonUrl`; undefined where the course has no template of its own. */
  lessonUrl: string | undefined;
  linkMap: LinkMap;
}

/** Takes what is said of links out of a course's fields; what is wrong with it is reported. */
export function takeLinkFields(fields: PlacedFields, report: Tell): LinkFields {
  const lessonUrl = fields.get("lessonUrl");
  const linkMap = fields.get("linkMap");
  fields.delete("lessonUrl");
  fields.delete("linkMap");
  return { lessonUrl: readLessonUrl(lessonUrl, report), linkMap: new LinkMap(readRules(linkMap, report)) };
}

function readLessonUrl(field: PlacedValue | undefined, report: Tell): string | undefined {
  if (field?.value === undefined) return undefined;
  const text = typeof field.value === "string" ? field.value : "";
  const fault = typeof field.value === "string" ? findLessonUrlFault(text) : "must be text";
  if (fault === undefined) return text;
  report({ kind: "wrong-value", ...field.place, message: `lessonUrl: ${cutText(fault)}` });
  return undefined;
}

function readRules(field: PlacedValue | undefined, report: Tell): Map<string, string> {
  const rules = new Map<string, string>();
  if (field?.value === undefined) return rules;
  const fail = ({ place }: PlacedValue, message: string): void =>
    report({ kind: "wrong-value", ...place, message: `linkMap: ${message}` });
  if (!(field.value instanceof Map)) {
    fail(field, "must be fields such as /old/page: chapter1/page.md");
    return rules;
  }
  for (const [key, rule] of field.value) {
    const value = findText(field.value, key)?.trim();
    if (value === undefined || value === "") fail(rule, `"${cutText(key)}" must lead to a URL or a file of the course`);
    else if (/^(?!https?:\/\/)[a-z][a-z\d+.-]*:|^[\\/]{2}/i.test(value)) {
      fail(rule, `"${cutText(key)}" must lead to a URL that begins with http:// or https://, or a file of the course`);
    } else rules.set(decodeUrl(key), value);
  }
  return rules;
}
