// What policies/<run>/policy.json says of a course and its parts. Of its keys only those below are ever looked at: others hold
// the secrets of a course, such as lti_passports and xqa_key.
import type { SourceTree } from "../../files/source-tree.ts";
import type { Tell } from "../../source.ts";
import type { OlxBlock } from "./olx-block.ts";

const KEYS = [
  "display_name",
  "course_image",
  "start",
  "self_paced",
  "language",
  "visible_to_staff_only",
  "hide_from_toc",
  "group_access",
] as const;

/** A key that is looked at. */
export type PolicyKey = (typeof KEYS)[number];

type Policy = Partial<Record<PolicyKey, unknown>>;

/** The policies of a course, of which a block's attributes are taken where they say nothing. */
export class OlxPolicies {
  readonly #policies: ReadonlyMap<string, Policy>;

  constructor(policies: ReadonlyMap<string, Policy>) {
    this.#policies = policies;
  }

  /** What is said of a block; undefined when nothing is. Only text is: a value of another kind comes as JSON. */
  find({ tag, id, element }: OlxBlock, key: PolicyKey): string | undefined {
    const said = this.#policies.get(`${tag}/${id}`)?.[key];
    if (said === undefined || said === null) return element.attributes.get(key);
    return typeof said === "string" ? said : JSON.stringify(said);
  }
}

/** Reads the policies of a run. Without a file there are none; undefined when there is one that cannot be read, which is reported. */
export async function readPolicies(
  tree: SourceTree,
  paths: readonly string[],
  report: Tell,
): Promise<OlxPolicies | undefined> {
  for (const path of paths) {
    if ((await tree.find(path)) === undefined) continue;
    const text = await tree.readText(path, report);
    const policies = text === undefined ? undefined : parsePolicies(text);
    if (policies !== undefined) return new OlxPolicies(policies);
    const message = "must be a JSON object, with an object for each block such as course/RUN";
    if (text !== undefined) report({ kind: "syntax", file: tree.toTypedPath(path), message });
    return undefined;
  }
  return new OlxPolicies(new Map());
}

function parsePolicies(text: string): Map<string, Policy> | undefined {
  const parsed = parseObject(text);
  if (parsed === undefined) return undefined;
  const policies = new Map<string, Policy>();
  for (const [block, said] of Object.entries(parsed)) {
    if (typeof said !== "object" || said === null) continue;
    policies.set(block, Object.fromEntries(KEYS.map((key) => [key, (said as Policy)[key]])));
  }
  return policies;
}

/** The object that JSON is; undefined for what is none. */
export function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)
      ? (parsed as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
