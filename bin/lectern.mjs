#!/usr/bin/env node
import { fileURLToPath } from "node:url";
import { ENGINE_SETTINGS, ignoreWorkingDirectory } from "./engine-settings.mjs";
import { findProgram } from "./find-program.mjs";
import { runBun } from "./run-bun.mjs";

const project = fileURLToPath(new URL("../", import.meta.url));
runBun([...ignoreWorkingDirectory(project), findProgram(), ...process.argv.slice(2)], ENGINE_SETTINGS);
