import type { CourseWith, Lesson } from "../../../packages/client/src/catalog-client.ts";
import { useReading } from "./reading-context.ts";
import { useLoaded, type Loaded } from "./use-loaded.ts";

export type OpenCourse = CourseWith<"meta">;

/** Loads a course by id, or by a current or former slug. */
export function useCourse(course: string, release: number | undefined): Loaded<OpenCourse> {
  const { session, revision } = useReading();
  return useLoaded(JSON.stringify([course, release]), revision, async (signal) =>
    (await session.reading(release)).getCourse(course, { include: ["meta"], signal }),
  );
}

/** Loads a lesson by its course's id and its own id. */
export function useLesson(course: string, lesson: string, release: number | undefined): Loaded<Lesson> {
  const { session, revision } = useReading();
  return useLoaded(JSON.stringify([course, lesson, release]), revision, async (signal) =>
    (await session.reading(release)).getLesson(course, lesson, { signal }),
  );
}
