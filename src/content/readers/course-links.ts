// Resolves links in the files of a course: by the rules in course.yaml, else to lessons, else to files.
import { basename, extname, join } from "node:path/posix";
import { findLessonUrlFault } from "../../catalog/url-templates.ts";
import type { LinkTarget } from "../../catalog/course.ts";
import { splitSourcePath } from "../../catalog/source-path.ts";
import type { FileFinder } from "../files/file-links.ts";
import type { SourceTree } from "../files/source-tree.ts";
import { decodeUrl, isPageLink, isRelativeUrl, toReadUrl, type LinkProblem, type RelativeLink } from "../html/links.ts";
import { isIntroduction, isLessonFile } from "../lesson-files/lesson-names.ts";
import type { LinkDecision, SourceLinks } from "../resolve/source-links.ts";
import { findText, type PlacedFields, type PlacedValue } from "../resolve/placed-value.ts";
import { cutText, cutTexts } from "../quote.ts";
import type { ReportFinding } from "../source.ts";
import { findPath, isRooted, type FoundTarget, type LessonTargets } from "./lesson-targets.ts";

interface CourseLinkOptions {
  targets: LessonTargets;
  linkMap: LinkMap;
  isFile: (path: string) => Promise<boolean>;
  finder: FileFinder;
  /** Resolves links that point to no lesson. */
  files: SourceLinks;
  /** Base folders to try for a link that cannot be resolved in its own folder. */
  linkFolders?: readonly string[] | undefined;
  /** Maps the old paths of moved pages to their new paths or URLs. */
  redirects?: ReadonlyMap<string, string> | undefined;
  /** True if the built site gives each page its own folder, such as `water/` for `water.md`. */
  hasPageFolders?: boolean | undefined;
}

export function createCourseLinks(
  tree: SourceTree,
  courseFolder: string,
  {
    targets,
    linkMap,
    isFile,
    finder,
    files,
    linkFolders = [],
    redirects = new Map(),
    hasPageFolders = false,
  }: CourseLinkOptions,
): SourceLinks {
  const findProblem = async (link: RelativeLink, folder: string): Promise<LinkProblem | undefined> => {
    const path = findPath(link.url);
    if (path === undefined) return undefined;
    const [value, shown] = cutTexts(link.value, path);
    if (isRooted(path)) {
      if ((await finder.findAbove(path, folder)) !== undefined) return undefined;
      const message = `link "${value}" points to no lesson in this course; a linkMap in course.yaml can redirect it`;
      return { kind: "link-to-nothing", message };
    }
    if (!isLessonFile(path) || !(await isFile(join(folder, path)))) return undefined;
    const file = tree.toTypedPath(join(folder, shown));
    const message = `link "${value}" points to ${file}, which is not a lesson in any course: readers get the file itself, or nothing`;
    return { kind: "link-to-no-lesson", message };
  };
  // Some builders merge several folders, so the target of a link can be in another of these folders.
  const findFolder = async (url: string, folder: string): Promise<string> => {
    const path = linkFolders.length === 0 ? undefined : findPath(url);
    if (path === undefined || isRooted(path) || (await isFile(join(folder, path)))) return folder;
    for (const other of linkFolders) if (await isFile(join(other, path))) return other;
    return folder;
  };
  // Site builders change neither URLs in HTML nor URLs without a file extension: browsers resolve such URLs from the
  // page.
  const listBases = (link: RelativeLink, from: string, file: string | undefined): string[] => {
    const path = findPath(link.url);
    if (!hasPageFolders || file === undefined || path === undefined || isRooted(path)) return [from];
    const page = splitSourcePath(file).file;
    const built = isIntroduction(basename(page)) ? from : join(from, basename(page, extname(page)));
    return link.isHtml === true || !/\.\w+$/.test(path) ? [built, from] : [from, built];
  };
  const findBase = async (link: RelativeLink, from: string, file: string | undefined): Promise<string> => {
    const bases = listBases(link, from, file);
    const path = bases.length === 1 ? undefined : findPath(link.url);
    for (const base of bases) if (path !== undefined && (await isFile(join(base, path)))) return base;
    return bases[0] ?? from;
  };
  const findTarget = async (
    link: RelativeLink,
    from: string,
    file: string | undefined,
  ): Promise<FoundTarget | undefined> => {
    for (const base of listBases(link, from, file)) {
      const target = await targets.find(link.url, base);
      if (target !== undefined) return target;
    }
    return undefined;
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
  // Follows only one redirect, not a chain of them.
  const findRedirect = (url: string, folder: string): string | undefined => {
    const path = redirects.size === 0 ? undefined : findPath(url);
    if (path === undefined || isRooted(path)) return undefined;
    // A redirect from `page.html` also applies to links to `page.md`, from which the page is built.
    const at = join(folder, path);
    const found = redirects.get(at) ?? redirects.get(at.replace(/\.(?:md|markdown|mkd)$/i, ".html"));
    if (found === undefined || found.length > MAX_KEY) return undefined;
    return found.includes("#") ? found : found + (/#.*$/s.exec(url)?.[0] ?? "");
  };
  const describeHeld = ({ value }: RelativeLink, { sourcePath }: FoundTarget): LinkProblem => {
    const [shown, file] = cutTexts(value, tree.toTypedPath(sourcePath));
    return { kind: "link-to-no-lesson", message: `link "${shown}" points to ${file}, which is left out for now` };
  };
  return {
    async decide(link, folder, file): Promise<LinkDecision> {
      if (!isPageLink(link)) return files.decide(link, await findFolder(link.url, await findBase(link, folder, file)));
      const mapped = linkMap.map(link.url);
      if (mapped !== undefined && !isRelativeUrl(mapped)) return { url: mapped, problem: undefined };
      const [url, from] = mapped === undefined ? [link.url, folder] : [mapped, courseFolder];
      const redirect = findRedirect(url, from);
      if (redirect !== undefined && !isRelativeUrl(redirect)) return { url: redirect, problem: undefined };
      const target =
        (await findTarget({ ...link, url }, from, mapped === undefined ? file : undefined)) ??
        (redirect === undefined ? undefined : await targets.find(encodeURI(redirect), ".")) ??
        (await findElsewhere(url, from));
      if (target?.isHeld === true) return { url: undefined, problem: describeHeld(link, target) };
      if (target !== undefined) return { url: undefined, problem: undefined, target };
      const problem = await findProblem({ ...link, url }, from);
      // A rooted URL is not resolved against --asset-base, since only the original site can resolve it.
      if (problem?.kind === "link-to-nothing") return { url: mapped, problem };
      const base = await findBase({ ...link, url }, from, mapped === undefined ? file : undefined);
      const decision = await files.decide({ ...link, url }, await findFolder(url, base));
      return { ...decision, problem: problem ?? decision.problem };
    },
    findPart: (fragment, sourcePath): LinkTarget | undefined => targets.findPart(fragment, sourcePath),
  };
}

/** The maximum length of a URL to look up, which limits the time. Longer URLs match no rule. */
const MAX_KEY = 2000;
const MAX_SEGMENTS = 32;

/** The rules in a course's `linkMap`. */
class LinkMap {
  readonly #rules: ReadonlyMap<string, string>;

  constructor(rules: ReadonlyMap<string, string>) {
    this.#rules = rules;
  }

  /**
   * Maps a relative URL by the rule with the longest matching key; undefined if no rule matches. A relative result
   * starts at the course folder. A key that ends in `/` matches every URL that begins with the key, and a value that
   * ends in `/` gets the rest of this URL. The URL's query and fragment are kept unless the value has its own; a value
   * with a fragment also drops the URL's query.
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

/** A course's link settings. */
export interface LinkFields {
  /** The template of lesson URLs, if any; see `toLessonUrl`. */
  lessonUrl: string | undefined;
  linkMap: LinkMap;
}

/** Removes the link settings from a course's fields and returns them. Reports their faults. */
export function consumeLinkFields(fields: PlacedFields, report: ReportFinding): LinkFields {
  const lessonUrl = fields.get("lessonUrl");
  const linkMap = fields.get("linkMap");
  fields.delete("lessonUrl");
  fields.delete("linkMap");
  return { lessonUrl: readLessonUrl(lessonUrl, report), linkMap: new LinkMap(readRules(linkMap, report)) };
}

function readLessonUrl(field: PlacedValue | undefined, report: ReportFinding): string | undefined {
  if (field?.value === undefined) return undefined;
  const text = typeof field.value === "string" ? field.value : "";
  const fault = typeof field.value === "string" ? findLessonUrlFault(text) : "must be text";
  if (fault === undefined) return text;
  report({ kind: "wrong-value", ...field.place, message: `lessonUrl: ${cutText(fault)}` });
  return undefined;
}

function readRules(field: PlacedValue | undefined, report: ReportFinding): Map<string, string> {
  const rules = new Map<string, string>();
  if (field?.value === undefined) return rules;
  const fail = ({ place }: PlacedValue, message: string): void =>
    report({ kind: "wrong-value", ...place, message: `linkMap: ${message}` });
  if (!(field.value instanceof Map)) {
    fail(field, "must have fields such as /old/page: chapter1/page.md");
    return rules;
  }
  for (const [key, rule] of field.value) {
    const value = findText(field.value, key)?.trim();
    if (value === undefined || value === "")
      fail(rule, `"${cutText(key)}" must point to a URL or a file in the course`);
    else if (/^(?!https?:\/\/)[a-z][a-z\d+.-]*:|^[\\/]{2}/i.test(value)) {
      const remedy = "must point to a URL that begins with http:// or https://, or to a file in the course";
      fail(rule, `"${cutText(key)}" ${remedy}`);
    } else if (value.length > MAX_KEY && isRelativeUrl(value)) {
      fail(rule, `"${cutText(key)}" must point to a path of at most ${MAX_KEY.toLocaleString("en-US")} characters`);
    } else rules.set(decodeUrl(key), value);
  }
  return rules;
}
