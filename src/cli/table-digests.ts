import type { TableDigest } from "../store/copy-store.ts";
import { formatNumber } from "./format.ts";
import { formatTable } from "./table.ts";
import type { Display } from "./terminal.ts";

/** What a copy and a backup have found equal: each table with its rows. */
export function formatTableDigests(digests: TableDigest[], display: Display): string {
  const rows = digests.map(({ table, rows: count, digest }) => [table, formatNumber(count), digest]);
  return formatTable({ head: ["TABLE", "ROWS", "SHA-256"], rows, cuts: ["SHA-256"] }, display);
}
