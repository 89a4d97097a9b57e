import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, { readonly types: string }>>;
}

/** The public types of a built package as one text: every declaration file that its entry points reach, in order of first use. */
export function apiDump(packageDir: string): string {
  const manifest = JSON.parse(readFileSync(resolve(packageDir, 'package.json'), 'utf8')) as Manifest;
  const seen = new Set<string>();
  const parts: string[] = [];
  const visit = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    const text = readFileSync(file, 'utf8')
      .replace(/^\/\/# sourceMappingURL.*$/m, '')
      .trimEnd();
    parts.push(`// ${file.slice(packageDir.length + 1)}\n${text}\n`);
    for (const match of text.matchAll(/from ["'](\.[^"']+)["']/g)) {
      const next = resolve(dirname(file), (match[1] as string).replace(/\.(?:js|ts)$/, '.d.ts'));
      if (existsSync(next)) visit(next);
    }
  };
  for (const [entry, target] of Object.entries(manifest.exports)) {
    if (entry.includes('*')) continue;
    parts.push(`// entry ${manifest.name}${entry.slice(1)}`);
    visit(resolve(packageDir, target.types));
  }
  return parts.join('\n');
}
