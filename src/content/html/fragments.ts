// Places of a page that links lead to: `#water`.
import { cutTexts } from "../quote.ts";
import { decodeUrl, toReadUrl, type LinkProblem } from "./links.ts";
import type { HtmlTag } from "./read-html.ts";

/** Adds the ids of a tag, and the name of an anchor. */
export function addIds({ name: tag, attributes }: HtmlTag, ids: Set<string>): void {
  for (const { name, value } of attributes) if (value !== "" && isId(tag, name)) ids.add(value);
}

/** True for an attribute that names a place. */
export function isId(tag: string, attribute: string): boolean {
  return attribute === "id" || (tag === "a" && attribute === "name");
}

/** What a URL names behind its `#`, decoded; "" where that is nothing. A text directive names words, no place. */
export function findFragment(url: string): string {
  const start = url.indexOf("#");
  return start === -1
    ? ""
    : decodeUrl(
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
