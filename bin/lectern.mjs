#!/usr/bin/env node
import { findEngineSettings } from "./engine-settings.mjs";
import { findProgram } from "./find-program.mjs";
import { runBun } from "./run-bun.mjs";

const args = process.argv.slice(2);
runBun([findProgram(), ...args], findEngineSettings(args));
