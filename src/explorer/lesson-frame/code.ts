import { loadScript } from "./loaded-scripts.ts";

const LANGUAGE = /(?:^|\s)lang(?:uage)?-([\w+#.-]+)/;
/** The maximum number of characters in a highlighted block: longer code takes too long to highlight. */
const MAX_LENGTH = 60_000;

/** Lists the code blocks under `root` that name a language and are not too long. */
export function listCode(root: ParentNode): Element[] {
  return [...root.querySelectorAll("pre > code[class]")].filter(
    (code) => code.childElementCount === 0 && code.textContent.length <= MAX_LENGTH && LANGUAGE.test(code.className),
  );
}

/** Highlights a code block without changing its size. */
export async function colorCode(code: Element): Promise<void> {
  const [, language = ""] = LANGUAGE.exec(code.className) ?? [];
  const highlight = await loadScript("highlightCode");
  const html = highlight?.(code.textContent, language.toLowerCase());
  if (html !== undefined) code.innerHTML = html;
}
