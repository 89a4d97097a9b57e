import { resolve } from 'node:path';
import { formatByteSize } from '@plimsoll/core/units';
import { exitCode } from '../exit-code.ts';
import type { Io } from '../io.ts';
import type { AddCommand } from '../program.ts';
import { ProgressLine } from './progress-line.ts';

const help = `
Example:
  plimsoll redact app.heapsnapshot app.redacted.heapsnapshot
  plimsoll redact app.heapsnapshot shared.heapsnapshot --keep-name tenantId

The result has the structure, sizes and code names of the original and no content of any string.`;

interface RedactFlags {
  readonly json?: boolean;
  readonly keepName?: readonly string[];
}

export const addRedactCommand: AddCommand = (program, io, done) => {
  program
    .command('redact')
    .description('write a heap snapshot without the content of its strings, fit to be shared')
    .argument('<input>', 'a .heapsnapshot file')
    .argument('<output>', 'the file to write; it must not exist')
    .option('--json', 'print what was done as JSON')
    .option('--keep-name <name...>', 'property names to keep although no code mentions them')
    .addHelpText('after', help)
    .action(async (input: string, output: string, flags: RedactFlags) => {
      done(await redactFile(input, output, flags, io));
    });
};

async function redactFile(input: string, output: string, flags: RedactFlags, io: Io): Promise<number> {
  const { redact } = await import('@plimsoll/heap');
  const progress = new ProgressLine(io);
  try {
    const result = await redact(resolve(io.cwd, input), resolve(io.cwd, output), {
      keepNames: flags.keepName ?? [],
      onProgress: (done, total) => progress.show(`redacting ${Math.round((100 * done) / total)} %`),
    });
    progress.clear();
    const { inputBytes, outputBytes, keptStrings, replacedStrings } = result;
    io.stdout.write(
      flags.json === true
        ? `${JSON.stringify({ ...result, input, output }, null, 2)}\n`
        : `${output}: ${formatByteSize(outputBytes)} of ${formatByteSize(inputBytes)}, ${replacedStrings} strings replaced, ${keptStrings} names of code kept\n`,
    );
    return exitCode.fine;
  } finally {
    progress.clear();
  }
}
