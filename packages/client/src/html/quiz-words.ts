/** The texts of a quiz and their language. */
export interface QuizWords {
  language: string;
  title: string;
  check: string;
  right: string;
  wrong: string;
}

type Row = [title: string, check: string, right: string, wrong: string];

const ENGLISH: Row = ["Quiz", "Check", "Right", "Not right yet"];
const ROWS: Record<string, Row> = {
  ar: ["اختبار", "تحقّق", "صحيح", "ليس صحيحًا بعد"],
  bn: ["কুইজ", "যাচাই করুন", "সঠিক", "এখনও সঠিক নয়"],
  de: ["Quiz", "Prüfen", "Richtig", "Noch nicht richtig"],
  en: ENGLISH,
  es: ["Cuestionario", "Comprobar", "Correcto", "Todavía no es correcto"],
  fa: ["آزمون", "بررسی", "درست", "هنوز درست نیست"],
  fr: ["Quiz", "Vérifier", "Correct", "Pas encore correct"],
  hi: ["प्रश्नोत्तरी", "जाँचें", "सही", "अभी सही नहीं"],
  id: ["Kuis", "Periksa", "Benar", "Belum benar"],
  it: ["Quiz", "Verifica", "Corretto", "Non ancora corretto"],
  ja: ["クイズ", "確認", "正解", "まだ正解ではありません"],
  ko: ["퀴즈", "확인", "정답", "아직 정답이 아닙니다"],
  nl: ["Quiz", "Controleren", "Goed", "Nog niet goed"],
  pl: ["Quiz", "Sprawdź", "Dobrze", "Jeszcze niedobrze"],
  pt: ["Quiz", "Verificar", "Correto", "Ainda não está correto"],
  ru: ["Тест", "Проверить", "Верно", "Пока неверно"],
  th: ["แบบทดสอบ", "ตรวจสอบ", "ถูกต้อง", "ยังไม่ถูกต้อง"],
  tr: ["Test", "Kontrol et", "Doğru", "Henüz doğru değil"],
  uk: ["Тест", "Перевірити", "Правильно", "Поки неправильно"],
  vi: ["Trắc nghiệm", "Kiểm tra", "Đúng", "Chưa đúng"],
  zh: ["测验", "检查", "正确", "还不正确"],
  "zh-hant": ["測驗", "檢查", "正確", "還不正確"],
};

/**
 * Returns the texts in a language (BCP 47), or in English if the language is "" or unknown. The known languages are
 * those in which imports write the titles of explanations.
 */
export function findQuizWords(language: string): QuizWords {
  const tag = language.toLowerCase();
  const known = /^zh-(?:hant|tw|hk|mo)\b/.test(tag) ? "zh-hant" : (tag.split("-")[0] ?? "");
  const row = Object.hasOwn(ROWS, known) ? ROWS[known] : undefined;
  const [title, check, right, wrong] = row ?? ENGLISH;
  return { language: row === undefined ? "en" : known, title, check, right, wrong };
}
