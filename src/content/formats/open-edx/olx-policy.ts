// Reads policies/<run>/policy.json, but only the keys below: other keys, such as lti_passports, contain secrets.
import { remember } from "../../remember.ts";
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

type Policy = Partial<Record<PolicyKey, string>>;

/** Returns a value from a block's policy, or else from its attributes, if any. */
export type FindPolicy = (block: OlxBlock, key: PolicyKey) => string | undefined;

function createFindPolicy(policies: ReadonlyMap<string, Policy>): FindPolicy {
  return ({ tag, id, element }, key) => {
    return policies.get(`${tag}/${id}`)?.[key] ?? element.attributes.get(key);
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
    const values = KEYS.map((key) => [key, toText((said as Partial<Record<PolicyKey, unknown>>)[key])]);
    policies.set(block, Object.fromEntries(values) as Policy);
  }
  return policies;
}

/** Values other than text become JSON, once for all blocks with the same policy. */
function toText(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === "string" ? value : JSON.stringify(value);
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
  const restricted = new Map<string, boolean>();
  const hasReleases = findPolicy(root, "self_paced")?.toLowerCase() !== "true";
  return (block) => {
    const groups = findPolicy(block, "group_access") ?? "";
    if (isHidden(block, findPolicy) || remember(restricted, groups, () => isRestricted(groups))) return HIDDEN;
    const releasedAt = hasReleases ? toStart(findPolicy(block, "start")) : undefined;
    if (releasedAt === undefined || releasedAt <= now.toISOString()) return undefined;
    return { what: "part that Open edX releases later", plural: "parts that Open edX releases later", releasedAt };
  };
}

function isHidden(block: OlxBlock, findPolicy: FindPolicy): boolean {
  const isTrue = (key: "visible_to_staff_only" | "hide_from_toc"): boolean =>
    findPolicy(block, key)?.toLowerCase() === "true";
  return isTrue("visible_to_staff_only") || isTrue("hide_from_toc");
}

function isRestricted(groups: string): boolean {
  if (groups.trim() === "") return false;
  const parsed = parseObject(groups);
  // Unreadable restrictions count as restrictions.
  return parsed === undefined || Object.values(parsed).some((list) => !Array.isArray(list) || list.length > 0);
}

/** No date is longer. */
const MAX_DATE = 100;

/** Converts a start date to a timestamp; undefined if unset. Attributes contain JSON; older exports omit the zone. */
export function toStart(written: string | undefined): string | undefined {
  const text = written === undefined || written.length > MAX_DATE ? "" : written.replaceAll('"', "").trim();
  const start = toTimestamp(text) ?? toTimestamp(`${text}Z`);
  return start?.startsWith(NO_START) === true ? undefined : start;
}
