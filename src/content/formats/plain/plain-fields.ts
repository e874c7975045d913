// Front matter as builders of sites know it: Hugo, Docusaurus, Jekyll, MkDocs.
import { toTimestamp } from "../../../catalog/timestamps.ts";
import type { SourceTree } from "../../files/source-tree.ts";
import { findText, type PlacedFields } from "../../resolve/placed-value.ts";
import type { Tell } from "../../source.ts";
import { readYaml } from "../read-files.ts";
import { toIsoDate } from "../site-schedule.ts";
import type { AdaptFields } from "../../lesson-files/lesson-file.ts";

const POSITIONS = ["weight", "order", "sidebar_position", "nav_order", "position"];

/** What they mean is a matter of the site: how a page is laid out, found and addressed. */
const OF_SITES: ReadonlySet<string> = new Set(
  `aliases author authors categories category comments cover custom_edit_url description draft excerpt has_children has_toc
  hide hide_table_of_contents hide_title icon image images keywords lang last_modified_at lastmod layout linktitle menu nav_exclude nav_order
  order pagination_label pagination_next pagination_prev parent grand_parent permalink position published publishdate search_exclude
  series sidebar_class_name sidebar_custom_props sidebar_label sidebar_position slug status summary tags template toc toc_max_heading_level
  toc_min_heading_level type unlisted weight date`.split(/\s+/),
);

/** Where a page stands among others: `weight`, `order`, `sidebar_position` or `nav_order`. Undefined where nothing says so. */
export function findPosition(fields: PlacedFields): number | undefined {
  for (const name of POSITIONS) {
    const text = findText(fields, name)?.trim() ?? "";
    // To Hugo a weight of 0 is none.
    if (/^-?\d+(?:\.\d+)?$/.test(text) && !(name === "weight" && Number(text) === 0)) return Number(text);
  }
  return undefined;
}

/** Takes dates over, and takes out what is a matter of the site. */
export const adaptPlainFields: AdaptFields = (fields) => {
  const takeDate = (names: string[], to: string): void => {
    for (const name of names) {
      const field = fields.get(name);
      const date = toTimestamp(toIsoDate(findText(fields, name) ?? ""));
      if (field === undefined || date === undefined || fields.has(to)) continue;
      fields.set(to, { value: date, place: field.place });
    }
  };
  takeDate(["date"], "createdAt");
  takeDate(["lastmod", "last_modified_at"], "updatedAt");
  for (const name of fields.keys()) if (OF_SITES.has(name.toLowerCase())) fields.delete(name);
};

/** `_category_.json` of Docusaurus: the name of a folder as `title`, and its place. Empty when it cannot be read; that is reported. */
export async function readCategory(tree: SourceTree, path: string, report: Tell): Promise<PlacedFields> {
  const parsed = await readYaml(tree, path, report);
  if (!(parsed?.value instanceof Map)) return new Map();
  const label = parsed.value.get("label");
  const fields: PlacedFields = new Map(parsed.value);
  if (label !== undefined) fields.set("title", label);
  return fields;
}
