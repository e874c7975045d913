// Formulas, in a separate file because most lessons contain none.
import { render } from "katex";
import type { TypesetMath } from "./loaded-scripts.ts";

const typesetMath: TypesetMath = (source, element, displayMode) => {
  // `maxSize`, in em, limits absurdly large sizes in formulas.
  render(source, element, { displayMode, throwOnError: true, strict: false, trust: false, maxSize: 50 });
};
Object.assign(globalThis, { typesetMath });
