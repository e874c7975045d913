#!/usr/bin/env node
// The project's Bun, for package scripts: works also where install scripts are switched off.
import { runBun } from "./run-bun.mjs";

runBun(process.argv.slice(2));
