// Which courses of the list a request asks for.
import type { CatalogReader } from "../../catalog/catalog-reader.ts";
import { isIdentifier } from "../../catalog/identifier.ts";
import type { Release } from "../../catalog/store.ts";
import { splitIds, type CourseFilter } from "../request/course-filter.ts";
import { requireUnpruned } from "./incomplete-release.ts";
import type { LargeWork } from "./large-work.ts";
import type { OperationInput } from "./operation.ts";
import type { TraitIndexes } from "./trait-index.ts";

/**
 * The positions in the list of the courses that a request asks for, in the order that it asks for; undefined for all of them
 * in the order of the list. Throws as `work` does.
 */
export async function selectCourses(
  { catalog, channel, names, traits, parameters, work }: OperationInput,
  release: Release,
): Promise<number[] | undefined> {
  const { foldedName, filter } = parameters;
  let found: number[] | undefined;
  if (filter.ids !== undefined) {
    found = await findIds(catalog, release, filter.ids);
    // Each value may name several courses, or one.
    if (found.length < filter.ids.flatMap(splitIds).length) await requireUnpruned(catalog, channel, release);
  }
  if (foldedName !== "") found = intersect(found, await (await names.obtain(release, work)).search(foldedName, work));
  return filterByTraits(found, traits, release, filter, work);
}

async function filterByTraits(
  given: number[] | undefined,
  traits: TraitIndexes,
  release: Release,
  { language, tags, updatedSince, sort }: CourseFilter,
  work: LargeWork,
): Promise<number[] | undefined> {
  if (language === "" && tags.length === 0 && updatedSince === undefined && sort === undefined) return given;
  const index = await traits.obtain(release, work);
  let found = given;
  if (language !== "") found = intersect(found, await index.findLanguage(language, work));
  for (const [pass, tag] of tags.entries()) {
    if (pass > 0) await work.pause();
    found = intersect(found, await index.findTag(tag, work));
    // No course has so many tags as a URL has room for.
    if (found.length === 0) return found;
  }
  if (updatedSince !== undefined) found = intersect(found, index.findUpdatedSince(updatedSince));
  return sort === undefined ? found : index.sort(found, sort);
}

async function findIds(catalog: CatalogReader, release: Release, values: readonly string[]): Promise<number[]> {
  const asked = values.flatMap((value) => [value, ...splitIds(value)]);
  // Text that is no valid identifier names no course, and a database may reject it.
  const courses = await catalog.findPositions(release, [...new Set(asked)].filter(isIdentifier));
  const byId = new Map(courses.map((course) => [course.id, course.position]));
  const bySlug = new Map(courses.map((course) => [course.slug, course.position]));
  const found = values.flatMap((value) => {
    const whole = byId.get(value);
    return whole === undefined ? splitIds(value).map((part) => byId.get(part) ?? bySlug.get(part)) : [whole];
  });
  return [...new Set(found)].filter((position) => position !== undefined).sort((a, b) => a - b);
}

/** The positions that are in both; both ascend. */
function intersect(one: number[] | undefined, other: number[]): number[] {
  if (one === undefined) return other;
  let index = 0;
  return other.filter((position) => {
    while ((one[index] ?? Infinity) < position) index++;
    return one[index] === position;
  });
}
