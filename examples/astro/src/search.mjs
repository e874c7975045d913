import { createCatalogClient } from "@lectern/client";

/** Searches as you type, on pages with a search field. */
export function openSearch() {
  const box = document.querySelector(".search");
  if (box === null) return;
  const [field, list] = box.children;
  const catalog = createCatalogClient({ baseUrl: box.dataset.url, apiKey: box.dataset.key, cache: new Map() });
  const paths = fetch("/paths.json").then((response) => response.json());
  let running = new AbortController();

  const show = async () => {
    running.abort();
    running = new AbortController();
    const { signal } = running;
    // The service can refuse a single letter with status 400.
    const explain = ({ status }) => (status === 400 ? { results: [] } : undefined);
    const page = field.value.trim() === "" ? { results: [] } : await catalog.search(field.value, { limit: 8, signal }).catch(explain);
    const all = await paths;
    if (signal.aborted) return;
    list.replaceChildren(...(page?.results.map((result) => renderResult(result, all)) ?? ["Search is unavailable."]));
  };
  field.addEventListener("input", () => void show());
}

function renderResult({ courseId, courseName, lessonId, lessonName, headingId, excerpt }, paths) {
  const entry = document.createElement("li");
  const link = document.createElement("a");
  link.href = (paths[lessonId ? `${courseId}/${lessonId}` : courseId] ?? "/") + (headingId && `#${encodeURIComponent(headingId)}`);
  link.textContent = lessonId ? `${courseName}: ${lessonName}` : courseName;
  const text = document.createElement("p");
  // The service escapes the excerpt; only <mark> is markup.
  text.innerHTML = excerpt;
  entry.append(link, text);
  return entry;
}
