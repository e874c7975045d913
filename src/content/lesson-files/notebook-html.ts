// Filters the HTML of outputs: keeps only tables and simple text elements.
import { Parser } from "htmlparser2";
import { escapeHtml } from "../html/escape.ts";

const TAGS = new Set(
  `table caption thead tbody tfoot tr th td p br b strong i em u s small code kbd samp var pre sub sup mark q abbr ul ol li dl dt dd
  h1 h2 h3 h4 h5 h6`.split(/\s+/),
);
const VOID = new Set(["br"]);
const SILENT = new Set("script style template noscript svg math head title iframe textarea".split(" "));
const ATTRIBUTES = new Set(["colspan", "rowspan", "scope"]);

/**
 * Returns the tables and text of HTML, without styles, classes, ids and URLs. Returns undefined if nothing remains, or
 * if filtering the result again would change it.
 */
export function fenceHtml(html: string): string | undefined {
  const fenced = fenceOnce(html);
  return fenced.trim() === "" || fenceOnce(fenced) !== fenced ? undefined : fenced;
}

function fenceOnce(html: string): string {
  const parts: string[] = [];
  let silent = 0;
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (SILENT.has(name)) silent++;
        if (silent > 0 || !TAGS.has(name)) return;
        const kept = Object.entries(attributes).filter(
          ([attribute, value]) => ATTRIBUTES.has(attribute) && /^[a-z\d]{1,9}$/i.test(value),
        );
        parts.push(`<${[name, ...kept.map(([attribute, value]) => `${attribute}="${value}"`)].join(" ")}>`);
      },
      onclosetag(name) {
        if (SILENT.has(name)) silent--;
        else if (silent === 0 && TAGS.has(name) && !VOID.has(name)) parts.push(`</${name}>`);
      },
      ontext(text) {
        if (silent === 0) parts.push(escapeHtml(text));
      },
    },
    { lowerCaseTags: true },
  );
  parser.end(html);
  return parts.join("");
}
