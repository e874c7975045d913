import { createEmbedPlace, createLink } from "./clean-html.ts";
import { isVideoFile } from "../../../packages/client/src/html/player.ts";
import { findQuizWords } from "../../../packages/client/src/html/quiz-words.ts";
import { findEmbed } from "./embeds.ts";
import type { PageMessage } from "./frame-messages.ts";

type Lesson = Extract<PageMessage, { kind: "show" }>;

/** A part of a lesson: its element and the author's HTML. */
export interface LessonPart {
  element: HTMLElement;
  html: string;
}

/** Lists the parts of a lesson: video, text and quiz, if any. Calls `placeEmbed` for an embedded video. */
export function listParts(lesson: Lesson, placeEmbed: (place: HTMLElement, address: string) => void): LessonPart[] {
  const { url, additionalText, quizHtml, language } = lesson;
  const parts: LessonPart[] = [];
  if (url.trim() !== "") parts.push({ element: createVideo(url.trim(), placeEmbed), html: "" });
  if (additionalText.trim() !== "") parts.push({ element: createSection("text"), html: additionalText });
  if (quizHtml.trim() !== "") {
    const element = createSection("quiz-part");
    const heading = document.createElement("h2");
    const words = findQuizWords(language);
    heading.lang = words.language;
    heading.textContent = words.title;
    element.append(heading);
    parts.push({ element, html: quizHtml });
  }
  if (parts.length === 0) {
    const element = createSection("empty");
    element.textContent = "This lesson has no content yet.";
    parts.push({ element, html: "" });
  }
  return parts;
}

function createVideo(url: string, placeEmbed: (place: HTMLElement, address: string) => void): HTMLElement {
  const section = createSection("video");
  const embed = findEmbed(url);
  if (embed !== undefined) {
    const place = createEmbedPlace(document, embed);
    section.append(place);
    placeEmbed(place, url);
  } else if (isVideoFile(url)) {
    const video = document.createElement("video");
    video.controls = true;
    video.preload = "metadata";
    video.src = url;
    section.append(video);
  } else {
    section.append(createLink(document, url, "Watch the video"));
  }
  return section;
}

function createSection(className: string): HTMLElement {
  const section = document.createElement("section");
  section.className = className;
  return section;
}
