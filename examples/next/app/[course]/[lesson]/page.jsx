import Link from "next/link";
import { notFound } from "next/navigation";
import { isVideoFile, toPlayer } from "@lectern/client/html";
import { getCourse, getLesson, listCourses, listLessons, resolve, toPath } from "../../catalog.mjs";
import { Lesson } from "../../lesson.jsx";
import { Outline } from "../../outline.jsx";

export async function generateStaticParams() {
  const all = (await listCourses()).map(async ({ slug: course }) => (await listLessons(course)).map(({ slug: lesson }) => ({ course, lesson })));
  return (await Promise.all(all)).flat();
}

export async function generateMetadata({ params }) {
  const { course, lesson } = await read(params);
  const canonical = toPath(course.slug, lesson.slug);
  const others = await listTranslations(lesson);
  const own = others.length > 0 ? { [course.language]: canonical } : {};
  const languages = { ...own, ...Object.fromEntries(others.map(({ language, path }) => [language, path])) };
  return { title: `${lesson.name} · ${course.name}`, description: lesson.description, alternates: { canonical, languages } };
}

export default async function LessonPage({ params }) {
  const { course, lesson } = await read(params);
  const { name, url, additionalText, quizHtml, editUrl, chapter, section, previous, next } = lesson;
  const slugs = new Map((await listLessons(course.slug)).map(({ id, slug }) => [id, slug]));
  const html = await resolve(additionalText + quizHtml);
  const player = toPlayer(url);
  const minutes = lesson.durationMinutes ?? lesson.readingMinutes;
  return (
    <div className="columns" lang={course.language || undefined}>
      <nav className="outline" aria-label="Lessons">
        <details open>
          <summary>{course.name}</summary>
          <Outline parts={course.tree} course={course} slugs={slugs} current={lesson.id} />
        </details>
      </nav>
      <main>
        <ol className="crumbs">
          <li>
            <Link href={toPath(course.slug)}>{course.name}</Link>
          </li>
          {[...new Set([chapter.name, ...section])].map((each) => (
            <li key={each}>{each}</li>
          ))}
        </ol>
        <h1>{name}</h1>
        <p className="told">
          {minutes > 0 && `${minutes} min `}
          {(await listTranslations(lesson)).map(({ language, path }) => (
            <Link key={path} href={path}>
              {`${language} · `}
            </Link>
          ))}
          {editUrl && <a href={editUrl}>Edit this page</a>}
        </p>
        <article className="lesson">
          {player && <iframe src={player.src} title={player.title} loading="lazy" allowFullScreen />}
          {isVideoFile(url) && <video controls preload="metadata" src={url} />}
          {url !== "" && !player && !isVideoFile(url) && <a href={url}>Video</a>}
          <Lesson html={html} language={course.language} />
        </article>
        <nav className="neighbors" aria-label="Neighbors">
          {previous ? (
            <Link rel="prev" href={toPath(course.slug, slugs.get(previous.id))}>
              ← {previous.name}
            </Link>
          ) : (
            <span />
          )}
          {next && (
            <Link rel="next" href={toPath(course.slug, slugs.get(next.id))}>
              {next.name} →
            </Link>
          )}
        </nav>
      </main>
    </div>
  );
}

/** Lists the lesson's pages in other languages. */
async function listTranslations({ translations }) {
  const slugs = new Map((await listCourses()).map(({ _id, slug }) => [_id, slug]));
  return translations.map(({ language, courseId, slug }) => ({ language, path: toPath(slugs.get(courseId), slug) }));
}

async function read(params) {
  const { course: courseSlug, lesson: slug } = await params;
  const course = await getCourse(decodeURIComponent(courseSlug));
  const lesson = course && (await getLesson(course.slug, decodeURIComponent(slug)));
  return lesson ? { course, lesson } : notFound();
}
