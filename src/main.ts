import { runProgram } from "./cli/program.ts";
import { startProcess } from "./start-process.ts";

const args = process.argv.slice(2);
startProcess(args);

// No `await` at the top of a file: see build-program.ts.
void runProgram(args).then((exitCode) => (process.exitCode = exitCode));
