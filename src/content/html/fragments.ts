// Finds the targets of links such as `#water`.
import { cutTexts } from "../quote.ts";
import { decodeUrl, toReadUrl, type LinkProblem } from "./links.ts";
import type { HtmlTag } from "./read-html.ts";

/** Adds a tag's `id`, and the `name` of an anchor, to `ids`. */
export function addIds({ name: tag, attributes }: HtmlTag, ids: Set<string>): void {
  for (const { name, value } of attributes) if (value !== "" && isId(tag, name)) ids.add(value);
}

/** Returns true for an attribute that makes its element the target of a fragment. */
export function isId(tag: string, attribute: string): boolean {
  return attribute === "id" || (tag === "a" && attribute === "name");
}

/** Returns a URL's fragment, decoded and without text directives (`:~:text=…`); "" if the URL has none. */
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

/** Returns true for a fragment that points to the top of the page. */
export function isTopOfPage(fragment: string): boolean {
  return fragment === "" || fragment.toLowerCase() === "top";
}

/**
 * Returns the problem if a link's fragment matches no id of the page; undefined otherwise.
 * https://html.spec.whatwg.org/#select-the-indicated-part
 */
export function findFragmentProblem(url: string, ids: ReadonlySet<string>): LinkProblem | undefined {
  const fragment = findFragment(toReadUrl(url));
  if (isTopOfPage(fragment) || ids.has(fragment) || ids.has(toReadUrl(url).slice(1))) return undefined;
  const [shown, hint] = cutTexts(`#${fragment}`, findLike(fragment, ids) ?? "");
  const message = `link "${shown}" points to a missing id`;
  return { kind: "missing-heading", message: hint === "" ? message : `${message}; did you mean "#${hint}"?` };
}

function findLike(fragment: string, ids: ReadonlySet<string>): string | undefined {
  const lowered = fragment.toLowerCase();
  // Other site builders generate ids that differ in case, underscores or the number at the end.
  return [lowered, lowered.replaceAll("_", "-"), lowered.replace(/-\d+$/, "")].find((each) => ids.has(each));
}

// Matches punctuation, symbols, numerals such as ² and ½, and invisible characters, but not `_`, `-`, spaces or letters
// of any script.
const DROPPED = /(?![\p{Alphabetic} -])[\p{No}\p{Pd}\p{Pe}\p{Pf}\p{Pi}\p{Po}\p{Ps}\p{S}\p{C}\p{Z}]/gu;

/** Returns the id that GitHub gives a heading; "" if the heading has no usable characters. */
export function toHeadingId(text: string): string {
  return text.toLowerCase().replace(DROPPED, "").replaceAll(" ", "-");
}
