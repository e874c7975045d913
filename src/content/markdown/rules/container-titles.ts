// What stands above a box of the Workbench whose author gives no heading, in the course's language.
import { findByLanguage } from "../../by-language.ts";

type Titles = Record<"solution" | "hint" | "spoiler" | "instructor" | "questions" | "objectives" | "keypoints", string>;

const ENGLISH: Titles = {
  solution: "Solution",
  hint: "Hint",
  spoiler: "Details",
  instructor: "Instructor Note",
  questions: "Questions",
  objectives: "Objectives",
  keypoints: "Key Points",
};

const LANGUAGES: Record<string, Titles> = {
  de: {
    solution: "Lösung",
    hint: "Hinweis",
    spoiler: "Details",
    instructor: "Für Lehrende",
    questions: "Fragen",
    objectives: "Lernziele",
    keypoints: "Kernpunkte",
  },
  en: ENGLISH,
  es: {
    solution: "Solución",
    hint: "Pista",
    spoiler: "Detalles",
    instructor: "Nota para quien enseña",
    questions: "Preguntas",
    objectives: "Objetivos",
    keypoints: "Puntos clave",
  },
  fr: {
    solution: "Solution",
    hint: "Indice",
    spoiler: "Détails",
    instructor: "Note pour l'enseignement",
    questions: "Questions",
    objectives: "Objectifs",
    keypoints: "Points clés",
  },
  it: {
    solution: "Soluzione",
    hint: "Suggerimento",
    spoiler: "Dettagli",
    instructor: "Nota per chi insegna",
    questions: "Domande",
    objectives: "Obiettivi",
    keypoints: "Punti chiave",
  },
  ja: {
    solution: "解答",
    hint: "ヒント",
    spoiler: "詳細",
    instructor: "講師向けの注記",
    questions: "質問",
    objectives: "目標",
    keypoints: "要点",
  },
  pt: {
    solution: "Solução",
    hint: "Dica",
    spoiler: "Detalhes",
    instructor: "Nota para quem ensina",
    questions: "Perguntas",
    objectives: "Objetivos",
    keypoints: "Pontos-chave",
  },
};

/** The title of a kind of box, in English for a language (BCP 47) that is not known; undefined for a kind that needs none. */
export function titleContainer(kind: string, language: string | undefined): string | undefined {
  const titles: Record<string, string> = findByLanguage(LANGUAGES, language) ?? ENGLISH;
  return Object.hasOwn(titles, kind) ? titles[kind] : undefined;
}
