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

const ID = /[\s"'/](?:id|name)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+))/gi;
const ENTITY = /&(?:amp|quot|lt|gt|#39);/g;
const CHARACTERS: Record<string, string> = { "&amp;": "&", "&quot;": '"', "&lt;": "<", "&gt;": ">", "&#39;": "'" };

/** The ids of an HTML text in a tenth of the time, among them what only reads like one. */
export function* guessIds(html: string): Generator<string> {
  for (const [, double, single, bare] of html.matchAll(ID)) {
    const id = double ?? single ?? bare ?? "";
    yield id.includes("&") ? id.replace(ENTITY, (entity) => CHARACTERS[entity] ?? entity) : id;
  }
}

/** What a URL names behind its `#`, decoded; "" where that is nothing. A text directive names words, no place. */
export function findFragment(url: string): string {
  const start = url.indexOf("#");
  return start === -1
    ? ""
    : decode(
        url
          .slice(start + 1)
          .trimEnd()
          .split(":~:")[0] ?? "",
      );
}

/** True for a place that every page has. */
export function isTopOfPage(fragment: string): boolean {
  return fragment === "" || fragment.toLowerCase() === "top";
}

/**
 * What to tell an author about a link to a place of the same page; undefined when the page has it.
 * https://html.spec.whatwg.org/#select-the-indicated-part
 */
export function findFragmentProblem(url: string, ids: ReadonlySet<string>): LinkProblem | undefined {
  const fragment = findFragment(toReadUrl(url));
  if (isTopOfPage(fragment) || ids.has(fragment) || ids.has(toReadUrl(url).slice(1))) return undefined;
  const [shown, hint] = cutTexts(`#${fragment}`, findLike(fragment, ids) ?? "");
  const message = `link "${shown}" leads to nothing: nothing in this lesson has that id`;
  return { kind: "missing-heading", message: hint === "" ? message : `${message}; there is "#${hint}"` };
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
