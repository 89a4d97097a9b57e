import { expect, it } from 'vitest';
import { isOwnFile, originHere, originOf, siteText } from './call-site.ts';
import type { StackFrame } from './call-site.ts';

const frame = (scriptName: string, functionName = 'f', lineNumber = 3): StackFrame => ({
  scriptName,
  functionName,
  lineNumber,
  columnNumber: 7,
});

it('names the library that attached and the program that called it', () => {
  const origin = originOf(
    [
      frame('file:///x/leak/src/audit/listener-tap.ts'),
      frame('node:events'),
      frame('file:///app/node_modules/lib/index.js', 'wait', 10),
      frame('file:///app/node_modules/other/index.js', 'call', 20),
      frame('file:///app/src/run.ts', 'Run.start', 51),
    ],
    () => false,
  );
  expect(siteText(origin?.site as never, '/app')).toBe('wait (node_modules/lib/index.js:10:7)');
  expect(siteText(origin?.caller as never, '/app')).toBe('Run.start (src/run.ts:51:7)');
});

it('looks through a tap between two frames of Node.js', () => {
  const tap = frame('file:///x/leak/src/audit/method-tap.ts');
  const all = [tap, frame('node:async_hooks'), tap, frame('file:///app/a.js', 'run')];
  expect(originOf(all, (file) => file.includes('core'))?.site.function).toBe('run');
});

it('knows no origin for our own code, for Node.js alone and for an empty stack', () => {
  const isOwn = (file: string): boolean => file.includes('plimsoll');
  expect(originOf([frame('file:///plimsoll/x.js'), frame('file:///app/a.js')], isOwn)).toBeUndefined();
  expect(originOf([frame('node:net'), frame('file:///plimsoll/x.js')], isOwn)).toBeUndefined();
  expect(originOf([frame('node:net'), frame('')], isOwn)).toBeUndefined();
  expect(originOf([], isOwn)).toBeUndefined();
});

it('writes a place as it is typed from here, and one elsewhere in full', () => {
  const at = { function: '', line: 1, column: 2 };
  expect(siteText({ ...at, file: '/app/a.cjs' }, '/app')).toBe('a.cjs:1:2');
  expect(siteText({ ...at, file: 'file:///other/a.js' }, '/app')).toBe('/other/a.js:1:2');
  expect(siteText({ ...at, file: 'file://host%2F/a.js' }, '/app')).toContain('a.js:1:2');
});

it('takes the packages beside this one for its own', () => {
  expect(isOwnFile(import.meta.url)).toBe(true);
  expect(isOwnFile('/app/node_modules/plimsoll/dist/register.js')).toBe(true);
  expect(isOwnFile('/app/src/main.ts')).toBe(false);
  expect(originHere()).toBeUndefined();
  expect(originHere(() => false)?.site.file).toContain('call-site.test.ts');
});
