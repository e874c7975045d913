import { writeSync } from "node:fs";
import pino, { type Logger } from "pino";

/** Logs JSON lines, by default to standard error. */
export function createLogger(level: string, destination: pino.DestinationStream = STANDARD_ERROR): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      // Others append the cause to the message, which ends in a full stop.
      serializers: { err: pino.stdSerializers.errWithCause },
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  );
}

/**
 * Drops lines that cannot be written, because a disk is full or a terminal closed: they must neither end the server nor
 * keep it running.
 */
const STANDARD_ERROR = {
  write(line: string): void {
    try {
      writeSync(2, line);
    } catch {
      // Nowhere to report it.
    }
  },
};
