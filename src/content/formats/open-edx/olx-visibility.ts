// Which blocks everybody sees in Open edX.
import { toTimestamp } from "../../../catalog/timestamps.ts";
import type { OlxBlock } from "./olx-block.ts";
import { parseObject, type OlxPolicies } from "./olx-policy.ts";

/** Why not everybody sees a block, as it is counted. */
export interface Unseen {
  what: string;
  plural: string;
  /** From when on everybody does; undefined where no time is set. */
  releasedAt?: string | undefined;
}

/** The day that Studio gives what has no start. */
const NO_START = "2030-01-01";
const HIDDEN: Unseen = { what: "part that Open edX hides", plural: "parts that Open edX hides" };

/**
 * Gives what tells of a block why not everybody sees it, undefined for one that everybody does. `root` is the course, whose own
 * start hides nothing: whoever imports it wants it.
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
  // What cannot be read is meant to keep somebody out.
  return parsed === undefined || Object.values(parsed).some((list) => !Array.isArray(list) || list.length > 0);
}

/** A start as a timestamp; undefined where nobody has set one. Attributes hold JSON, and older ones no zone. */
export function toStart(written: string | undefined): string | undefined {
  const text = written?.replaceAll('"', "").trim() ?? "";
  const start = toTimestamp(text) ?? toTimestamp(`${text}Z`);
  return start?.startsWith(NO_START) === true ? undefined : start;
}
