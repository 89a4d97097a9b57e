/** What asking to be let in costs, beside the checks of what users put in front of a server instead. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import underPressure from '@fastify/under-pressure';
import Fastify from 'fastify';
import protect from 'overload-protection';
import { admit, isUnderPressure } from '@plimsoll/core';
import { admission } from '@plimsoll/govern/internal/admission/admission-control';
import type { AdmissionReading } from '@plimsoll/govern/internal/admission/admission-control';
import { row } from '../row.ts';
import type { Benchmark, Row } from '../row.ts';

const block = 20_000;
const mib = 1024 ** 2;
const calm = {
  level: 'normal',
  usedBytes: 100 * mib,
  limitBytes: 400 * mib,
  source: 'heap',
  rule: 'limits.heap',
  freeBytes: 300 * mib,
  inFlight: () => 5,
} as const;

const benchmark: Benchmark = async ({ quick, log }) => {
  const repeats = quick ? 10 : 200;
  const control = admission();
  control.govern({ mode: 'enforce' });
  control.observe(calm);

  const app = Fastify();
  await app.register(underPressure, { maxHeapUsedBytes: 4e9, maxEventLoopDelay: 10_000, maxRssBytes: 8e9 });
  await app.ready();
  const check = (): boolean => app.isUnderPressure();
  const guard = protect('http', { maxHeapUsedBytes: 4e9, maxEventLoopDelay: 10_000 });
  const request = {} as IncomingMessage;
  const response = {} as ServerResponse;

  log('normal level');
  const timed = interleaved(repeats, calm, {
    run: () => void admit('run'),
    released: () => admit('run').release(),
    options: () => void admit('run', { priority: 'sheddable', continues: 'session' }),
    asked: () => void isUnderPressure(),
    fastify: () => void check(),
    overload: () => void guard(request, response),
  });
  const bytes = interleaved(repeats, calm, { bytes: () => void admit('buffer', 1) });
  const rows: Row[] = [
    row({
      metric: 'admission: admit("run"), normal level',
      unit: 'ns',
      samples: timed.run,
      peer: { name: '@fastify/under-pressure check', samples: timed.fastify },
      goal: { of: 'ours', atMost: 300 },
    }),
    row({
      metric: 'admission: admit("run") and release',
      unit: 'ns',
      samples: timed.released,
      peer: { name: 'overload-protection check', samples: timed.overload },
      goal: { of: 'ours', atMost: 300 },
    }),
    row({ metric: 'admission: with options', unit: 'ns', samples: timed.options, goal: { atMost: 300 } }),
    row({
      metric: 'admission: admit("buffer", bytes), reserved',
      unit: 'ns',
      samples: bytes.bytes,
      goal: { atMost: 300 },
    }),
    row({
      metric: 'admission: isUnderPressure()',
      unit: 'ns',
      samples: timed.asked,
      peer: { name: '@fastify/under-pressure check', samples: timed.fastify },
      goal: { of: 'ours', atMost: 300 },
    }),
  ];

  log('refusing');
  const pressed = { ...calm, level: 'emergency', usedBytes: 390 * mib } as const;
  control.observe(pressed);
  control.refuse({ except: [], retryAfterMs: { min: 5000, max: 20_000 }, reason: 'ladder.emergency[1]' });
  const refused = interleaved(repeats / 10, pressed, {
    refused: refuse,
    spared: () => void admit('run', { continues: true }),
  });
  control.ungovern();
  await app.close();
  return [
    ...rows,
    row({ metric: 'admission: a refusal, error and all', unit: 'ns', samples: refused.refused }),
    row({
      metric: 'admission: a continuing turn while refusing',
      unit: 'ns',
      samples: refused.spared,
      goal: { atMost: 300 },
    }),
  ];
};

export default benchmark;

function refuse(): void {
  try {
    admit('session');
  } catch {
    // That is what is measured.
  }
}

/** Ns per call of each, in blocks that take turns so that a noisy machine hits all alike. */
function interleaved<Name extends string>(
  repeats: number,
  reading: AdmissionReading,
  calls: Readonly<Record<Name, () => void>>,
): Record<Name, number[]> {
  const entries = Object.entries(calls) as [Name, () => void][];
  const samples = Object.fromEntries(entries.map(([name]) => [name, []])) as unknown as Record<
    Name,
    number[]
  >;
  for (let turn = -10; turn < repeats; turn++) {
    // As a sampler would: what nobody renews lapses.
    admission().observe(reading);
    for (const [name, call] of entries) {
      const started = process.hrtime.bigint();
      for (let i = 0; i < block; i++) call();
      const ns = Number(process.hrtime.bigint() - started) / block;
      if (turn >= 0) samples[name].push(ns);
    }
  }
  return samples;
}
