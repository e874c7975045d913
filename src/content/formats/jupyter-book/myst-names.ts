// The names of MyST's directives, and the attributes of their elements.
import type { Directive } from "./myst-syntax.ts";
import type { Attributes } from "./myst-tokens.ts";

/**
 * Directives that render like others: older names, and directives of sphinx-tabs, sphinx-panels and sphinx-proof.
 */
export const ALIASES: Record<string, string> = {
  accordion: "grid",
  "accordion-item": "dropdown",
  "card-carousel": "grid",
  "card-deck": "grid",
  container: "div",
  "group-tab": "tab-item",
  hlist: "grid",
  compound: "grid",
  proof: "prf:proof",
  tab: "tab-item",
  tabbed: "tab-item",
  tabs: "tab-set",
  "button-ref": "button-link",
  "link-button": "button-link",
  "code-block": "code",
  details: "dropdown",
  epigraph: "blockquote",
  highlights: "blockquote",
  margin: "aside",
  prompt: "code",
  "pull-quote": "blockquote",
  sidebar: "aside",
  sourcecode: "code",
  toggle: "dropdown",
  topic: "aside",
};
/** Directives that show code, each with the code's language. */
export const CODES: Record<string, string> = {
  doctest: "python",
  graphviz: "dot",
  ipython: "python",
  "jupyter-execute": "python",
  mermaid: "mermaid",
  "parsed-literal": "",
  plantuml: "plantuml",
  uml: "plantuml",
};
/** Directives that show nothing: they are for a site's navigation and indexes. */
export const SILENT: ReadonlySet<string> = new Set(
  "tableofcontents toctree contents toc index meta sectionauthor codeauthor".split(" "),
);
/** The beginnings of video URLs, by directive. */
export const VIDEOS: Record<string, string> = {
  iframe: "",
  video: "",
  vimeo: "https://vimeo.com/",
  youtube: "https://www.youtube.com/watch?v=",
};

/** Callout kinds by directive. */
export const ADMONITIONS: Record<string, string> = {
  admonition: "note",
  attention: "warning",
  caution: "caution",
  danger: "caution",
  error: "caution",
  hint: "tip",
  important: "important",
  note: "note",
  seealso: "note",
  tip: "tip",
  warning: "warning",
};
export const CALLOUT: Attributes = [
  ["class", "callout"],
  ["data-callout", "note"],
];
export const VERSIONS: Record<string, string> = {
  versionadded: "Added in version",
  versionchanged: "Changed in version",
  deprecated: "Deprecated since version",
};

export const toId = (options: ReadonlyMap<string, string>): Attributes => {
  const label = options.get("name") ?? options.get("label");
  return label === undefined ? [] : [["id", label]];
};
export const toClass = ({ argument, options }: Directive): Attributes => {
  const name = [argument, options.get("class") ?? ""].join(" ").trim();
  return name === "" ? [] : [["class", name]];
};
export const toCallout = ({ options }: Directive, kind: string): Attributes => [
  ["class", "callout"],
  ["data-callout", kind],
  ...toId(options),
];
export const toOption = (title: string): Attributes => [
  ["class", "option"],
  ["data-option", title],
];

export const toTitle = (name: string): string =>
  name === "seealso" ? "See also" : name.charAt(0).toUpperCase() + name.slice(1);
export const toUrl = (written: string): string => written.replace(/[<>\n]/g, "");
export const isOn = (options: ReadonlyMap<string, string>, name: string): boolean =>
  options.has(name) && options.get(name) !== "false";
