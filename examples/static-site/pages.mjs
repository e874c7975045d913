// Renders the pages of the site.
import { isVideoFile, rewriteImages, rewriteLinks, toPlayer } from "@lectern/client/html";

const TITLE = "Courses";
const ABSOLUTE = /^(?:[a-z][a-z0-9+.-]*:|\/\/|#)/i;

/** Escapes a value for text and attributes. */
const escape = (text) => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
const link = ({ path }, text, more = "") => `<a href="${escape(path)}"${more}>${escape(text)}</a>`;
const nameOf = ({ course, lesson }) => (lesson ?? course).name;
const minutesOf = (minutes) => (minutes > 90 ? `${Math.round(minutes / 60)} h` : minutes > 0 ? `${minutes} min` : "");
const languageOf = (tag) => new Intl.DisplayNames([tag], { type: "language" }).of(tag);

function renderPage({ page, title, description, language, main, alternates = [] }, { site, search }) {
  const address = escape(new URL(page.path, site).href);
  const hreflangs = alternates.map(({ course, path }) => `<link rel="alternate" hreflang="${escape(course.language)}" href="${escape(new URL(path, site).href)}">`);
  const root = escape(site.pathname);
  const attributes = search ? ` data-url="${escape(search.baseUrl)}" data-key="${escape(search.searchKey)}"` : "";
  return `<!doctype html>
<html lang="${escape(language || "en")}" dir="auto" data-root="${root}"${attributes}>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(title)}</title>
<meta name="description" content="${escape(description)}">
<link rel="canonical" href="${address}">
${hreflangs.join("\n")}
<meta property="og:title" content="${escape(title)}">
<link rel="alternate" type="application/atom+xml" href="${root}feed.xml">
<link rel="stylesheet" href="${root}style.css">
<link rel="stylesheet" href="${root}site.css">
<script type="module" src="${root}site.js"></script>
<body>
<header class="top"><a href="${root}">${TITLE}</a>${search ? '<div class="search"><input type="search" placeholder="Search" aria-label="Search"><ol></ol></div>' : ""}</header>
${main}
</body>
</html>
`;
}

export function renderFront(courses, context) {
  const card = (course) => {
    const page = context.pages.get(course._id);
    const told = [course.language && languageOf(course.language), ...course.tags].filter(Boolean).map((each) => `<li>${escape(each)}</li>`);
    return `<li class="card"><h2>${link(page, course.name)}</h2><p>${escape(course.description)}</p><ul class="tags">${told.join("")}</ul></li>`;
  };
  const main = `<main class="front"><h1>${TITLE}</h1><ul class="cards">${courses.map(card).join("")}</ul></main>`;
  return renderPage({ page: { path: context.site.pathname }, title: TITLE, description: "", language: "en", main }, context);
}

export function renderCourse(page, context) {
  const { course } = page;
  const others = course.translations.map(({ courseId }) => context.pages.get(courseId)).filter(Boolean);
  const lessons = course.chapters.flatMap((chapter) => chapter.lessons);
  const told = [`${lessons.length} lessons`, minutesOf(course.durationMinutes ?? sum(lessons.map(({ readingMinutes }) => readingMinutes)))];
  const { alternates, languages } = listLanguages(page, others);
  const main = `<main class="course"><h1>${escape(course.name)}</h1><p>${escape(course.description)}</p>
<p class="told">${[...told.filter(Boolean), ...languages].join(" · ")}</p>${renderOutline(page, context)}</main>`;
  return renderPage({ page, title: course.name, description: course.description, language: course.language, main, alternates }, context);
}

export function renderLesson(page, context) {
  const { course, chapter, lesson, previous, next } = page;
  const { url, additionalText, quizHtml, editUrl } = lesson;
  const coursePage = context.pages.get(course._id);
  const crumbs = [link(coursePage, course.name), ...new Set([chapter.name, ...lesson.section])].map((each, index) => `<li>${index === 0 ? each : escape(each)}</li>`);
  const [before, after] = [previous, next].map((key) => key && context.pages.get(key));
  const others = lesson.translations.map(({ courseId, lessonId }) => context.pages.get(`${courseId}/${lessonId}`)).filter(Boolean);
  const { alternates, languages } = listLanguages(page, others);
  const told = [minutesOf(lesson.durationMinutes ?? lesson.readingMinutes), editUrl && `<a href="${escape(editUrl)}">Edit this page</a>`];
  const main = `<div class="columns"><nav class="outline" aria-label="Lessons"><details open><summary>${escape(course.name)}</summary>${renderOutline(coursePage, context, page)}</details></nav>
<main><ol class="crumbs">${crumbs.join("")}</ol><h1>${escape(lesson.name)}</h1><p class="told">${[...told.filter(Boolean), ...languages].join(" · ")}</p>
<article class="lesson">${renderVideo(url)}${resolve(additionalText, context)}${resolve(quizHtml, context)}</article>
<nav class="neighbors" aria-label="Neighbors">${before ? link(before, `← ${nameOf(before)}`, ' rel="prev"') : "<span></span>"}${after ? link(after, `${nameOf(after)} →`, ' rel="next"') : ""}</nav></main></div>`;
  return renderPage({ page, title: `${lesson.name} · ${course.name}`, description: lesson.description, language: course.language, main, alternates }, context);
}

/** Links to translations, for the head and the body. */
function listLanguages(page, others) {
  const named = others.filter(({ course }) => course.language !== "");
  const toLink = (each) => link(each, languageOf(each.course.language), ` hreflang="${escape(each.course.language)}" rel="alternate"`);
  return { alternates: named.length > 0 && page.course.language ? [page, ...named] : [], languages: named.map(toLink) };
}

/** Renders a course's lessons in sections; `current` is the page that shows the outline. */
function renderOutline({ course }, { pages }, current) {
  const render = (part) => {
    if ("parts" in part) return `<li><span>${escape(part.name)}</span><ol>${part.parts.map(render).join("")}</ol></li>`;
    const page = pages.get(`${course._id}/${part.id}`);
    return `<li>${link(page, part.name, page === current ? ' aria-current="page"' : "")}</li>`;
  };
  return `<ol>${course.tree.map(render).join("")}</ol>`;
}

/** Points links to this site's pages. If you do not trust the authors, sanitize their HTML here. */
function resolve(html, { pages }) {
  const linked = rewriteLinks(html, ({ href, fragment, courseId, lessonId }) => {
    if (courseId === undefined) return ABSOLUTE.test(href) ? undefined : null;
    const page = pages.get(lessonId === undefined ? courseId : `${courseId}/${lessonId}`);
    // Remove links to drafts, which have no page.
    return page ? page.path + (hasPlace(page, fragment) ? fragment : "") : null;
  });
  return rewriteImages(linked, ({ src }) => (ABSOLUTE.test(src) ? undefined : null));
}

/** Returns false if the lesson no longer contains the heading: then the link leads to the page. */
function hasPlace({ lesson }, fragment) {
  const id = URL.canParse(fragment, "http://x/") ? decodeURIComponent(fragment.slice(1).replace(/%(?![\da-f]{2})/gi, "%25")) : "";
  return lesson?.additionalText.includes(`"${escape(id)}"`) || lesson?.additionalText.includes(`"${id}"`);
}

function renderVideo(url) {
  if (url === "") return "";
  if (isVideoFile(url)) return `<video controls preload="metadata" src="${escape(url)}"></video>`;
  const player = toPlayer(url);
  if (player === undefined) return `<p><a href="${escape(url)}">Video</a></p>`;
  return `<iframe src="${escape(player.src)}" title="${player.title}" loading="lazy" allowfullscreen></iframe>`;
}

export function renderRedirect({ path }, { site }) {
  return `<!doctype html>\n<link rel="canonical" href="${escape(new URL(path, site).href)}"><meta http-equiv="refresh" content="0; url=${escape(path)}">\n`;
}

export function renderSitemap({ site, pages }) {
  const entries = [...pages.values()].map(({ path, course, lesson }) => `<url><loc>${escape(new URL(path, site).href)}</loc><lastmod>${(lesson ?? course).updatedAt}</lastmod></url>`);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${entries.join("\n")}\n</urlset>\n`;
}

/** The 30 most recently changed lessons. */
export function renderFeed({ site, pages }) {
  const lessons = [...pages.values()].filter(({ lesson }) => lesson).sort((a, b) => (a.lesson.updatedAt < b.lesson.updatedAt ? 1 : -1)).slice(0, 30);
  const entries = lessons.map(({ path, lesson }) => {
    const address = escape(new URL(path, site).href);
    return `<entry><title>${escape(lesson.name)}</title><id>${address}</id><link href="${address}"/><updated>${lesson.updatedAt}</updated><summary>${escape(lesson.description)}</summary></entry>`;
  });
  const updated = lessons[0]?.lesson.updatedAt ?? "1970-01-01T00:00:00.000Z";
  return `<?xml version="1.0" encoding="UTF-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom"><title>${TITLE}</title><id>${escape(site.href)}</id><author><name>${TITLE}</name></author><link href="${escape(site.href)}"/><updated>${updated}</updated>\n${entries.join("\n")}\n</feed>\n`;
}

function sum(numbers) {
  return numbers.reduce((total, each) => total + each, 0);
}
