// Runs quizzes and tabs, and searches as you type if the build had a search key.
import { createCatalogClient } from "./client.js";
import { renderQuiz, renderTabs } from "./html.js";

const { lang, dataset } = document.documentElement;
renderQuiz(document, { language: lang });
renderTabs(document);
const outline = document.querySelector(".outline");
if (outline !== null && matchMedia("(width < 60rem)").matches) outline.querySelector("details").open = false;
else if (outline !== null) outline.scrollTop = outline.querySelector("[aria-current]").offsetTop - outline.clientHeight / 2;

const field = document.querySelector(".search input");
if (field !== null) {
  const catalog = createCatalogClient({ baseUrl: dataset.url, apiKey: dataset.key, cache: new Map() });
  const paths = fetch(`${dataset.root}paths.json`).then((response) => response.json());
  let running = new AbortController();
  const show = async () => {
    running.abort();
    running = new AbortController();
    const { signal } = running;
    // The service can refuse a single letter with status 400.
    const explain = ({ status }) => (status === 400 ? { results: [] } : undefined);
    const page = field.value.trim() === "" ? { results: [] } : await catalog.search(field.value, { limit: 8, signal }).catch(explain);
    if (signal.aborted) return;
    const all = await paths;
    const entries = page?.results.map(({ courseId, courseName, lessonId, lessonName, headingId, excerpt }) => {
      const entry = document.createElement("li");
      const link = document.createElement("a");
      link.href = (all[lessonId ? `${courseId}/${lessonId}` : courseId] ?? dataset.root) + (headingId && `#${encodeURIComponent(headingId)}`);
      link.textContent = lessonId ? `${courseName}: ${lessonName}` : courseName;
      const text = document.createElement("p");
      // The service escapes the excerpt; only <mark> is markup.
      text.innerHTML = excerpt;
      entry.append(link, text);
      return entry;
    });
    document.querySelector(".search ol").replaceChildren(...(entries ?? ["Search is unavailable."]));
  };
  field.addEventListener("input", () => void show());
}
