// Callouts: quotations that begin with a kind, `> [!TIP]`, and an optional title.
import type { MarkdownIt, StateCore, Token } from "markdown-it";
import { findByLanguage } from "../../by-language.ts";
import { createTextBlock } from "../tokens.ts";
import { environmentOf } from "../markdown-environment.ts";

const KINDS = ["note", "tip", "important", "warning", "caution"] as const;
export type CalloutKind = (typeof KINDS)[number];

/** Other names of the kinds. */
const OTHER_NAMES = new Map<string, CalloutKind>([
  ["info", "note"],
  ["callout", "note"],
  ["success", "tip"],
  ["danger", "caution"],
  ["error", "caution"],
]);

/** Returns the kind of this name, if known. */
export function findCalloutKind(name: string): CalloutKind | undefined {
  return OTHER_NAMES.get(name) ?? KINDS.find((kind) => kind === name);
}

// Titles in the order of `KINDS`.
const TITLES: Record<string, readonly [string, string, string, string, string]> = {
  ar: ["ملاحظة", "نصيحة", "مهم", "تحذير", "تنبيه"],
  bn: ["দ্রষ্টব্য", "পরামর্শ", "গুরুত্বপূর্ণ", "সতর্কতা", "সাবধান"],
  de: ["Hinweis", "Tipp", "Wichtig", "Warnung", "Vorsicht"],
  en: ["Note", "Tip", "Important", "Warning", "Caution"],
  es: ["Nota", "Consejo", "Importante", "Advertencia", "Precaución"],
  fa: ["نکته", "راهنمایی", "مهم", "هشدار", "احتیاط"],
  fr: ["Remarque", "Astuce", "Important", "Avertissement", "Attention"],
  hi: ["नोट", "सुझाव", "महत्वपूर्ण", "चेतावनी", "सावधान"],
  id: ["Catatan", "Tip", "Penting", "Peringatan", "Perhatian"],
  it: ["Nota", "Suggerimento", "Importante", "Avviso", "Attenzione"],
  ja: ["メモ", "ヒント", "重要", "警告", "注意"],
  ko: ["참고", "팁", "중요", "경고", "주의"],
  nl: ["Opmerking", "Tip", "Belangrijk", "Waarschuwing", "Let op"],
  pl: ["Uwaga", "Wskazówka", "Ważne", "Ostrzeżenie", "Ostrożnie"],
  pt: ["Nota", "Dica", "Importante", "Aviso", "Cuidado"],
  ru: ["Примечание", "Совет", "Важно", "Предупреждение", "Осторожно"],
  th: ["หมายเหตุ", "เคล็ดลับ", "สำคัญ", "คำเตือน", "ข้อควรระวัง"],
  tr: ["Not", "İpucu", "Önemli", "Uyarı", "Dikkat"],
  uk: ["Примітка", "Порада", "Важливо", "Попередження", "Обережно"],
  vi: ["Ghi chú", "Mẹo", "Quan trọng", "Cảnh báo", "Thận trọng"],
  zh: ["说明", "提示", "重要", "警告", "注意"],
  "zh-hant": ["說明", "提示", "重要", "警告", "注意"],
};

/** Returns the default title of a callout in a language (BCP 47); in English if the language is unknown. */
export function titleCallout(kind: CalloutKind, language: string | undefined): string {
  const titles = findByLanguage(TITLES, language) ?? TITLES["en"];
  return titles?.[KINDS.indexOf(kind)] ?? kind;
}

export function addCalloutRule({ core: { ruler } }: MarkdownIt): void {
  ruler.before("inline", "callouts", readCallouts);
}

// As in Obsidian, `+` and `-` set whether the callout is open at first.
const MARK = /^\[!(note|tip|important|warning|caution)\]([+-]?)(?:[ \t]+([^\n]*))?(?:\n|$)/i;

function readCallouts(state: StateCore): void {
  const tokens: Token[] = [];
  const open: Token[] = [];
  for (let index = 0; index < state.tokens.length; index++) {
    const opening = state.tokens[index] as Token;
    tokens.push(opening);
    if (opening.type === "blockquote_close") opening.tag = open.pop()?.tag ?? opening.tag;
    if (opening.type !== "blockquote_open") continue;
    open.push(opening);
    const [paragraph, text] = state.tokens.slice(index + 1, index + 3);
    if (paragraph?.type !== "paragraph_open" || text === undefined) continue;
    const mark = MARK.exec(text.content);
    if (mark === null) continue;
    const kind = mark[1]?.toLowerCase() as CalloutKind;
    const given = mark[3]?.trim() ?? "";
    const isFolded = mark[2] !== "" && environmentOf(state).dialect.extensions?.has("pymdownx.quotes") === true;
    opening.tag = isFolded ? "details" : "aside";
    opening.attrSet("class", "callout");
    opening.attrSet("data-callout", kind);
    if (isFolded && mark[2] === "+") opening.attrSet("open", "");
    const title = given === "" ? titleCallout(kind, environmentOf(state).language) : given;
    const lines: Token["map"] = paragraph.map && [paragraph.map[0], paragraph.map[0] + 1];
    const shown = createTextBlock(state, isFolded ? "summary" : "p", title, lines, "paragraph");
    if (!isFolded) shown[0].attrSet("class", "callout-title");
    tokens.push(...shown);
    text.content = text.content.slice(mark[0].length);
    if (text.map !== null) text.map = [text.map[0] + 1, text.map[1]];
    // Drops a paragraph that contained only the mark.
    if (text.content === "") index += 3;
  }
  state.tokens = tokens;
}
