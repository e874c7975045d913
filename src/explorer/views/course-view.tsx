import type { JSX } from "preact";
import { formatLessonAddress } from "../address/address.ts";
import { useArrival } from "../address/use-arrival.ts";
import { formatCount, formatDate, formatLanguage, formatMinutes } from "../parts/format-value.ts";
import { Thumbnail } from "../parts/thumbnail.tsx";
import { useReading } from "../reading/reading-context.ts";
import type { OpenCourse } from "../reading/use-course.ts";
import { forgetVisited } from "../reading/visited-lessons.ts";
import { Breadcrumbs } from "./breadcrumbs.tsx";
import { Outline } from "./outline.tsx";

interface CourseViewProps {
  course: OpenCourse;
  /** The slug to use in the course's URLs. */
  slug: string;
  visited: readonly string[];
  onVisited: (visited: readonly string[]) => void;
}

/** Shows a course: description, progress, chapters and lessons. */
export function CourseView({ course, slug, visited, onVisited }: CourseViewProps): JSX.Element {
  const { release } = useReading().address;
  const { name, thumbnail, updatedAt, chapters, description, language, tags, durationMinutes } = course;
  useArrival(`course ${course._id} ${release ?? ""}`, name, true);
  const lessons = chapters.flatMap((chapter) => chapter.lessons);
  const facts = [
    lessons.length === 0 ? "" : formatCount(lessons.length, "lesson"),
    durationMinutes === null ? "" : formatMinutes(durationMinutes),
    language === "" ? "" : formatLanguage(language),
    `updated ${formatDate(updatedAt)}`,
  ];
  return (
    <article class="course-page">
      <Breadcrumbs trail={[]} here={name} release={release} />
      <div class="course-head">
        <div class="course-head-text">
          <h1 tabIndex={-1} dir="auto">
            {name}
          </h1>
          {description === "" ? null : (
            <p class="lead" dir="auto">
              {description}
            </p>
          )}
          <p class="facts small muted" lang="en" dir="ltr">
            {facts
              .filter((fact) => fact !== "")
              .map((fact) => (
                <span key={fact}>{fact}</span>
              ))}
          </p>
          {tags.length === 0 ? null : (
            <p class="tags">
              {tags.map((tag) => (
                <span key={tag} class="tag" dir="auto">
                  {tag}
                </span>
              ))}
            </p>
          )}
        </div>
        <Thumbnail url={thumbnail} name={name} />
      </div>
      <Progress course={course} slug={slug} lessons={lessons} visited={visited} onVisited={onVisited} />
      {lessons.length === 0 ? (
        <p class="no-lessons muted" lang="en" dir="ltr">
          This course has no lessons.
        </p>
      ) : null}
      <Outline course={course} slug={slug} visited={visited} isWhole />
    </article>
  );
}

function Progress({
  course,
  slug,
  lessons,
  visited,
  onVisited,
}: CourseViewProps & { lessons: { id: string; name: string }[] }): JSX.Element | null {
  const { release } = useReading().address;
  const [first] = lessons;
  if (first === undefined) return null;
  const ids = new Set(lessons.map(({ id }) => id));
  const done = visited.filter((id) => ids.has(id));
  const last = done.at(-1);
  const next = lessons[last === undefined ? 0 : lessons.findIndex(({ id }) => id === last) + 1];
  const target = next ?? first;
  const forget = (): void => {
    forgetVisited(course.projectId, course._id);
    onVisited([]);
  };
  return (
    <div class="progress" lang="en">
      <a class="button button-primary" href={formatLessonAddress(slug, target.id, release)}>
        {last === undefined ? "Begin" : next === undefined ? "Read again" : "Continue"}
      </a>
      {done.length === 0 ? null : (
        <>
          <progress value={done.length} max={lessons.length} aria-label="Lessons opened in this browser" />
          <span class="small muted" dir="ltr">
            {done.length} of {formatCount(lessons.length, "lesson")} opened
          </span>
          <button type="button" class="quiet-button small" onClick={forget}>
            Reset
          </button>
        </>
      )}
    </div>
  );
}
