/**
 * An error whose message tells people what happened and what they can do. A command prints that message alone; any other
 * error is a fault of the program, and is printed with its stack. `cause` may hold the error behind it, for a debugger.
 */
export class ExpectedError extends Error {}
