// Reads an introduction, a README or an index: its heading and its links in order.
import { basename, dirname, join } from "node:path/posix";
import type { SourceEntry, SourceTree } from "../files/source-tree.ts";
import { isPageLink, isRelativeUrl } from "../html/links.ts";
import { toPlainText } from "../html/plain-text.ts";
import { readHtml } from "../html/read-html.ts";
import { splitFrontMatter } from "../lesson-files/front-matter.ts";
import { findLessonFormat } from "../lesson-files/lesson-formats.ts";
import { isIntroduction } from "../lesson-files/lesson-names.ts";
import { UnreadableText } from "../limits.ts";
import { MARKDOWN } from "../markdown/dialects.ts";
import { cutText } from "../quote.ts";

export interface Introduction {
  path: string;
  /** First heading, if any. */
  heading: string | undefined;
  /** Link targets in order, relative to the source root: those in lists and tables, and all. */
  listed: readonly string[];
  links: readonly string[];
}

/** No list of lessons has more links. */
const MAX_LINKS = 20_000;
/** No linked path is longer. */
const MAX_PATH = 1000;
const MAX_NAME = 200;
const HEADING = /^h[1-6]$/;
const LISTS = new Set(["ul", "ol", "dl", "table"]);

/** Introductions of a folder, README before index. */
export function listIntroductions(entries: readonly SourceEntry[]): SourceEntry[] {
  const found = entries.filter(({ name, isFolder }) => !isFolder && isIntroduction(name));
  return found.sort((a, b) => Number(isReadme(b.name)) - Number(isReadme(a.name)));
}

/** Returns true for a README, whose heading names the course; that of an index often does not. */
export function isReadme(name: string): boolean {
  return isIntroduction(name) && /^readme\./i.test(name);
}

/** Reads an introduction; paths with a leading `/` start at `root`. Reading it as a lesson reports its faults. */
export async function readIntroduction(tree: SourceTree, path: string, root: string): Promise<Introduction> {
  const html = await renderIntroduction(tree, path);
  const listed: string[] = [];
  const links: string[] = [];
  let depth = 0;
  let heading = "";
  let isInHeading = false;
  readHtml(html, {
    isWanted: (_, name) => name === "href",
    onTag({ name: tag, attributes: [{ value } = { value: "" }] }) {
      isInHeading ||= HEADING.test(tag) && heading === "";
      if (LISTS.has(tag)) depth++;
      if (links.length >= MAX_LINKS || !isPageLink({ tag, attribute: "href" }) || !isRelativeUrl(value)) return;
      const target = toPath(value, dirname(path), root);
      if (target === undefined) return;
      links.push(target);
      if (depth > 0) listed.push(target);
    },
    onEndTag(tag) {
      if (LISTS.has(tag) && depth > 0) depth--;
      if (!HEADING.test(tag)) return;
      // Ignores a heading with only an image.
      heading = toPlainText(heading);
      isInHeading = false;
    },
    onText(start, end) {
      if (isInHeading) heading += html.slice(start, end);
    },
  });
  return { path, heading: heading === "" ? undefined : cutText(toPlainText(heading), MAX_NAME), listed, links };
}

async function renderIntroduction(tree: SourceTree, path: string): Promise<string> {
  const ignore = (): void => undefined;
  const text = await tree.readText(path, ignore);
  const body = text === undefined ? undefined : splitFrontMatter(text, path, tree.limits, ignore)?.body;
  if (body === undefined) return "";
  const given = { name: basename(path), keepsVideo: true, keepsQuestions: true };
  const reading = { language: undefined, framework: undefined, answers: "none" } as const;
  try {
    const options = { limits: tree.limits, dialect: MARKDOWN, ...reading, ...given };
    const render = await findLessonFormat(path)?.load();
    return render?.(body, options).html ?? "";
  } catch (error) {
    if (error instanceof UnreadableText) return "";
    throw error;
  }
}

/** Returns undefined for a path outside the source. */
function toPath(url: string, folder: string, root: string): string | undefined {
  const written = url.replace(/[?#].*$/s, "");
  if (written === "" || written.length > MAX_PATH) return undefined;
  try {
    const path = decodeURIComponent(written);
    const joined = path.startsWith("/") ? join(root, path) : join(folder, path);
    return joined.replace(/(?<=.)\/$/, "").normalize("NFC");
  } catch {
    return undefined;
  }
}
