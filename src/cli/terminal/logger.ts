import { writeSync } from "node:fs";
import pino, { type Logger } from "pino";

/** Logs JSON lines, by default to standard error. */
export function createLogger(level: string, destination: pino.DestinationStream = STANDARD_ERROR): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      // Other serializers append the cause to the message, which already ends in a full stop.
      serializers: { err: pino.stdSerializers.errWithCause },
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  );
}

/**
 * Drops lines that cannot be written, for example because a disk is full or a terminal has closed. Such a line must
 * neither end the server nor prevent it from ending.
 */
const STANDARD_ERROR = {
  write(line: string): void {
    try {
      writeSync(2, line);
    } catch {
      // There is no place to report this failure.
    }
  },
};
