import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');

/** The declaration of an exported interface or union, as its source has it, in a block of TypeScript. */
export function typeText(file: string, ...names: readonly string[]): string {
  const source = readFileSync(resolve(root, file), 'utf8');
  const found = names.map((name) => {
    const text = new RegExp(`^export (?:interface ${name}\\b[^]*?^\\}|type ${name} =[^]*?;)$`, 'm').exec(
      source,
    )?.[0];
    if (text === undefined) throw new Error(`${file} declares no type ${name}`);
    return text.replace(/^export /, '');
  });
  return `\`\`\`typescript\n${found.join('\n\n')}\n\`\`\``;
}
