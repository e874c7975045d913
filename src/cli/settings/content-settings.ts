// What becomes of what authors wrote: links, files, quizzes.
import { InvalidArgumentError } from "commander";
import { findLessonUrlFault } from "../../catalog/lesson-url.ts";
import { ANSWERS, type Answers } from "../../content/quiz/answers.ts";
import { define, defineChoice } from "./setting.ts";

export const contentSettings = {
  assetBase: define({
    placeholder: "URL",
    description: "URL against which relative images, links and thumbnails are resolved",
    parse: parseAssetBase,
  }),
  fw: define({
    placeholder: "NAME",
    description: "of branches for readers of different frameworks, read those for this one, such as pt",
    parse: parseFramework,
  }),
  publicUrl: define({
    placeholder: "URL",
    description: "URL at which browsers reach the API: files that lessons show or link to are stored, and served there",
    parse: parsePublicUrl,
  }),
  answers: defineChoice<Answers>({
    placeholder: "WHICH",
    description: "which questions publish their right answers and explanations",
    default: "self-check",
    choices: ANSWERS,
  }),
  lessonUrl: define({
    placeholder: "TEMPLATE",
    description:
      "address of a lesson on your site, for links between lessons, such as https://site.example/{courseSlug}/{lessonId}{fragment}",
    parse: parseLessonUrl,
  }),
};

function parseAssetBase(text: string): URL {
  const url = parseHttpUrl(text);
  if (url === null) throw new InvalidArgumentError("Expected an absolute http or https URL.");
  if (!url.pathname.endsWith("/")) url.pathname += "/";
  return url;
}

function parseFramework(text: string): string {
  if (/^[\w.-]{1,64}$/.test(text)) return text;
  throw new InvalidArgumentError("Expected 1 to 64 of the characters A-Z a-z 0-9 . _ -, as courses write it.");
}

function parsePublicUrl(text: string): URL {
  const url = parseHttpUrl(text);
  if (url !== null && `${url.username}${url.password}${url.search}${url.hash}` === "") return url;
  throw new InvalidArgumentError(
    "Expected an absolute http or https URL without query, such as https://catalog.example.",
  );
}

function parseLessonUrl(text: string): string {
  const fault = findLessonUrlFault(text);
  if (fault === undefined) return text;
  throw new InvalidArgumentError(`The template ${fault}.`);
}

/** Null for anything but an absolute http or https URL. */
export function parseHttpUrl(text: string): URL | null {
  return /^https?:\/\//i.test(text) ? URL.parse(text) : null;
}
