// What courses without an outline are called.
import { toSlug } from "../../catalog/complete-course.ts";
import { toTitle } from "../lesson-files/lesson-names.ts";
import type { PlacedFields } from "../resolve/placed-value.ts";
import type { Location } from "../source.ts";
import type { FormerOrder } from "./former-order.ts";
import { nameFields, type Outline, type OutlineFolder } from "./format.ts";
import type { ListedOrders } from "./listed-order.ts";

/** The name that the README of a course gives it, else that of its folder. The address is that of the folder's name, as before. */
export async function nameAfterReadme(
  { tree, folder }: OutlineFolder,
  place: Location,
  { orders, former }: { orders: ListedOrders; former: FormerOrder },
): Promise<Pick<Outline, "fields" | "former">> {
  const before = toTitle(tree.nameOf(folder));
  const name = (await orders.findName()) ?? before;
  const slug: PlacedFields = new Map(name === before ? [] : [["slug", { value: toSlug(before), place }]]);
  return { fields: new Map([...nameFields(name, place), ...slug]), former: former.finish(folder, before, name) };
}
