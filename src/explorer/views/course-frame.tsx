// A course and its open lesson. The course stays loaded when another of its lessons opens.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { LessonAddress } from "../address/address.ts";
import { useArrival } from "../address/use-arrival.ts";
import { replaceAddress } from "../address/use-address.ts";
import { findDirection } from "../parts/direction.ts";
import { LoadFault } from "../parts/notice.tsx";
import { Skeleton } from "../parts/skeleton.tsx";
import type { Theme } from "../parts/use-theme.ts";
import { useReading } from "../reading/reading-context.ts";
import { useCourse, type OpenCourse } from "../reading/use-course.ts";
import { listVisited } from "../reading/visited-lessons.ts";
import type { Loaded } from "../reading/use-loaded.ts";
import { CourseView } from "./course-view.tsx";
import { LessonView } from "./lesson-view.tsx";

interface CourseFrameProps {
  /** The course's id, or a current or former slug. */
  course: string;
  /** The open lesson; if undefined, the course itself is shown. */
  lesson?: LessonAddress;
  theme: Theme;
}

export function CourseFrame({ course: asked, lesson, theme }: CourseFrameProps): JSX.Element {
  const { address } = useReading();
  const { release } = address;
  const loaded = useCourse(asked, release);
  const course = loaded.value;
  const [visited, setVisited] = useState<readonly string[]>([]);
  useEffect(() => {
    if (course === undefined) return;
    const listed = listVisited(course.projectId, course._id);
    // Avoids another rendering of the outline if both lists are empty.
    setVisited((before) => (before.length === 0 && listed.length === 0 ? before : listed));
  }, [course?._id]);
  // Replaces an id or a former slug in the URL with the current slug.
  const slug = course?.slug ?? "";
  useEffect(() => {
    if (slug !== "" && slug !== asked && "course" in address) replaceAddress({ ...address, course: slug });
  }, [slug, asked]);
  if (course === undefined) return <NoCourse asked={asked} loaded={loaded} />;
  const { language, published } = course;
  const direction = findDirection(language, course.name);
  return (
    <div class="course" dir={direction} lang={language === "" ? undefined : language}>
      <LoadFault loaded={loaded} what="course" />
      {published ? null : (
        <p class="draft-line" lang="en" dir="ltr">
          <strong>Draft.</strong> Only keys with draft access can read this course. Course lists omit it.
        </p>
      )}
      {lesson === undefined ? (
        <CourseView course={course} slug={asked} visited={visited} onVisited={setVisited} />
      ) : (
        <LessonView course={course} address={lesson} theme={theme} visited={visited} onVisited={setVisited} />
      )}
    </div>
  );
}

/** Shown in place of a course that is loading or failed to load. */
function NoCourse({ asked, loaded }: { asked: string; loaded: Loaded<OpenCourse> }): JSX.Element {
  useArrival(`no course ${asked}`, "Course", loaded.error !== undefined);
  return (
    <div class="course">
      <h1 class="visually-hidden" tabIndex={-1}>
        Course
      </h1>
      {loaded.error === undefined ? <Skeleton lines={[30, 70, 90, 60, 80]} /> : null}
      <LoadFault loaded={loaded} what="course" />
    </div>
  );
}
