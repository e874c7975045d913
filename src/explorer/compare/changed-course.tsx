import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Changes } from "../../../packages/client/src/catalog-client.ts";
import { formatAddress, formatLessonAddress } from "../address/address.ts";
import { useCourse, type OpenCourse } from "../reading/use-course.ts";
import { LessonDiff } from "./lesson-diff.tsx";

type CourseChange = Changes["results"][number];
type LessonChange = CourseChange["lessons"][number];

interface ChangedCourseProps {
  change: CourseChange;
  from: number;
  to: number;
  /** True if the changed lessons are shown at first. */
  isOpen: boolean;
}

/** Shows a course that differs between two releases. */
export function ChangedCourse({ change, from, to, isOpen: isOpenAtFirst }: ChangedCourseProps): JSX.Element {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  const release = change.change === "removed" ? from : to;
  const { value: course } = useCourse(change._id, release);
  const facts = [
    ...change.fields.map((field) => FIELDS[field] ?? field),
    ...(change.formerSlug === "" ? [] : [`slug, which was ${change.formerSlug}`]),
  ];
  return (
    <li class="change">
      <div class="change-head">
        <Mark change={change.change} />
        <a class="change-name" dir="auto" href={formatAddress({ kind: "course", course: change._id, release })}>
          {course?.name ?? change._id}
        </a>
        {change.lessons.length === 0 ? null : (
          <button type="button" class="quiet-button small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen
              ? "Hide lessons"
              : `Show ${change.lessons.length === 1 ? "the lesson" : `${change.lessons.length} lessons`}`}
          </button>
        )}
      </div>
      {facts.length === 0 ? null : <p class="small muted">What differs: {facts.join(", ")}</p>}
      {isOpen ? <ChangedLessons change={change} course={course} from={from} to={to} /> : null}
    </li>
  );
}

const FIELDS: Record<string, string> = {
  chapters: "chapters or their lessons",
  createdAt: "date",
  thumbnail: "image",
};

interface ChangedLessonsProps {
  change: CourseChange;
  /** The newer version of the course, or its only one; undefined until loaded. */
  course: OpenCourse | undefined;
  from: number;
  to: number;
}

function ChangedLessons({ change, course, from, to }: ChangedLessonsProps): JSX.Element {
  const { value: before } = useCourse(change._id, change.change === "added" ? to : from);
  const names = new Map([...listLessons(before), ...listLessons(course)]);
  return (
    <ul class="changed-lessons">
      {change.lessons.map((lesson) => (
        <ChangedLesson
          key={lesson.id}
          course={change._id}
          lesson={lesson}
          name={names.get(lesson.id)}
          from={from}
          to={to}
        />
      ))}
    </ul>
  );
}

function listLessons(course: OpenCourse | undefined): [id: string, name: string][] {
  return course?.chapters.flatMap(({ lessons }) => lessons.map(({ id, name }): [string, string] => [id, name])) ?? [];
}

interface ChangedLessonProps {
  course: string;
  lesson: LessonChange;
  name: string | undefined;
  from: number;
  to: number;
}

function ChangedLesson({ course, lesson: { id, change }, name = id, from, to }: ChangedLessonProps): JSX.Element {
  const [showsDiff, setShowsDiff] = useState(false);
  const release = change === "removed" ? from : to;
  const hasDiff = change === "changed" || change === "changed and moved";
  return (
    <li>
      <div class="change-head">
        <Mark change={change} />
        <a dir="auto" href={formatLessonAddress(course, id, release)}>
          {name}
        </a>
        {hasDiff ? (
          <button
            type="button"
            class="quiet-button small"
            aria-expanded={showsDiff}
            onClick={() => setShowsDiff(!showsDiff)}
          >
            {showsDiff ? "Hide the difference" : "Show the difference"}
          </button>
        ) : null}
      </div>
      {showsDiff ? <LessonDiff course={course} lesson={id} from={from} to={to} /> : null}
    </li>
  );
}

function Mark({ change }: { change: string }): JSX.Element {
  return <span class={`mark mark-${change.replaceAll(" ", "-")}`}>{change}</span>;
}
