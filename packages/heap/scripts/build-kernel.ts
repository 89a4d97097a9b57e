/** Compiles the kernel from AssemblyScript and writes it as a TypeScript file: `node scripts/build-kernel.ts`. */
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';

const here = import.meta.dirname;
const target = resolve(here, '../src/kernel/kernel-bytes.ts');
const flags = ['-O3', '--noAssert', '--runtime', 'stub', '--importMemory', '--enable', 'simd'];

interface Compiler {
  main(
    args: readonly string[],
    options: { writeFile(name: string, contents: Uint8Array | string): void },
  ): Promise<{ error: Error | null; stderr: { toString(): string } }>;
}

/** The text of `kernel-bytes.ts` as the sources give it. */
export async function kernelFile(): Promise<string> {
  const { default: asc } = (await import('assemblyscript/asc')) as unknown as { default: Compiler };
  let bytes: Uint8Array | undefined;
  const done = await asc.main(
    ['index.ts', '--outFile', 'kernel.wasm', '--baseDir', resolve(here, '../src/kernel/assembly'), ...flags],
    {
      writeFile(_name, contents) {
        if (typeof contents !== 'string') bytes = contents;
      },
    },
  );
  if (done.error !== null || bytes === undefined)
    throw new Error(`${done.error?.message}\n${done.stderr.toString()}`);
  const lines = Buffer.from(bytes)
    .toString('base64')
    .match(/.{1,100}/gu) as readonly string[];
  return [
    '/** The compiled kernel; generated from assembly/ by scripts/build-kernel.ts. */',
    'export const kernelBytes =',
    ...lines.map((line, k) => `  '${line}'${k + 1 < lines.length ? ' +' : ';'}`),
    '',
  ].join('\n');
}

if (import.meta.main) writeFileSync(target, await kernelFile());
