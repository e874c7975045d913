// Loads optional scripts on demand.

/** `typeset-math.ts`: renders a formula in an element. Throws if the formula is invalid. */
export type TypesetMath = (source: string, element: HTMLElement, isDisplayed: boolean) => void;
/** `highlight-code.ts`: returns code as HTML, or undefined if the language is unknown. */
export type HighlightCode = (code: string, language: string) => string | undefined;

interface Loaded {
  typesetMath: TypesetMath;
  highlightCode: HighlightCode;
}

const scripts = new Map<string, Promise<unknown>>();

/** Loads a script and its stylesheet once. Returns undefined if loading fails; the next lesson retries. */
export async function loadScript<Name extends keyof Loaded>(name: Name): Promise<Loaded[Name] | undefined> {
  const loading = scripts.get(name) ?? load(name);
  scripts.set(name, loading);
  try {
    await loading;
    return (globalThis as unknown as Partial<Loaded>)[name];
  } catch {
    scripts.delete(name);
    return undefined;
  }
}

async function load(name: string): Promise<void> {
  const { [name]: address, [`${name}Style`]: style } = document.documentElement.dataset;
  const waits: Promise<void>[] = [];
  if (style !== undefined) {
    const link = document.createElement("link");
    link.rel = "stylesheet";
    link.href = style;
    waits.push(append(link));
  }
  const script = document.createElement("script");
  script.src = address ?? "";
  waits.push(append(script));
  await Promise.all(waits);
}

async function append(element: HTMLElement): Promise<void> {
  const loaded = new Promise<void>((resolve, reject) => {
    element.addEventListener("load", () => resolve(), { once: true });
    element.addEventListener("error", () => reject(new Error("cannot be loaded")), { once: true });
  });
  document.head.append(element);
  return loaded;
}
