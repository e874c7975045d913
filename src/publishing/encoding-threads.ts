import { Worker, type WorkerOptions } from "node:worker_threads";
import type { Body } from "../catalog/body.ts";
import { findEntry } from "../program-files.ts";
import { joinTexts, splitBodies, type JoinedBodies } from "./thread-messages.ts";

/** Bun's own: garbage is collected early, which costs nothing to measure here and keeps 40 MB. */
const OPTIONS: WorkerOptions & Bun.WorkerOptions = { smol: true };

/** A message ends with the text that passes this. Larger ones take memory anew from the system each time. */
const MAX_MESSAGE_CHARACTERS = 100_000;

interface Task {
  resolve: (encoded: Body[]) => void;
  reject: (error: unknown) => void;
}

interface Thread {
  worker: Worker;
  /** Answers come in the order of the messages. */
  tasks: Task[];
}

/** Threads that do what `encodeBody` does. They must be closed, or the process does not end. */
export class EncodingThreads {
  readonly #threads: Thread[];
  /** Why they cannot be used any more. */
  #failure: { error: unknown } | undefined;

  /** `count` is 1 or more. */
  constructor(count: number) {
    this.#threads = Array.from({ length: count }, () => this.#start());
  }

  /**
   * Encodes each text, in their order. Rejects with the error of a thread, and when the threads are closed before it is done;
   * nobody need wait for that.
   */
  encode(texts: string[]): Promise<Body[]> {
    const parts = cutIntoMessages(texts).map((part, index) => this.#send(part, index));
    const encoded = Promise.all(parts).then((results) => results.flat());
    encoded.catch(() => undefined);
    return encoded;
  }

  /** Ends the threads, whatever they are doing. */
  async close(): Promise<void> {
    this.#fail(new Error("The threads that encode documents were closed."));
    await Promise.all(this.#threads.map(({ worker }) => worker.terminate()));
  }

  #start(): Thread {
    const worker = new Worker(findEntry("publishing/encoding-thread"), OPTIONS);
    const tasks: Task[] = [];
    worker.on("message", (encoded: JoinedBodies) => tasks.shift()?.resolve(splitBodies(encoded)));
    worker.on("messageerror", (error) => this.#fail(error));
    worker.on("error", (error) => this.#fail(error));
    worker.on("exit", (code) => this.#fail(new Error(`A thread that encodes documents has ended with code ${code}.`)));
    return { worker, tasks };
  }

  #send(texts: string[], turn: number): Promise<Body[]> {
    return new Promise((resolve, reject) => {
      const thread = this.#threads[turn % this.#threads.length];
      if (thread === undefined || this.#failure !== undefined) {
        reject(this.#failure?.error);
        return;
      }
      thread.tasks.push({ resolve, reject });
      thread.worker.postMessage(joinTexts(texts), []);
    });
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    for (const { tasks } of this.#threads) for (const { reject } of tasks.splice(0)) reject(this.#failure.error);
  }
}

/** Cuts texts into parts that are sent at once, in their order. */
function cutIntoMessages(texts: string[]): string[][] {
  const messages: string[][] = [];
  let characters = MAX_MESSAGE_CHARACTERS;
  for (const text of texts) {
    if (characters >= MAX_MESSAGE_CHARACTERS) {
      messages.push([]);
      characters = 0;
    }
    messages.at(-1)?.push(text);
    characters += text.length;
  }
  return messages;
}
