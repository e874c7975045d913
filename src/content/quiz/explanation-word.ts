import { findByLanguage } from "../by-language.ts";

const WORDS: Record<string, string> = {
  ar: "الشرح",
  bn: "ব্যাখ্যা",
  de: "Erklärung",
  en: "Explanation",
  es: "Explicación",
  fa: "توضیح",
  fr: "Explication",
  hi: "व्याख्या",
  id: "Penjelasan",
  it: "Spiegazione",
  ja: "解説",
  ko: "설명",
  nl: "Uitleg",
  pl: "Wyjaśnienie",
  pt: "Explicação",
  ru: "Объяснение",
  th: "คำอธิบาย",
  tr: "Açıklama",
  uk: "Пояснення",
  vi: "Giải thích",
  zh: "解释",
  "zh-hant": "解釋",
};

/** What a reader opens to see why a choice is right or wrong, in a language (BCP 47); in English for one that is not known. */
export function nameExplanation(language: string | undefined): string {
  return findByLanguage(WORDS, language) ?? "Explanation";
}
