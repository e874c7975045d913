// How a supervisor notices a worker that runs and does nothing: it sends beats, and a worker answers each.
import type { FromWorker, ToWorker } from "./worker-messages.ts";

/** Silence is counted in beats that the supervisor has sent. One that was held itself, as on a machine that sleeps, has sent none. */
export interface Heartbeat {
  intervalMs: number;
  /** After so many beats without an answer a worker does not count as ready. */
  quietBeats: number;
  /** After so many it is killed. */
  hungBeats: number;
}

/**
 * A worker under full load answers a beat within a second, one on a machine that swaps within a few. Clients wait about
 * ten seconds for an answer: those of a worker that hangs are to lose their connection before, and come to another one.
 */
export const HEARTBEAT: Heartbeat = { intervalMs: 1000, quietBeats: 3, hungBeats: 8 };

/** Calls `beat` again and again until the function that it returns is called. */
export function startBeating(intervalMs: number, beat: () => void): () => void {
  // Each is set by the one before: after a pause of this process one is overdue, not hundreds, and the answers that came
  // meanwhile are read before the next.
  const schedule = (): Timer =>
    setTimeout(() => {
      timer = schedule();
      beat();
    }, intervalMs);
  let timer = schedule();
  return () => clearTimeout(timer);
}

/** Answers each beat, in a worker. To be called first: a worker that hangs while it starts is to be noticed too. */
export function answerBeats(): void {
  const answer: FromWorker = { type: "beat" };
  process.on("message", (message: ToWorker) => {
    if (message.type === "beat") process.send?.(answer);
  });
}
