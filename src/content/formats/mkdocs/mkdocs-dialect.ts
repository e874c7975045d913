// The Markdown of a site: what its configuration switches on.
import type { MarkdownDialect } from "../../markdown/dialects.ts";
import { environmentOf } from "../../markdown/markdown-environment.ts";
import type { Extensions } from "./mkdocs-extensions.ts";

/** Makes the dialect of a site of what other sites have, and its extensions; `addRules` has `addMkdocsRules` in it. */
export function createMkdocsDialect(
  base: MarkdownDialect,
  extensions: Extensions,
  addRules: MarkdownDialect["addRules"],
): MarkdownDialect {
  const has = (name: string): boolean => extensions.has(name);
  return {
    ...base,
    extensions: new Set(extensions.keys()),
    hasTexMath: base.hasTexMath || has("pymdownx.arithmatex"),
    hasTexEnvironments: has("pymdownx.arithmatex"),
    hasAttributes: has("attr_list"),
    hasScripts: has("pymdownx.caret") || has("pymdownx.tilde"),
    addRules,
  };
}

/** True where the configuration of the text's site names one of the extensions. */
export function hasExtension(state: { env: unknown }, ...names: string[]): boolean {
  const { extensions } = environmentOf(state).dialect;
  return extensions !== undefined && names.some((name) => extensions.has(name));
}
