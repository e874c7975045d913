// Formulas, a separate file because most lessons have none.
import { render } from "katex";
import type { TypesetMath } from "./loaded-scripts.ts";

const typesetMath: TypesetMath = (source, element, displayMode) => {
  // `maxSize`, in em, limits absurdly wide formulas.
  render(source, element, { displayMode, throwOnError: true, strict: false, trust: false, maxSize: 50 });
};
Object.assign(globalThis, { typesetMath });
