// Draws a soak as small plots in one SVG for the docs.
import type { Sample } from "./soak-judgement.ts";

const [WIDTH, HEIGHT, LEFT, PLOT_HEIGHT] = [760, 660, 60, 92];
const COLOURS = ["#3b6ea5", "#b33"];

interface Plot {
  title: string;
  lines: ((sample: Sample) => number | undefined)[];
}

const PLOTS: Plot[] = [
  { title: "requests/s", lines: [(sample) => sample.perSecond] },
  { title: "p99 in ms: Lectern blue, nginx red", lines: [(sample) => sample.p99Ms, (sample) => sample.nginxP99Ms] },
  { title: "memory of the untouched server in MB", lines: [(sample) => sample.memoryMb] },
  { title: "its open files", lines: [(sample) => sample.files] },
  { title: "database blue, its log red, in MB", lines: [(sample) => sample.databaseMb, (sample) => sample.logMb] },
];

/** Draws plots over minutes; a grey line marks a fault. */
export function drawSoak(title: string, samples: readonly Sample[]): string {
  const lastMinute = Math.max(samples.at(-1)?.atMinutes ?? 0, 1);
  const x = (minute: number): number => LEFT + (minute / lastMinute) * (WIDTH - LEFT - 20);
  const plots = PLOTS.map((plot, index) => {
    const bottom = 70 + PLOT_HEIGHT + index * (PLOT_HEIGHT + 22);
    const values = plot.lines.flatMap((line) => samples.map((sample) => line(sample) ?? 0));
    const most = Math.max(1, ...values) * 1.1;
    const lines = plot.lines.map((line, at) => {
      const points = samples.flatMap((sample) => {
        const value = line(sample);
        if (value === undefined) return [];
        return `${x(sample.atMinutes).toFixed(1)},${(bottom - (value / most) * (PLOT_HEIGHT - 18)).toFixed(1)}`;
      });
      return `<polyline points="${points.join(" ")}" fill="none" stroke="${COLOURS[at]}" stroke-width="1.5"/>`;
    });
    const axis = `<path d="M${LEFT} ${bottom - PLOT_HEIGHT + 18}V${bottom}H${WIDTH - 20}" fill="none" stroke="#888"/>`;
    const label = (y: number, text: string) => `<text x="${LEFT - 6}" y="${y}" text-anchor="end">${text}</text>`;
    const numbers = label(bottom, "0") + label(bottom - PLOT_HEIGHT + 26, most.toFixed(0));
    return `<text x="${LEFT}" y="${bottom - PLOT_HEIGHT + 12}">${plot.title}</text>${axis}${numbers}${lines.join("")}`;
  });
  const faults = samples
    .filter(({ fault }) => fault !== "")
    .map(({ atMinutes, fault }) => {
      const at = x(atMinutes).toFixed(1);
      return `<path d="M${at} 76V${HEIGHT - 30}" stroke="#ddd"><title>${fault}</title></path>`;
    });
  const [head = "", ...rest] = title.split(", ");
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" font-family="sans-serif" font-size="11">
<rect width="100%" height="100%" fill="#fff"/>
<text x="${LEFT}" y="20" font-size="14">Soak on ${head}: ${rest.slice(0, 3).join(", ")}</text>
<text x="${LEFT}" y="38">${rest.slice(3).join(", ")}</text>
<text x="${LEFT}" y="54">each grey line is a fault</text>
${faults.join("\n")}
${plots.join("\n")}
<text x="${WIDTH - 20}" y="${HEIGHT - 8}" text-anchor="end">${lastMinute.toFixed(0)} minutes</text>
</svg>
`;
}
