// Preloaded into a command whose memory is judged: it writes the most that it had into a file as it ends.
import { writeFileSync } from "node:fs";
import { PEAK_FILE_VARIABLE, readPeakBytes } from "./peak-memory.ts";

const file = process.env[PEAK_FILE_VARIABLE];
if (file !== undefined) process.on("exit", () => writeFileSync(file, String(readPeakBytes(process.pid))));
