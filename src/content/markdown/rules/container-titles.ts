// Default titles of Workbench boxes by language.
import { findByLanguage } from "../../by-language.ts";

const KINDS = ["solution", "hint", "spoiler", "instructor", "questions", "objectives", "keypoints"];

// In the order of the kinds.
const TITLES: Record<string, readonly string[]> = {
  de: ["Lösung", "Hinweis", "Details", "Für Lehrende", "Fragen", "Lernziele", "Kernpunkte"],
  en: ["Solution", "Hint", "Details", "Instructor Note", "Questions", "Objectives", "Key Points"],
  es: ["Solución", "Pista", "Detalles", "Nota para quien enseña", "Preguntas", "Objetivos", "Puntos clave"],
  fr: ["Solution", "Indice", "Détails", "Note pour l'enseignement", "Questions", "Objectifs", "Points clés"],
  it: ["Soluzione", "Suggerimento", "Dettagli", "Nota per chi insegna", "Domande", "Obiettivi", "Punti chiave"],
  ja: ["解答", "ヒント", "詳細", "講師向けの注記", "質問", "目標", "要点"],
  pt: ["Solução", "Dica", "Detalhes", "Nota para quem ensina", "Perguntas", "Objetivos", "Pontos-chave"],
};

/** Returns a box's default title in a language (BCP 47), English if unknown; undefined for a kind without titles. */
export function titleContainer(kind: string, language: string | undefined): string | undefined {
  return (findByLanguage(TITLES, language) ?? TITLES["en"])?.[KINDS.indexOf(kind)];
}
