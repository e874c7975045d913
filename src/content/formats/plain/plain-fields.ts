// Adapts the front matter of Hugo, Docusaurus, Jekyll and MkDocs.
import { toTimestamp } from "../../../catalog/timestamps.ts";
import type { SourceTree } from "../../files/source-tree.ts";
import { findText, type PlacedFields } from "../../resolve/placed-value.ts";
import type { ReportFinding } from "../../source.ts";
import { readYaml } from "../read-files.ts";
import { toIsoDate } from "../site-builders.ts";
import type { AdaptFields } from "../../lesson-files/lesson-file.ts";

const POSITIONS = ["weight", "order", "sidebar_position", "nav_order", "position"];

/** Fields that only a site uses, for example for layout, search and URLs. */
const OF_SITES: ReadonlySet<string> = new Set(
  `aliases author authors categories category comments cover custom_edit_url description draft excerpt expirydate has_children has_toc
  hide hide_table_of_contents hide_title icon image images keywords lang last_modified_at lastmod layout linktitle menu nav_exclude nav_order
  order pagination_label pagination_next pagination_prev parent grand_parent permalink position published publishdate search_exclude
  series sidebar_class_name sidebar_custom_props sidebar_label sidebar_position slug status summary tags template toc toc_max_heading_level
  toc_min_heading_level type unlisted weight date`.split(/\s+/),
);

/** Returns the position from a field such as `weight` or `sidebar_position`; undefined if absent. */
export function findPosition(fields: PlacedFields): number | undefined {
  for (const name of POSITIONS) {
    const text = findText(fields, name)?.trim() ?? "";
    // In Hugo, a weight of 0 means no weight.
    if (/^-?\d+(?:\.\d+)?$/.test(text) && !(name === "weight" && Number(text) === 0)) return Number(text);
  }
  return undefined;
}

/** Converts dates and drops site fields. */
export const adaptPlainFields: AdaptFields = (fields) => {
  const consumeDate = (names: string[], to: string): void => {
    for (const name of names) {
      const field = fields.get(name);
      const date = toTimestamp(toIsoDate(findText(fields, name) ?? ""));
      if (field === undefined || date === undefined || fields.has(to)) continue;
      fields.set(to, { value: date, place: field.place });
    }
  };
  consumeDate(["date"], "createdAt");
  consumeDate(["lastmod", "last_modified_at"], "updatedAt");
  for (const name of fields.keys()) if (OF_SITES.has(name.toLowerCase())) fields.delete(name);
};

/**
 * Reads Docusaurus's `_category_.json`: a folder's `title` and position. Reports an unreadable file and returns no
 * fields.
 */
export async function readCategory(tree: SourceTree, path: string, report: ReportFinding): Promise<PlacedFields> {
  const parsed = await readYaml(tree, path, report);
  if (!(parsed?.value instanceof Map)) return new Map();
  const label = parsed.value.get("label");
  const fields: PlacedFields = new Map(parsed.value);
  if (label !== undefined) fields.set("title", label);
  return fields;
}
