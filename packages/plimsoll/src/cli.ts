#!/usr/bin/env node
import { commands } from './commands/index.ts';
import { processIo } from './io.ts';
import { runProgram } from './program.ts';
import { version } from './version.ts';

process.exitCode = await runProgram(process.argv.slice(2), processIo(), commands, version);
