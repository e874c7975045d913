// Detects a resource's kind and start file.
import type { CartridgeResource } from "./manifest.ts";

export type ResourceKind = "page" | "file" | "link" | "topic" | "quiz" | "assignment" | "tool" | "other";

const PAGE = /\.x?html?$/i;

/** Returns the kind by type and start file. */
export function findKind({ type, href, files, inline }: CartridgeResource): ResourceKind {
  if (inline !== undefined || type.startsWith("imswl_")) return "link";
  if (type.startsWith("imsdt_")) return "topic";
  if (type.startsWith("imsqti_") && !type.endsWith("question-bank")) return "quiz";
  if (type.startsWith("assignment_")) return "assignment";
  if (type.startsWith("imsbasiclti_") || type.startsWith("imslti")) return "tool";
  const first = href ?? files[0];
  if (first === undefined) return "other";
  if (type === "webcontent" || type.startsWith("associatedcontent")) return PAGE.test(first) ? "page" : "file";
  return "other";
}

/** Returns the start file; undefined without files. */
export function findFirstFile({ href, files }: CartridgeResource): string | undefined {
  // Canvas lists an assignment's page and settings in any order.
  return href ?? files.find((file) => PAGE.test(file)) ?? files[0];
}
