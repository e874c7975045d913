#!/usr/bin/env node
import { findProgram } from "./find-program.mjs";
import { runBun } from "./run-bun.mjs";

runBun([findProgram(), ...process.argv.slice(2)]);
