import { expect, test } from 'vitest';
import { parsePolicy } from '@plimsoll/govern/internal/policy/parse';
import { approvalExample, ladderExample } from './examples.ts';

test.each([ladderExample, approvalExample])('what an empty page teaches is a policy', (example) => {
  const text = `apiVersion: plimsoll/v1\nrevision: 1\nmode: enforce\n${example}\n`;
  expect(parsePolicy(text, 'plimsoll.yaml').mode).toBe('enforce');
});
