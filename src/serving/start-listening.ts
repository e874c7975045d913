import { ExpectedError } from "../catalog/expected-error.ts";

/** Starts what listens; `prefix` is that of its flags. Throws ExpectedError when it cannot, with what to do. */
export function startListening<T>(prefix: "" | "admin-", host: string, port: number, start: () => T): T {
  try {
    return start();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    if (code !== "EADDRINUSE" && code !== "EACCES") {
      const next = `Give --${prefix}host one that it has, such as 127.0.0.1.`;
      throw new ExpectedError(`Cannot listen on ${host}: this machine has no such address. ${next}`);
    }
    const reason = code === "EADDRINUSE" ? `port ${port} is in use` : message;
    const command = process.env["npm_lifecycle_event"] === "start" ? "npm start -- " : "";
    throw new ExpectedError(
      `Cannot listen on ${host} port ${port}: ${reason}. Choose another with \`${command}--${prefix}port N\`.`,
    );
  }
}
