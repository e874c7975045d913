// Formulas, built as a file of its own: most lessons have none.
import { render } from "katex";
import type { TypesetMath } from "./loaded-scripts.ts";

const typesetMath: TypesetMath = (source, element, displayMode) => {
  // `maxSize` is in em: a formula can be written that is as wide as a city.
  render(source, element, { displayMode, throwOnError: true, strict: false, trust: false, maxSize: 50 });
};
Object.assign(globalThis, { typesetMath });
