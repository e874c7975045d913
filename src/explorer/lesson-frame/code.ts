import { loadScript } from "./loaded-scripts.ts";

const LANGUAGE = /(?:^|\s)lang(?:uage)?-([\w+#.-]+)/;
/** Longer code takes a browser too long to read; it stays without colours. */
const MAX_LENGTH = 60_000;

/** Colours for the code blocks of one lesson, each when it comes into sight. Its size stays as it is. */
export interface CodeColours {
  /** Takes the code blocks under an element. */
  add(root: ParentNode): void;
  /** The lesson is not shown any more. */
  end(): void;
}

export function createCodeColours(): CodeColours {
  const observer = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      observer.unobserve(target);
      void colour(target);
    }
  });
  return {
    add(root) {
      for (const code of root.querySelectorAll("pre > code[class]")) {
        const isPlain = code.childElementCount === 0 && code.textContent.length <= MAX_LENGTH;
        if (isPlain && LANGUAGE.test(code.className)) observer.observe(code);
      }
    },
    end: () => observer.disconnect(),
  };
}

async function colour(code: Element): Promise<void> {
  const [, language = ""] = LANGUAGE.exec(code.className) ?? [];
  const highlight = await loadScript("highlightCode");
  const html = highlight?.(code.textContent, language.toLowerCase());
  if (html !== undefined) code.innerHTML = html;
}
