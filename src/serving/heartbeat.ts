// How a supervisor notices a worker that hangs: it sends beats, and the worker answers each.
import type { FromWorker, ToWorker } from "./worker-messages.ts";

/**
 * Silence is counted in beats that the supervisor has sent. While the supervisor itself is suspended, as on a machine that
 * sleeps, it sends none.
 */
export interface Heartbeat {
  intervalMs: number;
  /** After this many beats without an answer a worker does not count as ready. */
  quietBeats: number;
  /** After this many it is killed. */
  hungBeats: number;
}

/**
 * A worker under full load answers a beat within a second, one on a machine that swaps within a few. Clients wait about
 * ten seconds for an answer: those of a worker that hangs are to lose their connection before, and come to another one.
 */
export const HEARTBEAT: Heartbeat = { intervalMs: 1000, quietBeats: 3, hungBeats: 8 };

/** Calls `beat` again and again until the function that it returns is called. */
export function startBeating(intervalMs: number, beat: () => void): () => void {
  // Each beat schedules the next. After a pause of this process one beat is overdue, not hundreds, and answers that came
  // meanwhile are read before the next.
  const schedule = (): Timer =>
    setTimeout(() => {
      timer = schedule();
      beat();
    }, intervalMs);
  let timer = schedule();
  return () => clearTimeout(timer);
}

/** Answers each beat, in a worker. Call it first, so that a worker that hangs while it starts is noticed, too. */
export function answerBeats(): void {
  const answer: FromWorker = { type: "beat" };
  process.on("message", (message: ToWorker) => {
    if (message.type === "beat") process.send?.(answer);
  });
}
