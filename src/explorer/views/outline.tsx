import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { formatLessonAddress } from "../address/address.ts";
import { formatCount } from "../parts/format-value.ts";
import { CheckIcon } from "../parts/icons.tsx";
import { useReading } from "../reading/reading-context.ts";
import type { OpenCourse } from "../reading/use-course.ts";

interface OutlineProps {
  course: OpenCourse;
  slug: string;
  visited: readonly string[];
  /** The open lesson. */
  current?: string | undefined;
  /** True if all chapters are shown unfolded, each with its number of lessons. */
  isWhole?: boolean;
}

/**
 * In longer courses, chapters without the open lesson are folded, because thousands of lines take seconds to render.
 */
const MAX_UNFOLDED = 200;
/** At first, a chapter shows at most three times this many lessons: around the open one, or the first ones. */
const STEP = 100;

/** Shows a course's lessons by chapter, with marks on visited ones. */
export function Outline({ course, slug, visited, current, isWhole = false }: OutlineProps): JSX.Element {
  const opened = useMemo(() => new Set(visited), [visited]);
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
              <LessonList lessons={chapter.lessons} slug={slug} opened={opened} current={current} />
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

/** Shows the lessons around the open one, or the first ones, and buttons for the others. */
function ChapterLessons({ chapter: { lessons }, slug, opened, current }: ChapterProps): JSX.Element {
  const [asked, setAsked] = useState({ start: 0, end: 3 * STEP });
  const here = lessons.findIndex(({ id }) => id === current);
  const isSeen = here === -1 || (asked.start <= here && here < asked.end);
  const start = isSeen ? asked.start : (Math.floor(here / STEP) - 1) * STEP;
  const end = isSeen ? asked.end : start + 3 * STEP;
  const shown = useMemo(() => lessons.slice(start, end), [lessons, start, end]);
  const show = (from: number, to: number): void => setAsked({ start: Math.max(0, from), end: to });
  return (
    <>
      {start === 0 ? null : <MoreLessons count={start} where="before" onShow={() => show(start - 3 * STEP, end)} />}
      <LessonList lessons={shown} slug={slug} opened={opened} current={current} />
      {end >= lessons.length ? null : (
        <MoreLessons count={lessons.length - end} where="after" onShow={() => show(start, end + 3 * STEP)} />
      )}
    </>
  );
}

interface MoreLessonsProps {
  count: number;
  where: "before" | "after";
  onShow: () => void;
}

function MoreLessons({ count, where, onShow }: MoreLessonsProps): JSX.Element {
  return (
    <button type="button" class="outline-more quiet-button small" lang="en" onClick={onShow}>
      {formatCount(count, "lesson")} {where}
    </button>
  );
}

interface LessonListProps extends Omit<ChapterProps, "chapter"> {
  lessons: Chapter["lessons"];
}

function LessonList({ lessons, slug, opened, current }: LessonListProps): JSX.Element {
  const { release } = useReading().address;
  // Memoized, because a chapter can contain thousands of lines.
  return useMemo(
    () => (
      <ol class={lessons.length > MAX_UNFOLDED ? "is-long" : undefined}>
        {lessons.map(({ id, name }) => (
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
    ),
    [lessons, slug, opened, current, release],
  );
}
