import { describe, expect, test } from 'vitest';
import { problemsOf, withHeader } from '../policy.fixture.ts';
import { parseYamlTree } from './yaml-tree.ts';

const first = (text: string): string => problemsOf(text).split('\n\n')[0] as string;

describe('syntax in our words', () => {
  test('each kind of fault', () => {
    const cases = [
      ['tab', 'mode:\n\tobserve'],
      ['unclosed bracket', 'mode: [ a'],
      ['unclosed quote', 'mode: "a'],
      ['indentation', 'budgets:\n  agents:\n a: 1'],
      ['two keys on a line', 'a: b: c'],
      ['reserved character', 'mode: @x'],
      ['bare star', 'budgets:\n  agents:\n    *: { max: 1MiB }'],
      ['unknown anchor', 'mode: *x'],
      ['second document', 'mode: observe\n---\nmode: observe'],
      ['unknown tag', 'mode: !secret x'],
      ['key without a colon', 'budgets:\n  agents\n  tools: 1'],
      ['escape', String.raw`mode: "\q"`],
      ['block in flow', 'mode: [\n- a\n]'],
      ['alias with an anchor', 'a: &x 1\nmode: &y *x'],
    ];
    const texts = cases.map(([name, text]) => `${name}: ${first(withHeader(text as string))}`);
    expect(texts.join('\n\n')).toMatchInlineSnapshot(`
      "tab: PLM_POLICY_SYNTAX: the text is indented with a tab.
        at:  plimsoll.yaml:3:1
        fix: indent with spaces.

      unclosed bracket: PLM_POLICY_SYNTAX: the text is indented wrongly.
        at:  plimsoll.yaml:2:10
        fix: align it with the keys of the same map.

      unclosed quote: PLM_POLICY_SYNTAX: the text misses a character: a closing quote or bracket, a comma or a space after ":".
        at:  plimsoll.yaml:2:9
        fix: add the missing character.

      indentation: PLM_POLICY_SYNTAX: the text is indented wrongly.
        at:  plimsoll.yaml:3:10
        fix: align it with the keys of the same map.

      two keys on a line: PLM_POLICY_SYNTAX: the text has two keys on one line.
        at:  plimsoll.yaml:2:4
        fix: put each "key: value" on its own line.

      reserved character: PLM_POLICY_SYNTAX: the text starts with a character that YAML reserves.
        at:  plimsoll.yaml:2:7
        fix: put the value in quotes.

      bare star: PLM_POLICY_SYNTAX: the text has a character where YAML expects none.
        at:  plimsoll.yaml:4:8
        fix: put the value in quotes, or remove the character.

      unknown anchor: PLM_POLICY_ALIAS: the alias "*x" refers to an anchor that does not exist above it.
        at:  plimsoll.yaml:2:7
        fix: define "&x" above it; a name that begins with "*" needs quotes.

      second document: PLM_POLICY_SYNTAX: the text starts a second document.
        at:  plimsoll.yaml:3:1
        fix: remove the "---"; a policy is one document.

      unknown tag: PLM_POLICY_SYNTAX: the text has a tag that a policy does not know.
        at:  plimsoll.yaml:2:7
        fix: remove the tag (the word that starts with "!").

      key without a colon: PLM_POLICY_SYNTAX: the text has a key without a ":" on the same line.
        at:  plimsoll.yaml:3:3
        fix: write it as "key: value".

      escape: PLM_POLICY_SYNTAX: the text has an unknown escape inside double quotes.
        at:  plimsoll.yaml:2:8
        fix: use single quotes, or double the backslash.

      block in flow: PLM_POLICY_SYNTAX: the text is indented wrongly.
        at:  plimsoll.yaml:3:1
        fix: align it with the keys of the same map.

      alias with an anchor: PLM_POLICY_SYNTAX: the text puts an anchor or tag on an alias.
        at:  plimsoll.yaml:3:10
        fix: move the anchor to the value itself."
    `);
  });

  test('keys that are no text, and keys written twice', () => {
    expect(
      problemsOf(
        withHeader('? [a]\n: 1\n? {b: 1}\n: 2\n: 3\nmode: observe\nbudgets:\n  tools: {}\n"mode": shadow'),
      ),
    ).toMatchInlineSnapshot(`
      "PLM_POLICY_BAD_KEY: a key is empty, a list or a map; a key has to be text.
        at:  plimsoll.yaml:2:3
        fix: write the key as text, in quotes where it has special characters: "*".

      PLM_POLICY_BAD_KEY: a key is empty, a list or a map; a key has to be text.
        at:  plimsoll.yaml:4:3
        fix: write the key as text, in quotes where it has special characters: "*".

      PLM_POLICY_BAD_KEY: a key is empty, a list or a map; a key has to be text.
        at:  plimsoll.yaml:6:1
        fix: write the key as text, in quotes where it has special characters: "*".

      PLM_POLICY_DUPLICATE_KEY: "mode" is written twice in one map.
        at:  plimsoll.yaml:10:1
        fix: merge it with line 7, or remove one of them."
    `);
  });
});

describe('hostile texts are refused, and quickly', () => {
  test('an alias bomb', () => {
    const bomb = `a: &a [x, x, x, x, x, x, x, x, x]\n${'bcdefghi'
      .split('')
      .map((name, i) => `${name}: &${name} [${Array(9).fill(`*${'abcdefgh'[i]}`).join(', ')}]`)
      .join('\n')}`;
    expect(first(withHeader(bomb))).toMatchInlineSnapshot(`
      "PLM_POLICY_ALIAS: the alias "*a" stands inside a value that is itself an alias.
        at:  plimsoll.yaml:3:8
        fix: write the value out, or use a glob."
    `);
  });

  test('an alias of itself', () => {
    expect(first(withHeader('a: &a [*a]'))).toMatchInlineSnapshot(`
      "PLM_POLICY_ALIAS: the alias "*a" stands inside a value that is itself an alias.
        at:  plimsoll.yaml:2:8
        fix: write the value out, or use a glob."
    `);
  });

  test('more than 100 aliases', () => {
    const many = Array.from({ length: 500 }, (_, i) => `    a${i}: *small`).join('\n');
    const text = withHeader(`budgets:\n  agents:\n    a: &small { max: 1MiB }\n${many}`);
    expect(problemsOf(text)).toMatchInlineSnapshot(`
      "PLM_POLICY_ALIAS: the alias "*small" is one too many; a policy has at most 100.
        at:  plimsoll.yaml:105:11
        fix: write the value out, or use a glob."
    `);
  });

  test('a file of megabytes', () => {
    expect(problemsOf(withHeader(`# ${'x'.repeat(3 * 1024 ** 2)}`))).toMatchInlineSnapshot(`
      "PLM_POLICY_TOO_BIG: the policy has 3.0 MiB; at most 128.0 KiB are read.
        at:  plimsoll.yaml
        fix: use globs instead of one entry per name."
    `);
  });

  // Each of these made the parser recurse until the process aborted or spent seconds.
  test.each([
    ['brackets', '['.repeat(900)],
    ['brackets on lines', '[\n'.repeat(60_000)],
    ['braces', '{a: '.repeat(200)],
    ['compact lists', '- '.repeat(60_000)],
    ['compact lists on one short line', '- '.repeat(60)],
    ['compact keys', '? '.repeat(400)],
    ['indentation', Array.from({ length: 400 }, (_, i) => `${' '.repeat(i)}a:`).join('\n')],
    ['one long line', `a: ${'x'.repeat(50_000)}`],
  ])('deep nesting by %s', (_, text) => {
    expect(problemsOf(text)).toContain('PLM_POLICY_SYNTAX: the text is nested deeper than 32 levels.');
  });

  test('nesting the guard lets pass and the tree does not', () => {
    const text = Array.from({ length: 60 }, (_, i) => `${' '.repeat(i)}a:`).join('\n');
    expect(problemsOf(text)).toMatchInlineSnapshot(`
      "PLM_POLICY_SYNTAX: the text is nested deeper than 32 levels.
        at:  plimsoll.yaml:33:33
        fix: write it flatter; a policy needs 6 levels.

      PLM_POLICY_SYNTAX: the text is nested deeper than 32 levels.
        at:  plimsoll.yaml:34:34
        fix: write it flatter; a policy needs 6 levels."
    `);
  });
});

test('brackets in comments and quotes do not count as nesting', () => {
  const text = withHeader(`${'# [[[[[[[[[[\n'.repeat(50)}${'# {"\n'.repeat(50)}mode: 'observe' # [[[`);
  expect(problemsOf(text)).toBe('');
});

test('every part knows its place', () => {
  const { tree } = parseYamlTree('a:\n  b: [ 1, x ]\n', 'f');
  expect(tree).toMatchObject({
    kind: 'map',
    entries: [
      {
        key: 'a',
        keyPlace: { file: 'f', line: 1, column: 1 },
        value: {
          place: { line: 2, column: 3 },
          entries: [
            {
              key: 'b',
              value: { kind: 'list', items: [{ value: 1 }, { value: 'x', place: { line: 2, column: 11 } }] },
            },
          ],
        },
      },
    ],
  });
});
