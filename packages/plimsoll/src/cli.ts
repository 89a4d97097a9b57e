#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { processIo } from './io.ts';
import { commands } from './commands/index.ts';
import { runProgram } from './program.ts';

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};
process.exitCode = await runProgram(process.argv.slice(2), processIo(), commands, manifest.version);
