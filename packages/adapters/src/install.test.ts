import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { connectOnce, frameworks } from './framework-slot.ts';
import { install } from './install.ts';

function project(...packages: readonly string[]): string {
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-install-'));
  for (const name of packages) mkdirSync(join(dir, 'node_modules', name), { recursive: true });
  mkdirSync(join(dir, 'src/deep'), { recursive: true });
  return dir;
}

test('a program without a framework gets no hook', () => {
  expect(install({}, [project('express')])).toEqual({ found: [], isHooked: false });
});

// Before the others: every installation adds its line to the files that are loaded later.
test('a file of a framework hands over its functions and classes when it is loaded, and says which it lacks', () => {
  const dir = project('ai/dist', '@mastra/core/dist');
  const at = (path: string): string => join(dir, 'node_modules', path);
  writeFileSync(
    at('ai/dist/index.js'),
    "function generateText() { return 'own'; }\nexports.generateText = () => generateText();",
  );
  // A file whose name has a hash is asked only for what it declares.
  writeFileSync(at('@mastra/core/dist/mastra-Ab12.cjs'), 'class Mastra {}\nexports.Mastra = Mastra;');
  writeFileSync(at('@mastra/core/dist/other.cjs'), "exports.name = 'other';");
  expect(install({}, [dir]).found).toEqual(['ai', 'mastra']);
  const load = createRequire(join(dir, 'program.js'));
  const { generateText } = load('ai/dist/index.js') as { generateText: () => string };
  const { Mastra } = load('@mastra/core/dist/mastra-Ab12.cjs') as { Mastra: unknown };
  expect(load('@mastra/core/dist/other.cjs')).toEqual({ name: 'other' });
  expect(generateText()).toBe('own');
  const end = frameworks().patch(
    'ai.generateText',
    (original) => () => `patched ${(original as () => string)()}`,
  );
  expect(generateText()).toBe('patched own');
  end();
  let handed: unknown;
  frameworks().patch('mastra.Mastra', (found) => (handed = found));
  expect(handed).toBe(Mastra);
  expect([...frameworks().unhooked].filter((name) => /^(?:ai|mastra)/.test(name))).toEqual([
    'ai.streamText',
    'ai.streamTextLowMemory',
  ]);
});

test('a framework is found from a folder further down, and in the store of pnpm', () => {
  expect(install({}, [join(project('ai'), 'src/deep')])).toEqual({ found: ['ai'], isHooked: true });
  expect(install({}, [project('.pnpm/node_modules/@modelcontextprotocol/sdk')]).found).toEqual(['mcp']);
});

test.each(['off', '0', 'false', 'no'])('PLIMSOLL_ADAPTERS=%s turns all of them off', (word) => {
  expect(install({ PLIMSOLL_ADAPTERS: word }, [project('ai')])).toEqual({ found: [], isHooked: false });
});

test('a function of a framework is called through the adapter from the moment it comes, and as it was once it goes', () => {
  const slot = frameworks();
  let streamText = (text: string): string => `framework ${text}`;
  slot.loaded('test.streamText', streamText, (made) => (streamText = made as typeof streamText));
  // Whoever took the function before the adapter came has the one that is changed later.
  const taken = streamText;
  expect(taken('a')).toBe('framework a');
  const end = slot.patch(
    'test.streamText',
    (original) => (text: string) => `adapter ${(original as typeof streamText)(text)}`,
  );
  expect(taken('b')).toBe('adapter framework b');
  end();
  expect(taken('c')).toBe('framework c');
});

test('an adapter is connected once, and again after it was disconnected', () => {
  let connected = 0;
  const connect = (): (() => void) => {
    connected += 1;
    return () => (connected -= 1);
  };
  const end = connectOnce('test', connect);
  expect(connectOnce('test', connect)).toBe(end);
  expect(connected).toBe(1);
  end();
  end();
  expect(connected).toBe(0);
  connectOnce('test', connect)();
  expect(connected).toBe(0);
});
