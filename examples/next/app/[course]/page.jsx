import Link from "next/link";
import { notFound } from "next/navigation";
import { getCourse, listCourses, listLessons, toPath } from "../catalog.mjs";
import { Outline } from "../outline.jsx";

export async function generateStaticParams() {
  return (await listCourses()).map(({ slug }) => ({ course: slug }));
}

export async function generateMetadata({ params }) {
  const course = await read(params);
  const languages = Object.fromEntries((await listTranslations(course)).map(({ language, slug }) => [language, toPath(slug)]));
  return { title: course.name, description: course.description, alternates: { canonical: toPath(course.slug), languages } };
}

export default async function Course({ params }) {
  const course = await read(params);
  const lessons = await listLessons(course.slug);
  const slugs = new Map(lessons.map(({ id, slug }) => [id, slug]));
  const translations = await listTranslations(course);
  return (
    <main className="course" lang={course.language || undefined}>
      <h1>{course.name}</h1>
      <p>{course.description}</p>
      <p className="told">
        {lessons.length} lessons
        {translations.map(({ _id, slug, language }) => (
          <span key={_id}>
            {" · "}
            <Link href={toPath(slug)}>{language}</Link>
          </span>
        ))}
      </p>
      <Outline parts={course.tree} course={course} slugs={slugs} />
    </main>
  );
}

async function read(params) {
  const course = await getCourse(decodeURIComponent((await params).course));
  return course ?? notFound();
}

/** Lists the course in all its languages if there are several. */
async function listTranslations(course) {
  const originalOf = ({ _id, translationOf }) => translationOf || _id;
  const group = (await listCourses()).filter((each) => originalOf(each) === originalOf(course) && each.language !== "");
  return group.length > 1 ? group : [];
}
