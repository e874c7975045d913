// What course.yaml says of links: where its site is, and what addresses mean that no file tells.
import { findLessonUrlFault } from "../../catalog/lesson-url.ts";
import { toReadUrl } from "../html/links.ts";
import { findText, type PlacedFields, type PlacedValue } from "../resolve/placed-value.ts";
import { cutText } from "../quote.ts";
import type { Tell } from "../source.ts";

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
    const path = decode(written);
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

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
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
    } else rules.set(decode(key), value);
  }
  return rules;
}
