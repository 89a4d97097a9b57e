import { createHash } from 'node:crypto';
import type { LevelRules, Policy } from './policy.ts';
import { steadyDefaults } from './sections/admission.ts';
import { alertDefaults } from './sections/alert-rules.ts';
import { approvalDefaults } from './sections/approvals.ts';
import { guardDefaults } from './sections/guards.ts';
import { rollbackDefaults } from './sections/rollback.ts';
import { sessionDefaults } from './sections/sessions.ts';
import { settleDefaults } from './sections/settle.ts';

const minute = 60_000;
const day = 86_400_000;
const place = { file: 'built-in', line: 0, column: 0 };

/**
 * The named sets of levels that a policy can choose. A policy without `levels` gets `strict`.
 *
 * Shares are of the limit, which for the heap is 80 % of V8's old space. Each level of `strict` begins before the next way in which the
 * process can die:
 * - warning, 60 % (48 % of old space): half of the heap is free, so there is time to look, and to measure what is alive.
 * - critical, 80 % (64 % of old space): before the 66 % at which one growing Map ends the process, because its next table does not fit.
 * - emergency, 95 % (76 % of old space): before the 80 % from which V8 of Node 20 to 25 gives up under collector load. Small objects alone
 *   reach 98 % or more, so the actions of an emergency have a fifth of old space left.
 * - A control group is measured by its working set. 95 % leaves a twentieth, and the kernel gives no other warning. Thrashing of the
 *   collector or the kernel lifts each of them by one. `relaxed` suits a process that runs nearly full on purpose.
 */
export const levelPresets: Readonly<Record<'strict' | 'relaxed', LevelRules>> = {
  strict: {
    warning: { enterRatio: 0.6, exitRatio: 0.55, forMs: 30_000, keepMs: minute },
    critical: { enterRatio: 0.8, exitRatio: 0.75, forMs: 10_000, keepMs: minute },
    emergency: { enterRatio: 0.95, exitRatio: 0.9, forMs: 2000, keepMs: minute },
  },
  relaxed: {
    warning: { enterRatio: 0.8, exitRatio: 0.75, forMs: 30_000, keepMs: minute },
    critical: { enterRatio: 0.95, exitRatio: 0.9, forMs: 10_000, keepMs: minute },
    emergency: { enterRatio: 0.98, exitRatio: 0.95, forMs: 2000, keepMs: minute },
  },
};

/** The policy of a process without a policy file. It only observes. Every value that a policy file leaves out comes from here. */
export const builtInPolicy: Policy = {
  file: 'built-in',
  revision: 0,
  sha256: createHash('sha256').update('plimsoll built-in policy v1').digest('hex'),
  mode: 'observe',
  limits: { heapUsableRatio: 0.8 },
  levels: levelPresets.strict,
  signal: { sampleMs: 1000, fastMs: 250, staleMs: 15_000, graceMs: minute },
  global: { max: { ratio: 1 }, reserveBytes: 0, place },
  budgets: { services: [], agents: [], sessions: [], runs: [], stages: [], tools: [] },
  admission: steadyDefaults,
  ladder: { warning: [], critical: [], emergency: [] },
  approvals: approvalDefaults,
  settle: settleDefaults,
  guards: guardDefaults,
  retention: { rawMs: 7 * day, minuteMs: 90 * day, hourMs: 730 * day, maxBytes: 1024 ** 3 },
  rollback: rollbackDefaults,
  alerts: alertDefaults,
  sessions: sessionDefaults,
  adapters: {},
  exempt: [],
  notes: [],
};
