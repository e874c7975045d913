import { loadScript } from "./loaded-scripts.ts";

const LANGUAGE = /(?:^|\s)lang(?:uage)?-([\w+#.-]+)/;
/** Longer code takes a browser too long to read; it stays without colours. */
const MAX_LENGTH = 60_000;

/** The code blocks under `root` that can have colours. */
export function listCode(root: ParentNode): Element[] {
  return [...root.querySelectorAll("pre > code[class]")].filter(
    (code) => code.childElementCount === 0 && code.textContent.length <= MAX_LENGTH && LANGUAGE.test(code.className),
  );
}

/** Colours a code block; its size stays as it is. */
export async function colourCode(code: Element): Promise<void> {
  const [, language = ""] = LANGUAGE.exec(code.className) ?? [];
  const highlight = await loadScript("highlightCode");
  const html = highlight?.(code.textContent, language.toLowerCase());
  if (html !== undefined) code.innerHTML = html;
}
