// Helpers for lesson HTML: the entry `@lectern/client/html`.
export {
  rewriteImages,
  rewriteLinks,
  type HtmlImage,
  type HtmlLink,
  type RewrittenAttributes,
} from "./rewrite-html.ts";

export { isVideoFile, toPlayer, type Player } from "./player.ts";

export { renderQuiz, type QuizOptions } from "./render-quiz.ts";

export { renderTabs } from "./render-tabs.ts";
