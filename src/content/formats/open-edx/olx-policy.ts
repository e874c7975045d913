// Reads policies/<run>/policy.json, but only the keys below: other keys, such as lti_passports, contain secrets.
import type { SourceTree } from "../../files/source-tree.ts";
import type { ReportFinding } from "../../source.ts";
import type { OlxBlock } from "./olx-block.ts";
import { toTimestamp } from "../../../catalog/timestamps.ts";

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

type PolicyKey = (typeof KEYS)[number];

type Policy = Partial<Record<PolicyKey, unknown>>;

/** Returns a value from a block's policy, or else from its attributes, if any. Values other than text become JSON. */
export type FindPolicy = (block: OlxBlock, key: PolicyKey) => string | undefined;

function createFindPolicy(policies: ReadonlyMap<string, Policy>): FindPolicy {
  return ({ tag, id, element }, key) => {
    const said = policies.get(`${tag}/${id}`)?.[key];
    if (said === undefined || said === null) return element.attributes.get(key);
    return typeof said === "string" ? said : JSON.stringify(said);
  };
}

/** Reads a run's policies, which are empty without a file. Reports an unreadable file and returns undefined. */
export async function readPolicies(
  tree: SourceTree,
  paths: readonly string[],
  report: ReportFinding,
): Promise<FindPolicy | undefined> {
  for (const path of paths) {
    if ((await tree.find(path)) === undefined) continue;
    const text = await tree.readText(path, report);
    const policies = text === undefined ? undefined : parsePolicies(text);
    if (policies !== undefined) return createFindPolicy(policies);
    const message = "must be a JSON object that contains an object for each block, such as course/RUN";
    if (text !== undefined) report({ kind: "syntax", file: tree.toTypedPath(path), message });
    return undefined;
  }
  return createFindPolicy(new Map());
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

/** Parses a JSON object. Returns undefined for any other text. */
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

/** Why a block is hidden, for counting. */
export interface Unseen {
  what: string;
  plural: string;
  /** The release time, if set. */
  releasedAt?: string | undefined;
}

/** Studio's default for an unset start date. */
const NO_START = "2030-01-01";
const HIDDEN: Unseen = { what: "part that Open edX hides", plural: "parts that Open edX hides" };

/**
 * Creates a function that returns why a block is hidden, or undefined for a visible block. The start date of `root`,
 * the course itself, hides nothing, since the operator requested the course.
 */
export function createFindUnseen(
  findPolicy: FindPolicy,
  root: OlxBlock,
  now: Date,
): (block: OlxBlock) => Unseen | undefined {
  // https://docs.openedx.org/en/latest/educators/references/course_development/controlling_content_visibility.html
  const hasReleases = findPolicy(root, "self_paced")?.toLowerCase() !== "true";
  return (block) => {
    if (isHidden(block, findPolicy)) return HIDDEN;
    const releasedAt = hasReleases ? toStart(findPolicy(block, "start")) : undefined;
    if (releasedAt === undefined || releasedAt <= now.toISOString()) return undefined;
    return { what: "part that Open edX releases later", plural: "parts that Open edX releases later", releasedAt };
  };
}

function isHidden(block: OlxBlock, findPolicy: FindPolicy): boolean {
  const isTrue = (key: "visible_to_staff_only" | "hide_from_toc"): boolean =>
    findPolicy(block, key)?.toLowerCase() === "true";
  if (isTrue("visible_to_staff_only") || isTrue("hide_from_toc")) return true;
  const groups = findPolicy(block, "group_access");
  if (groups === undefined || groups.trim() === "") return false;
  const parsed = parseObject(groups);
  // Unreadable restrictions count as restrictions.
  return parsed === undefined || Object.values(parsed).some((list) => !Array.isArray(list) || list.length > 0);
}

/** Converts a start date to a timestamp; undefined if unset. Attributes contain JSON; older exports omit the zone. */
export function toStart(written: string | undefined): string | undefined {
  const text = written?.replaceAll('"', "").trim() ?? "";
  const start = toTimestamp(text) ?? toTimestamp(`${text}Z`);
  return start?.startsWith(NO_START) === true ? undefined : start;
}
