// Decodes character references in attributes: `&amp;`, `&#38;`, `&#x26;`. Of HTML's 2,231 names, knows only those of
// ASCII characters, which URLs use, and those of Latin-1 characters.

/** The names of U+00A0 to U+00FF, in code point order. */
const LATIN =
  "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para " +
  "middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute " +
  "Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute " +
  "THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde " +
  "ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml";

/** Names, each followed by its character. */
const ASCII =
  'amp& AMP& lt< LT< gt> GT> quot" QUOT" apos\' Tab\t NewLine\n excl! num# dollar$ percnt% lpar( rpar) ast* midast* plus+ ' +
  "comma, period. sol/ colon: semi; equals= quest? commat@ lsqb[ lbrack[ bsol\\ rsqb] rbrack] Hat^ lowbar_ UnderBar_ grave` " +
  "DiacriticalGrave` lcub{ lbrace{ verbar| vert| VerticalLine| rcub} rbrace}";

const NAMED = new Map([
  ...ASCII.split(" ").map((each): [string, string] => [each.slice(0, -1), each.slice(-1)]),
  ...LATIN.split(" ").map((name, index): [string, string] => [name, String.fromCharCode(160 + index)]),
]);

/** Decodes an attribute value as browsers do, except names other than those above, which stay as written. */
export function decodeAttribute(text: string): string {
  let [decoded, from] = ["", 0];
  for (let at = text.indexOf("&"); at !== -1; at = text.indexOf("&", at + 1)) {
    const found = readReference(text, at + 1);
    if (found === undefined) continue;
    decoded += text.slice(from, at) + found.characters;
    from = found.end;
  }
  return decoded + text.slice(from);
}

/** Escapes a value for an attribute in double quotes. */
export function escapeAttribute(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

const NUMBER = /#(?:x([\da-f]+)|(\d+))/iy;
const NAME = /[\da-z]+/iy;

function readReference(text: string, start: number): { characters: string; end: number } | undefined {
  NUMBER.lastIndex = NAME.lastIndex = start;
  const [number, hexadecimal, decimal] = NUMBER.exec(text) ?? [];
  if (number !== undefined) {
    const code = hexadecimal === undefined ? Number(decimal) : Number.parseInt(hexadecimal, 16);
    const end = start + number.length;
    const isScalar = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
    return { characters: isScalar ? String.fromCodePoint(code) : "\ufffd", end: text[end] === ";" ? end + 1 : end };
  }
  const [name = ""] = NAME.exec(text) ?? [];
  const characters = NAMED.get(name);
  const end = start + name.length;
  if (characters === undefined) return undefined;
  if (text[end] === ";") return { characters, end: end + 1 };
  // Old names need no semicolon, except before `=` (HTML Standard, section 13.2.5.73).
  const isOld = characters >= "\u00a0" || ["amp", "lt", "gt", "quot"].includes(name.toLowerCase());
  return isOld && text[end] !== "=" ? { characters, end } : undefined;
}
