import type { JSX } from "preact";
import { formatLessonAddress } from "../address/address.ts";
import { formatCount } from "../parts/format-value.ts";
import { CheckIcon } from "../parts/icons.tsx";
import { useReading } from "../reading/reading-context.ts";
import type { OpenCourse } from "../reading/use-course.ts";

interface OutlineProps {
  course: OpenCourse;
  slug: string;
  visited: readonly string[];
  /** The lesson that is open. */
  current?: string;
  /** With the number of lessons of each chapter. */
  isWhole?: boolean;
}

/** The lessons of a course, by chapter; those that were opened have a mark. */
export function Outline({ course, slug, visited, current, isWhole = false }: OutlineProps): JSX.Element {
  const { release } = useReading().address;
  const opened = new Set(visited);
  const Heading = isWhole ? "h2" : "h3";
  return (
    <ol class={isWhole ? "outline outline-whole" : "outline"}>
      {course.chapters.map(({ id, name, lessons }) => (
        <li key={id} class="outline-chapter">
          <Heading dir="auto">
            {name}
            {isWhole && lessons.length > 0 ? (
              <span class="outline-count small muted" lang="en" dir="ltr">
                {formatCount(lessons.length, "lesson")}
              </span>
            ) : null}
          </Heading>
          <ol>
            {lessons.map((lesson) => (
              <li key={lesson.id}>
                <a
                  href={formatLessonAddress(slug, lesson.id, release)}
                  aria-current={lesson.id === current ? "page" : undefined}
                  class={opened.has(lesson.id) ? "is-opened" : undefined}
                >
                  <span class="outline-mark">
                    {opened.has(lesson.id) ? (
                      <>
                        <CheckIcon />
                        <span class="visually-hidden">opened: </span>
                      </>
                    ) : null}
                  </span>
                  <span dir="auto">{lesson.name}</span>
                </a>
              </li>
            ))}
          </ol>
        </li>
      ))}
    </ol>
  );
}
