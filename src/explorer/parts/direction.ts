/** Languages that are written from right to left if their tag names no script. */
const RIGHT_TO_LEFT = new Set([
  "ar",
  "arc",
  "ckb",
  "dv",
  "fa",
  "he",
  "ks",
  "ku-arab",
  "ps",
  "sd",
  "syr",
  "ug",
  "ur",
  "yi",
]);
const RIGHT_TO_LEFT_SCRIPTS = new Set(["adlm", "arab", "hebr", "nkoo", "syrc", "thaa"]);

/** Returns the direction of a language, such as `ar` or `az-Arab`; for "", that of the first letter in `text`. */
export function findDirection(language: string, text: string): "ltr" | "rtl" {
  const [primary = "", ...subtags] = language.toLowerCase().split("-");
  const script = subtags.find((subtag) => subtag.length === 4);
  if (script !== undefined) return RIGHT_TO_LEFT_SCRIPTS.has(script) ? "rtl" : "ltr";
  if (primary !== "") return RIGHT_TO_LEFT.has(primary) ? "rtl" : "ltr";
  const [letter = ""] = /\p{L}/u.exec(text) ?? [];
  return /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u.test(
    letter,
  )
    ? "rtl"
    : "ltr";
}
