// Two servers on the same work in turn: the ratio of their CPU time per request, round by round.
import { runLoad, type Load, type LoadResult } from "./load.ts";
import { readCpuSeconds, type Subject } from "./subjects.ts";

export interface Measurement {
  /** CPU time of the server per request, user and system, in microseconds. */
  cpuUs: number;
  p50Ms: number;
  p99Ms: number;
  requests: number;
}

export interface Comparison {
  subject: Measurement;
  peer: Measurement;
  /** CPU per request of the subject in that of the peer: medians of the rounds' ratios. */
  ratio: number;
}

export type Work = Omit<Load, "url" | "seconds">;

/** Measures one server for some seconds. Throws when an answer was an error. */
export async function measure(subject: Subject, work: Work, seconds: number): Promise<Measurement> {
  const before = readCpuSeconds(subject.pids);
  const result: LoadResult = await runLoad({ ...work, url: subject.url, seconds });
  const cpuUs = ((readCpuSeconds(subject.pids) - before) / result.requests) * 1e6;
  if (result.errors > 0) throw new Error(`${subject.name} answered ${result.errors} requests with an error.`);
  return { cpuUs, p50Ms: result.p50Ms, p99Ms: result.p99Ms, requests: result.requests };
}

/** Lets both do the same work in turn, a round each, and takes medians; the first round of each is a warm-up. */
export async function compare(
  subject: Subject,
  peer: Subject,
  subjectWork: Work,
  peerWork: Work,
  { rounds, seconds }: { rounds: number; seconds: number },
): Promise<Comparison> {
  await measure(subject, subjectWork, 1);
  await measure(peer, peerWork, 1);
  const pairs: [Measurement, Measurement][] = [];
  for (let round = 0; round < rounds; round++) {
    pairs.push([await measure(subject, subjectWork, seconds), await measure(peer, peerWork, seconds)]);
  }
  return {
    subject: medianOf(pairs.map(([one]) => one)),
    peer: medianOf(pairs.map(([, other]) => other)),
    ratio: median(pairs.map(([one, other]) => one.cpuUs / other.cpuUs)),
  };
}

/** The median of each figure. */
export function medianOf(measurements: Measurement[]): Measurement {
  const of = (figure: keyof Measurement): number => median(measurements.map((measurement) => measurement[figure]));
  return { cpuUs: of("cpuUs"), p50Ms: of("p50Ms"), p99Ms: of("p99Ms"), requests: of("requests") };
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? NaN;
}
