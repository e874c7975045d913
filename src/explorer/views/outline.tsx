import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
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
  current?: string | undefined;
  /** With the number of lessons of each chapter. */
  isWhole?: boolean;
}

/** Beside a lesson the chapters of a longer course are folded, all but its own: thousands of lines take a browser seconds. */
const MAX_UNFOLDED = 200;

/** The lessons of a course, by chapter; those that were opened have a mark. */
export function Outline({ course, slug, visited, current, isWhole = false }: OutlineProps): JSX.Element {
  const opened = new Set(visited);
  const count = course.chapters.reduce((sum, { lessons }) => sum + lessons.length, 0);
  const isFolded = !isWhole && count > MAX_UNFOLDED;
  return (
    <ol class={isWhole ? "outline outline-whole" : "outline"}>
      {course.chapters.map((chapter) => (
        <li key={chapter.id} class="outline-chapter">
          {isFolded ? (
            <FoldedChapter chapter={chapter} slug={slug} opened={opened} current={current} />
          ) : (
            <>
              <ChapterHeading chapter={chapter} isWhole={isWhole} />
              <ChapterLessons chapter={chapter} slug={slug} opened={opened} current={current} />
            </>
          )}
        </li>
      ))}
    </ol>
  );
}

type Chapter = OpenCourse["chapters"][number];

function ChapterHeading({ chapter, isWhole }: { chapter: Chapter; isWhole: boolean }): JSX.Element {
  const Heading = isWhole ? "h2" : "h3";
  return (
    <Heading dir="auto">
      {chapter.name}
      {isWhole && chapter.lessons.length > 0 ? (
        <span class="outline-count small muted" lang="en" dir="ltr">
          {formatCount(chapter.lessons.length, "lesson")}
        </span>
      ) : null}
    </Heading>
  );
}

interface ChapterProps {
  chapter: Chapter;
  slug: string;
  opened: ReadonlySet<string>;
  current: string | undefined;
}

function FoldedChapter(props: ChapterProps): JSX.Element {
  const isHere = props.chapter.lessons.some(({ id }) => id === props.current);
  const [isOpen, setOpen] = useState(isHere);
  useEffect(() => {
    if (isHere) setOpen(true);
  }, [isHere]);
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary dir="auto">{props.chapter.name}</summary>
      {isOpen ? <ChapterLessons {...props} /> : null}
    </details>
  );
}

function ChapterLessons({ chapter, slug, opened, current }: ChapterProps): JSX.Element {
  const { release } = useReading().address;
  return (
    <ol>
      {chapter.lessons.map(({ id, name }) => (
        <li key={id}>
          <a
            href={formatLessonAddress(slug, id, release)}
            aria-current={id === current ? "page" : undefined}
            class={opened.has(id) ? "is-opened" : undefined}
          >
            <span class="outline-mark">
              {opened.has(id) ? (
                <>
                  <CheckIcon />
                  <span class="visually-hidden">opened: </span>
                </>
              ) : null}
            </span>
            <span dir="auto">{name}</span>
          </a>
        </li>
      ))}
    </ol>
  );
}
