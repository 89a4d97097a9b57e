#!/usr/bin/env node
import { commandsFor } from './commands/commands-for.ts';
import { processIo } from './io.ts';
import { runProgram } from './program.ts';
import { version } from '@plimsoll/core/internal/version';

const argv = process.argv.slice(2);
process.exitCode = await runProgram(argv, processIo(), await commandsFor(argv), version);
