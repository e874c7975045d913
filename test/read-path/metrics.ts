// What tests read from `/metrics`.

export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

export interface Metrics {
  text: string;
  samples: Sample[];
  /** By metric. */
  types: Map<string, string>;
  helps: Map<string, string>;
  /** The sum of the samples of this name that have all of these labels; 0 for none. */
  sum: (name: string, labels?: Record<string, string>) => number;
}

/** Reads the numbers of a server. Throws for a line that is not of the Prometheus text format. */
export async function readMetrics(adminUrl: string): Promise<Metrics> {
  return parseMetrics(await (await fetch(`${adminUrl}/metrics`)).text());
}

function parseMetrics(text: string): Metrics {
  const samples: Sample[] = [];
  const types = new Map<string, string>();
  const helps = new Map<string, string>();
  if (!text.endsWith("\n")) throw new Error("the last line has no end");
  for (const line of text.slice(0, -1).split("\n")) {
    const [, kind = "", metric = "", rest = ""] = /^# (HELP|TYPE) ([a-zA-Z_:][\w:]*) (.+)$/.exec(line) ?? [];
    if (kind === "HELP") helps.set(metric, rest);
    else if (kind === "TYPE") types.set(metric, rest);
    else samples.push(parseSample(line));
  }
  const sum = (name: string, labels: Record<string, string> = {}): number =>
    samples
      .filter((sample) => sample.name === name)
      .filter((sample) => Object.entries(labels).every(([label, value]) => sample.labels[label] === value))
      .reduce((total, { value }) => total + value, 0);
  return { text, samples, types, helps, sum };
}

function parseSample(line: string): Sample {
  const [, name = "", labels = "", value = ""] =
    /^([a-zA-Z_:][\w:]*)(?:\{((?:[a-zA-Z_]\w*="[^"\\\n]*",?)*)\})? (\S+)$/.exec(line) ?? [];
  if (name === "" || Number.isNaN(Number(value.replace("+Inf", "Infinity")))) throw new Error(`no sample: ${line}`);
  const pairs = [...labels.matchAll(/([a-zA-Z_]\w*)="([^"]*)"/g)];
  return {
    name,
    value: Number(value),
    labels: Object.fromEntries(pairs.map(([, label = "", text = ""]) => [label, text])),
  };
}
