/** Its message says what happened and what to do: a command prints it alone, and any other error with its stack. */
export class ExpectedError extends Error {}
