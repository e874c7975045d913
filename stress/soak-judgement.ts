// Judges a soak: it must have no wrong answer, no growth, and stable latencies relative to nginx.
import { judgeAll, type Judgement } from "./judgement.ts";

/** One sample, over some seconds. */
export interface Sample {
  atMinutes: number;
  perSecond: number;
  p99Ms: number;
  /** Undefined without nginx. */
  nginxP99Ms: number | undefined;
  /** Memory of the untouched server. */
  memoryMb: number;
  files: number;
  databaseMb: number;
  logMb: number;
  /** The fault injected into the other server afterwards. */
  fault: string;
}

/** The allowed growth from the middle to the end: a share and an amount. */
const GROWTH = {
  memoryMb: { name: "memory", unit: "MB", share: 1.15, more: 15 },
  files: { name: "open files", unit: "", share: 1.1, more: 8 },
  databaseMb: { name: "database", unit: "MB", share: 1.25, more: 8 },
  // PostgreSQL reuses its segments of 16 MB between checkpoints.
  logMb: { name: "log of the database", unit: "MB", share: 1.5, more: 32 },
};
/** How much the ratio of p99 to nginx's may change from the first third to the last. */
const DRIFT = { share: 1.5, more: 0.5 };

export const median = (numbers: number[]): number => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? NaN;

/** Judges all samples. The first third is warm-up. */
export function judgeSoak(
  samples: readonly Sample[],
  failures: readonly string[],
  isDelivered: boolean,
  text: string,
): Judgement[] {
  const third = Math.max(1, Math.floor(samples.length / 3));
  const thirds = [samples.slice(0, third), samples.slice(third, -third), samples.slice(-third)] as const;
  const growth = Object.entries(GROWTH).map(([key, { name, unit, share, more }]): Judgement => {
    const [, middle = NaN, end = NaN] = thirds.map((part) =>
      median(part.map((sample) => sample[key as keyof typeof GROWTH])),
    );
    return {
      isHeld: end <= middle * share + more,
      text: `${name} ${middle.toFixed(1)} ${unit} in the middle, ${end.toFixed(1)} ${unit} at the end (must not grow)`,
    };
  });
  const few = failures.length > 20 ? [...failures.slice(0, 20), `and ${failures.length - 20} more`] : failures;
  return [
    judgeAll(`${text}: ${failures.length} wrong answers (none)`, few),
    { isHeld: isDelivered, text: "the webhook received each publication, in order" },
    ...growth,
    judgeDrift(thirds),
  ];
}

function judgeDrift(thirds: readonly (readonly Sample[])[]): Judgement {
  const p99 = thirds.map((part) => median(part.map((sample) => sample.p99Ms)).toFixed(1)).join(", ");
  const ratios = thirds.map((part) => median(part.map(({ p99Ms, nginxP99Ms }) => p99Ms / (nginxP99Ms ?? NaN))));
  const [first = NaN, , last = NaN] = ratios;
  if (Number.isNaN(first + last))
    return {
      isHeld: undefined,
      text: `p99 of thirds: ${p99} ms; nginx is not installed for comparison`,
    };
  const told = ratios.map((ratio) => ratio.toFixed(2)).join(", ");
  return {
    isHeld: last <= first * DRIFT.share + DRIFT.more,
    text: `p99 of thirds: ${p99} ms, ${told} × nginx in the same minutes (does not drift)`,
  };
}
