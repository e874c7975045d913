import type { AnswerCache, CachedAnswer } from "../../../packages/client/src/catalog-client.ts";

/** The maximum number of characters in all cached bodies. */
const MAX_SIZE = 16 * 1024 * 1024;

/** Caches recent answers, which the client revalidates by ETag. */
export function createAnswerCache(): AnswerCache {
  const answers = new Map<string, CachedAnswer>();
  let size = 0;
  const remove = (url: string): void => {
    size -= answers.get(url)?.body.length ?? 0;
    answers.delete(url);
  };
  return {
    get(url) {
      const answer = answers.get(url);
      if (answer === undefined) return undefined;
      // Moves the answer to the end, because a Map keeps insertion order.
      answers.delete(url);
      answers.set(url, answer);
      return answer;
    },
    set(url, answer) {
      remove(url);
      if (answer.body.length > MAX_SIZE / 2) return;
      answers.set(url, answer);
      size += answer.body.length;
      for (const [oldest] of answers) {
        if (size <= MAX_SIZE) break;
        remove(oldest);
      }
    },
  };
}
