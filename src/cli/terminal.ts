import { writeSync } from "node:fs";

/** Where a command reads and prints: the streams of its process, unless whoever runs it says otherwise. */
export interface Terminal {
  /** Prints lines of the result. That they cannot be written, as to a closed pipe, is not reported. */
  print(text: string): void;
  /** Prints lines of the result; rejects when they cannot be written, as on a full disk. */
  printSafely(text: string): Promise<void>;
  /** Prints lines about the work: progress, warnings, errors. */
  note(text: string): void;
  /** What is given to the command to read; can be read once. */
  readInput(): ReadableStream<Uint8Array>;
  /** Asks whoever sits there; undefined when nobody does, as in a scheduled job. */
  ask(question: string): Promise<string | undefined>;
}

/** How many bytes standard output takes now; 0 when a pipe is full. Throws the system's error. */
function writeSome(bytes: Uint8Array): number {
  try {
    return writeSync(process.stdout.fd, bytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EAGAIN") return 0;
    throw error;
  }
}

/** The streams of this process. */
export const processTerminal: Terminal = {
  print: (text) => console.log(text),
  async printSafely(text) {
    // Not Bun.write: on a pipe that takes a part at a time, as one that Node has opened, it writes parts twice.
    let rest: Uint8Array = new TextEncoder().encode(`${text}\n`);
    while (rest.byteLength > 0) {
      const written = writeSome(rest);
      rest = rest.subarray(written);
      if (written === 0) await Bun.sleep(1);
    }
  },
  note: (text) => console.error(text),
  readInput: () => Bun.stdin.stream(),
  async ask(question) {
    if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined;
    const { createInterface } = await import("node:readline/promises");
    const dialogue = createInterface({ input: process.stdin, output: process.stderr });
    const answer = await dialogue.question(question);
    dialogue.close();
    return answer;
  },
};
