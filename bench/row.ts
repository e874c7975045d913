import type { Rounds } from "./compare.ts";

export interface Row {
  work: string;
  /** A ratio or a figure, such as `1.02 × nginx` or `52 µs`. */
  result: string;
  reach: string;
  /** Undefined for a row without a goal. */
  isReached: boolean | undefined;
  details: string;
  /** The reason, if the goal is missed. */
  why?: string;
  /** CPU time per request relative to nginx, for the plot. */
  ratio?: number;
}

export interface BenchOptions extends Rounds {
  /** Where catalogs and files are kept between runs. */
  folder: string;
  /** Sources whose link texts become queries. */
  courses: string[];
}

export interface Workload {
  name: string;
  run(options: BenchOptions): Promise<Row[]>;
}
