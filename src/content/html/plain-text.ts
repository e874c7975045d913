import { Parser } from "htmlparser2";

/** Returns the visible text of HTML, with white space collapsed. */
export function toPlainText(html: string): string {
  const parts: string[] = [];
  let silent = 0;
  const isSilent = (name: string): boolean => name === "script" || name === "style";
  const parser = new Parser({
    onopentagname: (name) => {
      if (isSilent(name)) silent++;
      // Block boundaries separate words.
      if (/^(?:p|div|br|li|h[1-6]|t[dhr])$/.test(name)) parts.push(" ");
    },
    onclosetag: (name) => {
      if (isSilent(name)) silent--;
    },
    ontext: (text) => {
      if (silent === 0) parts.push(text);
    },
  });
  parser.end(html);
  return parts.join("").replace(/\s+/g, " ").trim();
}
