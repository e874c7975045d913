// Finds the targets of fragments such as `#water`.
import { cutTexts } from "../quote.ts";
import { decodeUrl, toReadUrl, type LinkProblem } from "./links.ts";
import type { HtmlTag } from "./read-html.ts";

/** Adds a tag's id and an anchor's name. */
export function addIds({ name: tag, attributes }: HtmlTag, ids: Set<string>): void {
  for (const { name, value } of attributes) if (value !== "" && isId(tag, name)) ids.add(value);
}

/** Returns true for an attribute that is a fragment target. */
export function isId(tag: string, attribute: string): boolean {
  return attribute === "id" || (tag === "a" && attribute === "name");
}

/** Returns the decoded fragment of a URL; "" if empty. Text directives do not count. */
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

/** Returns true for the fragment that means a page's top. */
export function isTopOfPage(fragment: string): boolean {
  return fragment === "" || fragment.toLowerCase() === "top";
}

/**
 * Returns the problem of a link to a missing fragment of its page, if any.
 * https://html.spec.whatwg.org/#select-the-indicated-part
 */
export function findFragmentProblem(url: string, ids: ReadonlySet<string>): LinkProblem | undefined {
  const fragment = findFragment(toReadUrl(url));
  if (isTopOfPage(fragment) || ids.has(fragment) || ids.has(toReadUrl(url).slice(1))) return undefined;
  const [shown, hint] = cutTexts(`#${fragment}`, findLike(fragment, ids) ?? "");
  const message = `link "${shown}" points to a missing id`;
  return { kind: "missing-heading", message: hint === "" ? message : `${message}; there is "#${hint}"` };
}

function findLike(fragment: string, ids: ReadonlySet<string>): string | undefined {
  const lowered = fragment.toLowerCase();
  // Ids that other builders would generate for the heading.
  return [lowered, lowered.replaceAll("_", "-"), lowered.replace(/-\d+$/, "")].find((each) => ids.has(each));
}

// Matches punctuation, symbols and invisible characters, but not letters in any script, `_`, `-` and spaces.
const DROPPED = /(?![\p{Alphabetic} -])[\p{No}\p{Pd}\p{Pe}\p{Pf}\p{Pi}\p{Po}\p{Ps}\p{S}\p{C}\p{Z}]/gu;

/** Returns GitHub's id for a heading; "" without usable characters. */
export function toHeadingId(text: string): string {
  return text.toLowerCase().replace(DROPPED, "").replaceAll(" ", "-");
}
