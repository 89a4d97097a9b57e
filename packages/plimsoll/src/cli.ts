#!/usr/bin/env node
import { commandsFor } from './commands/commands-for.ts';
import { processIo } from './io.ts';
import { runProgram } from './program.ts';
import { version } from '@plimsoll/core/internal/version';

// A reader that is gone, as after `| head`, must not end the command, because the report of a run is still to be written.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

const argv = process.argv.slice(2);
process.exitCode = await runProgram(argv, processIo(), await commandsFor(argv), version);
