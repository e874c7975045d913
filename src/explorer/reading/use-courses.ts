import { useState } from "preact/hooks";
import type { CourseSummaryWith } from "../../../packages/client/src/catalog-client.ts";
import type { Address } from "../address/address.ts";
import { useReading } from "./reading-context.ts";
import { useLoaded, type Loaded } from "./use-loaded.ts";

/** The number of courses read at a time: more cards than a screen can show. */
const PAGE_SIZE = 48;

export type ListedCourse = CourseSummaryWith<"meta">;

interface Pages {
  courses: ListedCourse[];
  total: number;
  rest: AsyncIterator<ListedCourse>;
}

/** The matching courses read so far. */
export interface CourseList {
  loaded: Loaded<Pages>;
  courses: readonly ListedCourse[];
  /** The number of all matching courses; undefined until known. */
  total: number | undefined;
  /** Reads the next page of the same release. Never rejects. */
  readMore: () => Promise<void>;
}

/** Loads the courses at a catalog address. Keeps the previous result during another search. */
export function useCourses({ search, language, tags, release }: Extract<Address, { kind: "catalog" }>): CourseList {
  const { session, revision } = useReading();
  const name = search.trim();
  const key = JSON.stringify([name, language, tags, release]);
  const loaded = useLoaded(key, revision, async (signal): Promise<Pages> => {
    const catalog = await session.reading(release);
    let total = 0;
    const onTotal = (count: number): void => void (total = count);
    const filter = { name: name || undefined, language: language || undefined, tag: tags };
    const options = { ...filter, include: ["meta"], pageSize: PAGE_SIZE, onTotal, signal } as const;
    const rest = catalog.listCourses(options)[Symbol.asyncIterator]();
    const courses = await takePage(rest);
    return { courses, total, rest };
  });
  const [last, setLast] = useState<Pages>();
  const [more, setMore] = useState<{ of: Pages | undefined; courses: ListedCourse[] }>({ of: undefined, courses: [] });
  if (loaded.value !== undefined && loaded.value !== last) setLast(loaded.value);
  const pages = loaded.value ?? (loaded.isLoading ? last : undefined);
  const added = more.of === pages ? more.courses : [];
  return {
    loaded,
    courses: pages === undefined ? [] : [...pages.courses, ...added],
    total: pages?.total,
    async readMore() {
      if (pages === undefined) return;
      try {
        const courses = await takePage(pages.rest);
        setMore((before) => ({ of: pages, courses: before.of === pages ? [...before.courses, ...courses] : courses }));
      } catch {
        // If the retry fails, too, it reports the error.
        loaded.retry();
      }
    },
  };
}

async function takePage(iterator: AsyncIterator<ListedCourse>): Promise<ListedCourse[]> {
  const page: ListedCourse[] = [];
  while (page.length < PAGE_SIZE) {
    const next = await iterator.next();
    if (next.done === true) break;
    page.push(next.value);
  }
  return page;
}
