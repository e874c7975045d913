// Finds the start tags of HTML as browsers do (HTML Standard, section 13.2.5): not in comments, scripts or other raw
// text.

export interface HtmlAttribute {
  /** The name in lower case. */
  name: string;
  /** The value as written, with undecoded character references; "" if absent. */
  value: string;
  /** The position where the name begins; `end` is the position after the attribute. */
  start: number;
  end: number;
}

export interface StartTag {
  /** The name in lower case. */
  name: string;
  nameEnd: number;
  attributes: HtmlAttribute[];
}

/** Elements whose content is raw text. */
const RAW = new Set(["style", "xmp", "iframe", "noembed", "noframes", "textarea", "title", "script"]);

/** Yields the start tags in HTML, in order. */
export function* listStartTags(html: string): Generator<StartTag> {
  let at = html.indexOf("<");
  // The depth in SVG and MathML, where `<title/>` closes itself.
  let foreign = 0;
  while (at !== -1) {
    const next = html.charCodeAt(at + 1);
    let end: number;
    if (isLetter(next)) {
      const tag = readTag(html, at + 1);
      if (tag === undefined) return;
      yield tag;
      end = tag.end;
      const { name, isSelfClosing } = tag;
      if (name === "svg" || name === "math") foreign += isSelfClosing ? 0 : 1;
      if (name === "plaintext") return;
      if (RAW.has(name) && !(isSelfClosing && foreign > 0)) end = findRawEnd(html, end, name);
    } else if (next === SLASH && isLetter(html.charCodeAt(at + 2))) {
      const tag = readTag(html, at + 2);
      if (tag === undefined) return;
      if ((tag.name === "svg" || tag.name === "math") && foreign > 0) foreign--;
      end = tag.end;
    } else if (html.startsWith("<!--", at)) {
      end = findCommentEnd(html, at + 4);
    } else if (foreign > 0 && html.startsWith("<![CDATA[", at)) {
      end = findBehind(html, "]]>", at + 9);
    } else if (next === BANG || next === QUESTION || next === SLASH) {
      end = findBehind(html, ">", at + 2);
    } else {
      end = at + 1;
    }
    at = html.indexOf("<", end);
  }
}

interface ReadTag extends StartTag {
  end: number;
  isSelfClosing: boolean;
}

/** Returns undefined for an unfinished tag, which browsers drop. */
function readTag(html: string, start: number): ReadTag | undefined {
  let at = start;
  while (at < html.length && !isNameEnd(html.charCodeAt(at))) at++;
  const nameEnd = at;
  const attributes: HtmlAttribute[] = [];
  while (at < html.length) {
    const code = html.charCodeAt(at);
    if (code === GREATER) {
      const isSelfClosing = html.charCodeAt(at - 1) === SLASH && attributes.at(-1)?.end !== at;
      return { name: html.slice(start, nameEnd).toLowerCase(), nameEnd, attributes, end: at + 1, isSelfClosing };
    }
    if (isSpace(code) || code === SLASH) {
      at++;
      continue;
    }
    const attribute = readAttribute(html, at);
    attributes.push(attribute);
    at = attribute.end;
  }
  return undefined;
}

function readAttribute(html: string, start: number): HtmlAttribute {
  // The name of an attribute can begin with `=`.
  let at = start + 1;
  while (at < html.length && !isNameEnd(html.charCodeAt(at)) && html.charCodeAt(at) !== EQUALS) at++;
  const [name, nameEnd] = [html.slice(start, at).toLowerCase(), at];
  at = skipSpace(html, at);
  if (html.charCodeAt(at) !== EQUALS) return { name, value: "", start, end: nameEnd };
  at = skipSpace(html, at + 1);
  const quote = html.charCodeAt(at);
  if (quote === DOUBLE_QUOTE || quote === SINGLE_QUOTE) {
    const end = html.indexOf(String.fromCharCode(quote), at + 1);
    if (end === -1) return { name, value: "", start, end: html.length };
    return { name, value: html.slice(at + 1, end), start, end: end + 1 };
  }
  const valueStart = at;
  while (at < html.length && !isSpace(html.charCodeAt(at)) && html.charCodeAt(at) !== GREATER) at++;
  return { name, value: html.slice(valueStart, at), start, end: at };
}

/** Returns the end of a raw element's content: its end tag or the end of the HTML. */
function findRawEnd(html: string, start: number, name: string): number {
  // In a comment in a script, `<script>` and `</script>` nest.
  let [isComment, isNested] = [false, false];
  for (let at = start; at < html.length; at++) {
    const code = html.charCodeAt(at);
    if (code === DASH && isComment && html.startsWith("-->", at)) [isComment, isNested] = [false, false];
    if (code !== LESS) continue;
    if (isTagOf(html, at + 1, `/${name}`)) {
      if (!isNested) return at;
      isNested = false;
    } else if (name === "script" && isComment) {
      isNested ||= isTagOf(html, at + 1, "script");
    } else if (name === "script" && html.startsWith("<!--", at)) {
      isComment = true;
      at++;
    }
  }
  return html.length;
}

function isTagOf(html: string, at: number, name: string): boolean {
  const end = at + name.length;
  return isNameEnd(html.charCodeAt(end)) && html.slice(at, end).toLowerCase() === name;
}

function findCommentEnd(html: string, start: number): number {
  if (html.startsWith(">", start)) return start + 1;
  if (html.startsWith("->", start)) return start + 2;
  for (let at = html.indexOf("--", start); at !== -1; at = html.indexOf("--", at + 1)) {
    if (html.charCodeAt(at + 2) === GREATER) return at + 3;
    if (html.startsWith("!>", at + 2)) return at + 4;
  }
  return html.length;
}

function findBehind(html: string, mark: string, start: number): number {
  const at = html.indexOf(mark, start);
  return at === -1 ? html.length : at + mark.length;
}

const [BANG, DOUBLE_QUOTE, SINGLE_QUOTE, DASH, SLASH, LESS, EQUALS, GREATER, QUESTION] = [
  33, 34, 39, 45, 47, 60, 61, 62, 63,
];

function skipSpace(html: string, start: number): number {
  let at = start;
  while (isSpace(html.charCodeAt(at))) at++;
  return at;
}

function isLetter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90);
}

function isSpace(code: number): boolean {
  return code === 32 || code === 9 || code === 10 || code === 12 || code === 13;
}

function isNameEnd(code: number): boolean {
  return isSpace(code) || code === SLASH || code === GREATER;
}
