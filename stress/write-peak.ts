// Preloaded into a measured command: writes its peak memory to a file when it ends.
import { writeFileSync } from "node:fs";
import { PEAK_FILE_VARIABLE, readPeakBytes } from "./peak-memory.ts";

const file = process.env[PEAK_FILE_VARIABLE];
if (file !== undefined) process.on("exit", () => writeFileSync(file, String(readPeakBytes(process.pid))));
