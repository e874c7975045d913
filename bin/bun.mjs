#!/usr/bin/env node
// Runs the project's Bun for package scripts, even where install scripts are disabled.
import { runBun } from "./run-bun.mjs";

runBun(process.argv.slice(2));
