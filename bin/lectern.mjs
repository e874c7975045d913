#!/usr/bin/env node
import { ENGINE_SETTINGS } from "./engine-settings.mjs";
import { findProgram } from "./find-program.mjs";
import { runBun } from "./run-bun.mjs";

runBun([findProgram(), ...process.argv.slice(2)], ENGINE_SETTINGS);
