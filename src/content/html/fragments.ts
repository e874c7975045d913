// Places of a page that links lead to: `#water`.
import { cutTexts } from "../quote.ts";
import { visitTags } from "./html-tags.ts";
import { toReadUrl, type LinkProblem } from "./links.ts";

/** The ids of an HTML text, and the names of its anchors. */
export function listIds(html: string): Set<string> {
  const ids = new Set<string>();
  if (!/\b(?:id|name)\s*=/i.test(html)) return ids;
  visitTags(html, isId, ({ attributes }) => {
    for (const { value } of attributes) if (value !== "") ids.add(value);
  });
  return ids;
}

function isId(tag: string, attribute: string): boolean {
  return attribute === "id" || (tag === "a" && attribute === "name");
}

/** Calls `visit` with the address of each link to a place of the same page, and its offset: `<a href="#water">`. */
export function visitFragmentLinks(html: string, visit: (url: string, offset: number) => void): void {
  if (!/\bhref\s*=[\s"'\0- ]*(?:#|&)/i.test(html)) return;
  const isHref = (tag: string, attribute: string): boolean => attribute === "href" && (tag === "a" || tag === "area");
  visitTags(html, isHref, ({ attributes: [href] }) => {
    if (href !== undefined && isFragmentUrl(href.value)) visit(href.value, href.start);
  });
}

/** What to tell of links to places that HTML does not have, once for each link. */
export function listFragmentProblems(html: string): LinkProblem[] {
  const urls: string[] = [];
  visitFragmentLinks(html, (url) => urls.push(url));
  if (urls.length === 0) return [];
  const ids = listIds(html);
  return urls.flatMap((url) => findFragmentProblem(url, ids) ?? []);
}

/** True for the address of a place in the same page. */
export function isFragmentUrl(url: string): boolean {
  return toReadUrl(url).startsWith("#");
}

/**
 * What to tell an author about a link to a place of the same page; undefined when the page has it.
 * https://html.spec.whatwg.org/#select-the-indicated-part
 */
export function findFragmentProblem(url: string, ids: ReadonlySet<string>): LinkProblem | undefined {
  // A text directive names words, no id.
  const fragment = toReadUrl(url).trimEnd().slice(1).split(":~:")[0] ?? "";
  const decoded = decode(fragment);
  if (fragment === "" || decoded.toLowerCase() === "top" || ids.has(fragment) || ids.has(decoded)) return undefined;
  const [shown, hint] = cutTexts(`#${decoded}`, findLike(decoded, ids) ?? "");
  const message = `link "${shown}" leads to nothing: nothing in this lesson has that id`;
  return { kind: "link-to-nothing", message: hint === "" ? message : `${message}; there is "#${hint}"` };
}

function findLike(fragment: string, ids: ReadonlySet<string>): string | undefined {
  const lowered = fragment.toLowerCase();
  // Those that other builders make of the same heading.
  return [lowered, lowered.replaceAll("_", "-"), lowered.replace(/-\d+$/, "")].find((each) => ids.has(each));
}

function decode(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}
