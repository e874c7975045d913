import { ContentMissing } from "../../catalog/catalog-reader.ts";
import { isIdentifier } from "../../catalog/identifier.ts";
import type { Release } from "../../catalog/store.ts";
import { packPositions, type SearchOutcome } from "../../search/searcher.ts";
import { courseNotFound, searchUnavailable, unknownPath } from "../request/errors.ts";
import { formatPageLinks } from "../request/parameters.ts";
import { selectCourses } from "./courses.ts";
import type { Operation, OperationInput } from "./operation.ts";

const REASONS: Record<Exclude<SearchOutcome["status"], "found" | "gone">, string> = {
  building: "This release's search index is being built",
  busy: "Too many searches are in progress",
  slow: "This search takes too long",
  unavailable: "The search index is temporarily unavailable",
};

export const search: Operation = async (input) => {
  const { release, parameters, searchTexts } = input;
  if (searchTexts === undefined) throw unknownPath();
  if (release === undefined && parameters.course !== undefined) throw courseNotFound();
  if (release === undefined) return { data: [JSON.stringify({ total: 0, results: [] })] };
  const positions = await findCourses(input, release);
  const { limit = 0, offset = 0, search: query } = parameters;
  const courses = positions && packPositions(positions, release.courses);
  const outcome = await searchTexts({ release, query, courses, limit, offset });
  if (outcome.status === "gone") throw new ContentMissing(release.id);
  if (outcome.status !== "found") throw searchUnavailable(REASONS[outcome.status]);
  const { total, results } = outcome;
  return { data: [JSON.stringify({ total, results })], link: formatPageLinks(parameters, release.number, total) };
};

/** Returns the positions of the courses to search, or undefined for all courses. Throws 404. */
async function findCourses(input: OperationInput, release: Release): Promise<number[] | undefined> {
  const { catalog, parameters } = input;
  const { course } = parameters;
  const selected = await selectCourses(input, release);
  if (course === undefined) return selected;
  const found = isIdentifier(course) ? await catalog.findPositions(release, [course]) : [];
  const one = found.find(({ id }) => id === course) ?? found[0];
  if (one === undefined) throw courseNotFound();
  return selected === undefined || selected.includes(one.position) ? [one.position] : [];
}
