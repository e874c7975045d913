// Reads policies/<run>/policy.json. Uses only the keys below: others hold secrets, such as lti_passports and xqa_key.
import type { SourceTree } from "../../files/source-tree.ts";
import type { ReportFinding } from "../../source.ts";
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

export type PolicyKey = (typeof KEYS)[number];

type Policy = Partial<Record<PolicyKey, unknown>>;

/** A course's policies, used where a block lacks the attribute. */
export class OlxPolicies {
  readonly #policies: ReadonlyMap<string, Policy>;

  constructor(policies: ReadonlyMap<string, Policy>) {
    this.#policies = policies;
  }

  /** Returns a block's policy; undefined if absent. Values other than text come as JSON. */
  find({ tag, id, element }: OlxBlock, key: PolicyKey): string | undefined {
    const said = this.#policies.get(`${tag}/${id}`)?.[key];
    if (said === undefined || said === null) return element.attributes.get(key);
    return typeof said === "string" ? said : JSON.stringify(said);
  }
}

/** Reads a run's policies. No file means no policies; undefined for an unreadable file, which is reported. */
export async function readPolicies(
  tree: SourceTree,
  paths: readonly string[],
  report: ReportFinding,
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

/** Returns undefined for JSON that is not an object. */
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
