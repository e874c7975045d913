import { ExpectedError } from "../catalog/expected-error.ts";

export const EXIT = { done: 0, failed: 1, usage: 2, invalidContent: 3, partly: 4 } as const;

/** Ends a command with a message and an exit code, without a stack trace. */
export class CommandFailure extends ExpectedError {
  readonly exitCode: number;

  constructor(message: string, exitCode: number = EXIT.failed) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Ends a command that was called wrongly. */
export class UsageFailure extends CommandFailure {
  constructor(message: string) {
    super(message, EXIT.usage);
  }
}
