// What a resource of a cartridge is, and the file that it begins with.
import type { CartridgeResource } from "./manifest.ts";

/** What kind of thing a resource is. */
export type ResourceKind = "page" | "file" | "link" | "topic" | "quiz" | "assignment" | "tool" | "other";

const PAGE = /\.x?html?$/i;

/** The kind of a resource, by its type and what it begins with. */
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

/** The file that a resource begins with; undefined for one without files. */
export function findFirstFile({ href, files }: CartridgeResource): string | undefined {
  // Canvas gives an assignment's page and its settings, in any order.
  return href ?? files.find((file) => PAGE.test(file)) ?? files[0];
}
