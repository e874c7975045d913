// Lists the Python-Markdown extensions of a site, with their options.
import { environmentOf } from "../../markdown/markdown-environment.ts";
import type { PlacedFields, PlacedValue } from "../../resolve/placed-value.ts";
import type { MkdocsConfig } from "./mkdocs-config.ts";

/** Options by extension: `admonition`, `pymdownx.snippets`. */
export type Extensions = ReadonlyMap<string, PlacedFields>;

const EXTRA = ["abbr", "attr_list", "def_list", "fenced_code", "footnotes", "md_in_html", "tables"];
/** The extensions in each bundle. */
const BUNDLES: Record<string, string[]> = {
  extra: EXTRA,
  "pymdownx.extra": [...EXTRA, "pymdownx.betterem", "pymdownx.superfences"],
};
/** Zensical's default extensions: https://zensical.org/docs/setup/extensions/ */
const ZENSICAL = [
  ...EXTRA,
  "admonition",
  ..."arithmatex betterem caret details emoji highlight inlinehilite keys magiclink mark smartsymbols superfences tabbed tasklist tilde"
    .split(" ")
    .map((name) => `pymdownx.${name}`),
];

/** For each plugin that adds syntax, the extension with the same syntax. */
const PLUGINS: Record<string, string> = {
  mkdocstrings: "mkdocstrings",
  autorefs: "autorefs",
  tags: "tags",
  "material/tags": "tags",
  mkdocs_quiz: "mkdocs_quiz",
  "mkdocs-video": "mkdocs-video",
  "mkdocs-audio": "mkdocs-audio",
  callouts: "pymdownx.quotes",
  "gh-admonitions": "pymdownx.quotes",
};

/** In a list of extensions, stands for the emoji extension's option of the same name. */
export const CUSTOM_ICONS = "custom_icons";

/** Reads `markdown_extensions`: a list, a mapping, or nested TOML tables. */
export function readExtensions({ fields, path }: MkdocsConfig): Extensions {
  const extensions = new Map<string, PlacedFields>();
  const add = (written: string, { value }: Pick<PlacedValue, "value">): void => {
    const name = written.replace(/^markdown\.extensions\./, "").replace(/:.*/, "");
    const options = value instanceof Map ? value : new Map();
    if (name === "pymdownx" || name === "zensical" || name === "markdown") return addAll(options, `${name}.`);
    for (const each of BUNDLES[name] ?? []) if (!extensions.has(each)) extensions.set(each, new Map());
    extensions.set(name, options);
    const { value: nested } = options.get("options") ?? {};
    if (name === "pymdownx.emoji" && nested instanceof Map && nested.has(CUSTOM_ICONS))
      extensions.set(CUSTOM_ICONS, nested);
  };
  const addAll = (named: PlacedFields, prefix = ""): void => {
    for (const [name, options] of named) add(prefix + name, options);
  };
  const { value } = fields.get("markdown_extensions") ?? {};
  for (const [name, options] of listNamed(value)) add(name, options);
  const { value: plugins } = fields.get("plugins") ?? {};
  for (const [name, options] of listNamed(plugins))
    if (Object.hasOwn(PLUGINS, name)) add(PLUGINS[name] ?? name, options);
  const isZensical = /zensical\.\w+$/.test(path) && value === undefined;
  if (isZensical) for (const name of ZENSICAL) add(name, { value: undefined });
  return extensions;
}

/** Reads names with their options, from a list or a mapping. */
export function listNamed(value: PlacedValue["value"]): [name: string, options: Pick<PlacedValue, "value">][] {
  if (value instanceof Map) return [...value];
  if (typeof value === "string") return [[value, { value: undefined }]];
  return Array.isArray(value) ? value.flatMap((item) => listNamed(item.value)) : [];
}

/** Returns true if the text's site uses one of the extensions. */
export function hasExtension(state: { env: unknown }, ...names: string[]): boolean {
  const { extensions } = environmentOf(state).dialect;
  return extensions !== undefined && names.some((name) => extensions.has(name));
}
