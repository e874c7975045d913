// Generates the table of docs/performance.md and its plot from a run.
import { join } from "node:path";
import type { Row } from "./row.ts";

const DOCS = join(import.meta.dir, "../docs");

/** Writes the table between the markers of docs/performance.md, and docs/performance.svg. */
export async function writePerformancePage(
  rows: Row[],
  machine: string,
  { rounds, seconds }: { rounds: number; seconds: number },
): Promise<void> {
  const page = join(DOCS, "performance.md");
  const text = await Bun.file(page).text();
  const table = [
    `Measured on ${new Date().toISOString().slice(0, 10)}: ${machine}. Medians of ${rounds} rounds of ${seconds} s.`,
    "",
    "| work | result | goal | | details |",
    "|---|---|---|---|---|",
    ...rows.map(
      (row) =>
        `| ${row.work} | ${row.result} | ${row.reach} | ${describeOutcome(row).replace("missed", "**missed**")} | ${describe(row)} |`,
    ),
  ].join("\n");
  const begin = "<!-- table -->";
  const end = "<!-- /table -->";
  const [head = "", rest = ""] = text.split(begin);
  const [, tail = ""] = rest.split(end);
  await Bun.write(page, `${head}${begin}\n${table}\n${end}${tail}`);
  await Bun.write(join(DOCS, "performance.svg"), drawPlot(rows.filter((row) => row.ratio !== undefined)));
}

function describe({ details, why, isReached }: Row): string {
  return isReached === false && why !== undefined ? `${details}. **Why**: ${why}` : details;
}

/** Returns the label for a row that met or missed its goal; "" without a goal. */
export function describeOutcome({ isReached }: Row): string {
  if (isReached === undefined) return "";
  return isReached ? "reached" : "missed";
}

/** Draws CPU time per request relative to nginx as bars, with a line at 1. */
function drawPlot(rows: Row[]): string {
  const [left, barHeight, gap, scale] = [300, 18, 8, 180];
  const height = rows.length * (barHeight + gap) + 50;
  const bars = rows.map((row, index) => {
    const y = 30 + index * (barHeight + gap);
    const width = Math.round((row.ratio ?? 0) * scale);
    return (
      `<text x="${left - 10}" y="${y + 13}" text-anchor="end">${escapeXml(row.work)}</text>` +
      `<rect x="${left}" y="${y}" width="${width}" height="${barHeight}" fill="#3b6ea5"/>` +
      `<text x="${left + width + 6}" y="${y + 13}">${(row.ratio ?? 0).toFixed(2)}</text>`
    );
  });
  const line = left + scale;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="760" height="${height}" font-family="sans-serif" font-size="12">
<rect width="100%" height="100%" fill="#fff"/>
<text x="${left}" y="18">CPU time per request, nginx = 1 (less is better)</text>
${bars.join("\n")}
<line x1="${line}" y1="26" x2="${line}" y2="${height - 20}" stroke="#b33" stroke-dasharray="4 3"/>
<text x="${line}" y="${height - 6}" text-anchor="middle">nginx</text>
</svg>
`;
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
