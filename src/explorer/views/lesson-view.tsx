import type { JSX } from "preact";
import { useCallback, useEffect, useState } from "preact/hooks";
import { formatAddress, formatLessonAddress, type LessonAddress } from "../address/address.ts";
import { goTo, replaceAddress } from "../address/use-address.ts";
import { useArrival } from "../address/use-arrival.ts";
import { LessonFrame } from "../lesson-frame/lesson-frame.tsx";
import { NextIcon, PreviousIcon } from "../parts/icons.tsx";
import { isTyping } from "../parts/is-typing.ts";
import { LoadFault } from "../parts/notice.tsx";
import { Skeleton } from "../parts/skeleton.tsx";
import type { Theme } from "../parts/use-theme.ts";
import { useLesson, type OpenCourse } from "../reading/use-course.ts";
import { noteVisited } from "../reading/visited-lessons.ts";
import { Breadcrumbs } from "./breadcrumbs.tsx";
import { Outline } from "./outline.tsx";

interface LessonViewProps {
  course: OpenCourse;
  address: LessonAddress;
  theme: Theme;
  visited: readonly string[];
  onVisited: (visited: readonly string[]) => void;
}

interface Neighbor {
  id: string;
  name: string;
}

/** Shows a lesson beside its course's outline. */
export function LessonView({ course, address, theme, visited, onVisited }: LessonViewProps): JSX.Element {
  const { lesson: id, heading, release } = address;
  const loaded = useLesson(course._id, id, release);
  const lesson = loaded.value;
  const [shown, setShown] = useState("");
  const isSettled = shown === id || loaded.error !== undefined;
  const { chapter, name, previous, next } = findPlace(course, id);
  // The title is the requested id if the lesson does not exist.
  const title = lesson?.name ?? (name === "" && loaded.error !== undefined ? id : name);
  useArrival(`lesson ${course._id} ${id} ${release ?? ""}`, title, title !== "" && isSettled);
  useEffect(() => {
    if (lesson?.id === id) onVisited(noteVisited(course.projectId, course._id, id));
  }, [lesson?.id, id, course._id]);
  useLessonKeys(address, previous, next);
  const openLesson = useCallback(
    (courseId: string, lessonId: string, fragment: string): void => {
      const named = courseId === course._id ? address.course : courseId;
      const target = { ...address, course: named, lesson: lessonId, heading: fragment };
      if (named === address.course && lessonId === id) replaceAddress(target);
      else goTo(target);
    },
    [course._id, address.course, id, release],
  );
  return (
    <div class="lesson-page">
      <LessonOutline course={course} address={address} visited={visited} />
      <article class="lesson">
        <Breadcrumbs
          trail={[{ name: course.name, href: formatAddress({ kind: "course", course: address.course, release }) }]}
          here={title}
          release={release}
        />
        {chapter === "" ? null : (
          <p class="chapter-name small muted" dir="auto">
            {chapter}
          </p>
        )}
        <h1 tabIndex={-1} dir="auto">
          {title}
        </h1>
        <LoadFault loaded={loaded} what="lesson" />
        <div class={isSettled ? "lesson-body" : "lesson-body is-waiting"}>
          {isSettled ? null : <Skeleton lines={[95, 88, 97, 60, 0, 92, 85, 40]} />}
          {lesson === undefined ? null : (
            <LessonFrame
              key={course._id}
              lesson={lesson}
              language={course.language || undefined}
              theme={theme}
              release={release}
              fragment={heading}
              onOpenLesson={openLesson}
              onReady={() => setShown(lesson.id)}
            />
          )}
        </div>
        {isSettled ? <Neighbors course={address.course} previous={previous} next={next} release={release} /> : null}
      </article>
    </div>
  );
}

/** Shows the outline: beside the lesson on wide screens, folded above the lesson on narrow ones. */
function LessonOutline({ course, address, visited }: Omit<LessonViewProps, "theme" | "onVisited">): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    setOpen(false);
    // Scrolls the outline to the open lesson.
    document.querySelector('.lesson-outline [aria-current="page"]')?.scrollIntoView({ block: "nearest" });
  }, [address.lesson]);
  return (
    <nav class={isOpen ? "lesson-outline is-open" : "lesson-outline"} aria-label="Lessons of this course">
      <button type="button" class="outline-toggle" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        Lessons
      </button>
      <div class="outline-scroll">
        <a
          class="outline-course"
          dir="auto"
          href={formatAddress({ kind: "course", course: address.course, release: address.release })}
        >
          {course.name}
        </a>
        <Outline course={course} slug={address.course} visited={visited} current={address.lesson} />
      </div>
    </nav>
  );
}

interface NeighborsProps {
  /** The course's slug, for URLs. */
  course: string;
  previous: Neighbor | undefined;
  next: Neighbor | undefined;
  release: number | undefined;
}

function Neighbors({ course, previous, next, release }: NeighborsProps): JSX.Element {
  return (
    <nav class="neighbors" aria-label="Previous and next lesson">
      {previous === undefined ? (
        <span />
      ) : (
        <a href={formatLessonAddress(course, previous.id, release)} rel="prev">
          <span class="small muted" lang="en">
            <PreviousIcon />
            Previous
          </span>
          <span dir="auto">{previous.name}</span>
        </a>
      )}
      {next === undefined ? (
        <a href={formatAddress({ kind: "course", course, release })}>
          <span class="small muted" lang="en">
            The end
          </span>
          <span lang="en">Back to the course</span>
        </a>
      ) : (
        <a href={formatLessonAddress(course, next.id, release)} rel="next">
          <span class="small muted" lang="en">
            Next
            <NextIcon />
          </span>
          <span dir="auto">{next.name}</span>
        </a>
      )}
    </nav>
  );
}

/** Makes `→` and `j` open the next lesson, `←` and `k` the previous one. Right-to-left courses swap the arrows. */
function useLessonKeys(address: LessonAddress, previous: Neighbor | undefined, next: Neighbor | undefined): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || isTyping(event)) return;
      // Arrow keys scroll a focused table or listing.
      if (event.target instanceof Element && event.target.closest("pre, summary, [role=group]") !== null) return;
      const isRightToLeft = document.querySelector("main [dir=rtl] .lesson") !== null;
      const [forward, back] = isRightToLeft ? ["ArrowLeft", "ArrowRight"] : ["ArrowRight", "ArrowLeft"];
      const isNext = event.key === "j" || event.key === forward;
      const target = isNext ? next : event.key === "k" || event.key === back ? previous : undefined;
      if (target === undefined) return;
      event.preventDefault();
      goTo({ ...address, lesson: target.id, heading: "" });
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [address.course, address.lesson, address.release, previous?.id, next?.id]);
}

/** Finds a lesson's chapter and neighbors. Names are "" if the course lacks the lesson. */
function findPlace(course: OpenCourse, lesson: string) {
  const lessons = course.chapters.flatMap((chapter) =>
    chapter.lessons.map(({ id, name }) => ({ id, name, chapter: chapter.name })),
  );
  const index = lessons.findIndex(({ id }) => id === lesson);
  const here = lessons[index];
  const previous = index > 0 ? lessons[index - 1] : undefined;
  const next = index === -1 ? undefined : lessons[index + 1];
  return { chapter: here?.chapter ?? "", name: here?.name ?? "", previous, next };
}
