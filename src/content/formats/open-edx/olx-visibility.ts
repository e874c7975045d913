// Finds Open edX blocks that are hidden from some learners.
import { toTimestamp } from "../../../catalog/timestamps.ts";
import type { OlxBlock } from "./olx-block.ts";
import { parseObject, type OlxPolicies } from "./olx-policy.ts";

/** Why a block is hidden, for counting. */
export interface Unseen {
  what: string;
  plural: string;
  /** Release time, if set. */
  releasedAt?: string | undefined;
}

/** Studio's default for an unset start. */
const NO_START = "2030-01-01";
const HIDDEN: Unseen = { what: "part that Open edX hides", plural: "parts that Open edX hides" };

/**
 * Creates a function that explains why a block is hidden, undefined for a visible one. The start of `root`, the course,
 * hides nothing, since an import asks for the course.
 */
export function createFindUnseen(
  policies: OlxPolicies,
  root: OlxBlock,
  now: Date,
): (block: OlxBlock) => Unseen | undefined {
  // https://docs.openedx.org/en/latest/educators/references/course_development/controlling_content_visibility.html
  const hasReleases = policies.find(root, "self_paced")?.toLowerCase() !== "true";
  return (block) => {
    if (isHidden(block, policies)) return HIDDEN;
    const releasedAt = hasReleases ? toStart(policies.find(block, "start")) : undefined;
    if (releasedAt === undefined || releasedAt <= now.toISOString()) return undefined;
    return { what: "part that Open edX releases later", plural: "parts that Open edX releases later", releasedAt };
  };
}

function isHidden(block: OlxBlock, policies: OlxPolicies): boolean {
  const isTrue = (key: "visible_to_staff_only" | "hide_from_toc"): boolean =>
    policies.find(block, key)?.toLowerCase() === "true";
  if (isTrue("visible_to_staff_only") || isTrue("hide_from_toc")) return true;
  const groups = policies.find(block, "group_access");
  if (groups === undefined || groups.trim() === "") return false;
  const parsed = parseObject(groups);
  // Unreadable restrictions count as restrictions.
  return parsed === undefined || Object.values(parsed).some((list) => !Array.isArray(list) || list.length > 0);
}

/** Converts a start to a timestamp; undefined if unset. Attributes hold JSON; older ones lack a zone. */
export function toStart(written: string | undefined): string | undefined {
  const text = written?.replaceAll('"', "").trim() ?? "";
  const start = toTimestamp(text) ?? toTimestamp(`${text}Z`);
  return start?.startsWith(NO_START) === true ? undefined : start;
}
