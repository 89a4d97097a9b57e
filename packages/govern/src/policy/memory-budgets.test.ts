import { describe, expect, test } from 'vitest';
import { convertMemoryBudgets } from './memory-budgets.ts';
import { parsePolicy } from './parse.ts';

const seed = `memory_budgets:
  global:
    max_memory_mb: 512
    warning_threshold_percent: 80
    critical_threshold_percent: 95
  services:
    messaging: 100MB
    autonomous_workflow: 150MB
    vector_database: 200MB
    agent_workspace: 50MB
`;

describe('a policy with memory_budgets', () => {
  test('becomes one of ours with the same numbers, and says what changed', () => {
    const { text, changes } = convertMemoryBudgets(seed, 'memory_policy.yaml');
    const policy = parsePolicy(text, 'plimsoll.yaml');
    expect(policy.mode).toBe('shadow');
    expect(policy.global.max).toEqual({ bytes: 512 * 1024 ** 2 });
    expect(policy.budgets.services.map(({ glob, max }) => [glob.text, max])).toHaveLength(4);
    expect(policy.levels).toMatchObject({
      warning: { enterRatio: 0.8, exitRatio: 0.75 },
      critical: { enterRatio: 0.95, exitRatio: 0.9 },
      emergency: { enterRatio: 0.98 },
    });
    expect(policy.notes).toEqual([]);
    expect(changes).toMatchInlineSnapshot(`
      [
        "line 3: memory_budgets.global.max_memory_mb: 512 became 512MiB; MB was read as MiB.",
        "line 7: service "messaging": 100MB became max: 100MiB.",
        "line 8: service "autonomous_workflow": 150MB became max: 150MiB.",
        "line 9: service "vector_database": 200MB became max: 200MiB.",
        "line 10: service "agent_workspace": 50MB became max: 50MiB.",
        "thresholds became levels: warning from 80 %, critical from 95 %. Level emergency from 98 % was added. Each ends below its line, and they are compared with live memory after a garbage collection and not with the memory in use.",
        "the ladder was added, because the old policy named no actions in a form that can be converted. It only reports until mode is enforce.",
      ]
    `);
  });

  test('inside a document is found there, with its lines', () => {
    const document = `# Report\n\n\`\`\`yaml\n${seed}\`\`\`\nmore\n`;
    const { text, changes } = convertMemoryBudgets(document, 'report.md');
    expect(parsePolicy(text, 'p').budgets.services).toHaveLength(4);
    expect(changes[0]).toMatch(/^line 6: memory_budgets\.global\.max_memory_mb/);
  });

  test('lists what it leaves out', () => {
    const { text, changes } = convertMemoryBudgets(
      `${seed}    broken: lots\n    big: { max_memory_mb: 4096 }\nleak_detection: { growth: 10 }\nalerts: { a2a: true }\ncolour: red\n`,
      'p.yaml',
    );
    expect(parsePolicy(text, 'p').budgets.services).toHaveLength(5);
    const all = changes.join('\n');
    for (const part of [
      'service "broken" has no size',
      'service "big" had more than the global budget',
      'leak_detection was left out: leaks are found without settings',
      'alerts was left out: write recipients',
      'colour was left out: it has no counterpart',
    ])
      expect(all).toContain(part);
  });

  test.each([
    ['thresholds in the wrong order', '{ warning_threshold_percent: 90, critical_threshold_percent: 70 }'],
    ['thresholds at the end', '{ warning_threshold_percent: 98, critical_threshold_percent: 99 }'],
    ['low thresholds', '{ warning_threshold_percent: 10, critical_threshold_percent: 12 }'],
    ['nothing but a size', '{ max_memory_mb: "1.5 GB" }'],
  ])('%s give a policy that can be used', (_, global) => {
    const { text } = convertMemoryBudgets(`memory_budgets: { global: ${global} }`, 'p');
    expect(() => parsePolicy(text, 'p')).not.toThrow();
  });

  test('of another form is refused', () => {
    expect(() => convertMemoryBudgets('apiVersion: plimsoll/v1\n', 'p.yaml')).toThrow(
      'there is no "memory_budgets" in it; it has apiVersion.',
    );
    expect(() => convertMemoryBudgets('a: [', 'p.yaml')).toThrow(/text/);
  });
});
