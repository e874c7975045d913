// Sanitizes untrusted HTML by keeping only what the allowlist contains.
import sanitize from "sanitize-html";
import { UnreadableText } from "../limits.ts";
import { readHtml } from "./read-html.ts";

const words = (text: string): string[] => text.split(" ");

// Excludes event handlers, form URLs and style attributes. Also excludes SVG, MathML, style and noscript elements,
// whose content has its own parsing rules.
const OPTIONS: sanitize.IOptions & { allowedEmptyAttributes: string[] } = {
  allowedTags: words(
    "a abbr address article aside audio b bdi bdo blockquote br caption cite code col colgroup data dd del details dfn div dl " +
      "dt em fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr i iframe img input ins kbd label legend " +
      "li main mark menu nav ol optgroup option p picture pre q rp rt ruby s samp section select small source span strong sub " +
      "summary sup table tbody td textarea tfoot th thead time tr track u ul var video wbr",
  ),
  nonTextTags: words("script style noscript template svg math title object applet noembed noframes xmp plaintext"),
  allowedAttributes: {
    "*": words(
      "id class title lang dir role hidden tabindex aria-label aria-labelledby aria-describedby aria-hidden align data-answers " +
        "data-callout data-correct data-course-id data-editable data-if data-lesson-id data-option data-options data-question " +
        "data-theme data-title data-tolerance data-unresolved",
    ),
    a: words("href name target rel download hreflang"),
    audio: words("src controls loop muted preload"),
    col: ["span"],
    colgroup: ["span"],
    data: ["value"],
    del: words("cite datetime"),
    details: words("open name"),
    fieldset: ["disabled"],
    form: [{ name: "method", values: ["dialog"] }],
    iframe: words("src width height allowfullscreen loading sandbox referrerpolicy"),
    img: words("src srcset sizes alt width height loading"),
    input: words("type name value checked disabled inputmode autocomplete placeholder min max step size"),
    ins: words("cite datetime"),
    label: ["for"],
    li: ["value"],
    ol: words("start type reversed"),
    optgroup: words("label disabled"),
    option: words("value selected disabled label"),
    q: ["cite"],
    blockquote: ["cite"],
    select: words("name multiple disabled"),
    source: words("src srcset sizes type media width height"),
    td: words("colspan rowspan headers"),
    textarea: words("name rows cols placeholder disabled"),
    th: words("colspan rowspan headers scope abbr"),
    time: ["datetime"],
    track: words("src kind srclang label default"),
    video: words("src poster controls loop muted preload width height playsinline"),
  },
  allowedSchemes: words("http https mailto tel"),
  allowedSchemesByTag: { img: words("http https data"), iframe: words("http https") },
  allowedEmptyAttributes: words("alt class data-unresolved href id title value"),
  allowedSchemesAppliedToAttributes: words("href src cite poster"),
};

const MAX_LEVELS = 1000;

/**
 * Removes everything outside the allowlist and keeps links as written. Throws UnreadableText if sanitizing the result
 * again would change it, since browsers could then parse the result differently from the sanitizer.
 */
export function sanitizeHtml(html: string): string {
  if (!/[<>&]/.test(html)) return html;
  // Browsers read what a frame contains as text, up to the first `</iframe>`.
  const clean = cleanHtml(html).replace(/(<iframe[^>]*>).*?(?:<\/iframe>|$)/gs, "$1</iframe>");
  if (cleanHtml(clean) === clean) return clean;
  throw new UnreadableText("the HTML cannot be sanitized: browsers would read the result differently", "syntax");
}

// The parser takes time for each open element at each tag.
function cleanHtml(html: string): string {
  let level = 0;
  const onOpenTag = (): void => {
    level++;
    if (level > MAX_LEVELS)
      throw new UnreadableText(
        `the HTML cannot be sanitized: it has more than ${MAX_LEVELS} nested elements`,
        "syntax",
      );
  };
  return sanitize(html, { ...OPTIONS, onOpenTag, onCloseTag: () => void level-- });
}

/** Returns the scheme of a URL, such as `data:`, if sanitized texts must not contain it; undefined for other URLs. */
export function findRefusedScheme(url: string): string | undefined {
  // Browsers ignore these characters before a URL, and some of them inside.
  const [scheme] = /^[a-z][a-z\d+.-]*:/.exec(url.replaceAll(/[\0- ]/g, "").toLowerCase()) ?? [];
  return scheme === undefined || ["http:", "https:", "mailto:", "tel:"].includes(scheme) ? undefined : scheme;
}

/** Lists the tags and attributes that sanitizing removed, in order, such as `<script>` and `onclick of <a>`. */
export function listRemoved(html: string, clean: string): string[] {
  const kept = listParts(clean);
  return [...listParts(html)].flatMap(([part, count]) => ((kept.get(part) ?? 0) < count ? [part] : []));
}

function listParts(html: string): Map<string, number> {
  const counts = new Map<string, number>();
  const add = (part: string): void => void counts.set(part, (counts.get(part) ?? 0) + 1);
  readHtml(html, {
    isWanted: () => true,
    onTag({ name, attributes }) {
      add(`<${name}>`);
      for (const attribute of attributes) add(`${attribute.name} of <${name}>`);
    },
  });
  return counts;
}
