import type { TallyEntry } from "../../tally.ts";

/** Names of unsupported blocks by element. */
const NAMES: Record<string, string> = {
  annotatable: "annotation",
  conditional: "conditional block",
  discussion: "discussion",
  "drag-and-drop-v2": "drag-and-drop",
  edx_sga: "staff-graded assignment",
  imageannotation: "annotation",
  itembank: "problem bank",
  library_content: "content library",
  lti: "LTI",
  lti_consumer: "LTI",
  openassessment: "open response assessment",
  poll: "poll",
  poll_question: "poll",
  randomize: "content experiment",
  scorm: "SCORM package",
  split_test: "content experiment",
  survey: "survey",
  textannotation: "annotation",
  videoannotation: "annotation",
  word_cloud: "word cloud",
};
const PLURALS: Record<string, string> = {
  "content library": "content libraries",
  "drag-and-drop": "drag-and-drop",
  LTI: "LTI",
};

export function nameBlock(tag: string): Pick<TallyEntry, "what" | "plural"> {
  const what = Object.hasOwn(NAMES, tag) ? (NAMES[tag] ?? tag) : tag;
  return { what, plural: PLURALS[what] };
}
