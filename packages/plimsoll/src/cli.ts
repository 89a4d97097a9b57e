#!/usr/bin/env node
import { commandsFor } from './commands/commands-for.ts';
import { processIo } from './io.ts';
import { runProgram } from './program.ts';
import { version } from '@plimsoll/core/internal/version';

// When the reader of the output is gone, as after `| head`, the command must go on, because it still has to write the report of a run.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

const argv = process.argv.slice(2);
process.exitCode = await runProgram(argv, processIo(), await commandsFor(argv), version);
