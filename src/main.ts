import { runProgram } from "./cli/program.ts";
import { startProcess } from "./start-process.ts";

const args = process.argv.slice(2);
startProcess(args);

// The reader of a pipe may have seen enough, as `head` has; that is no failure of the command.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit();
  });
}

// No `await` at the top of a file: see build-program.ts.
void runProgram(args).then((exitCode) => (process.exitCode = exitCode));
