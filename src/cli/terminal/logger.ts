import { writeSync } from "node:fs";
import pino, { type Logger } from "pino";

/** Logs lines of JSON, to standard error unless told otherwise. */
export function createLogger(level: string, destination: pino.DestinationStream = STANDARD_ERROR): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  );
}

/**
 * Log lines that cannot be written, to a full disk or a closed terminal, are lost. That must not end the server, nor keep
 * it from ending.
 */
const STANDARD_ERROR = {
  write(line: string): void {
    try {
      writeSync(2, line);
    } catch {
      // Nothing is left to report it to.
    }
  },
};
