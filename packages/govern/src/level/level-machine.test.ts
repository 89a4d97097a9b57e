import { describe, expect, test } from 'vitest';
import { levelPresets } from '../policy/built-in.ts';
import { LevelMachine } from './level-machine.ts';
import { hour, instantTransitions, leak, noiseAt, play, sawTooth, seeded } from './trace.fixture.ts';

const strict = levelPresets.strict;

/** Levels that a list of [seconds, ratio] stretches, sampled every second, goes through. */
function walk(
  machine: LevelMachine,
  stretches: readonly (readonly [number, number])[],
  startMs = 0,
): string[] {
  const seen: string[] = [];
  let nowMs = startMs;
  for (const [seconds, ratio] of stretches) {
    for (let i = 0; i < seconds; i++) {
      const level = machine.tick(nowMs, ratio, 1000);
      if (seen.at(-1)?.split(' ')[1] !== level) seen.push(`${nowMs / 1000}s ${level}`);
      nowMs += 1000;
    }
  }
  return seen;
}

describe('traces of the facts, one hour each', () => {
  test('a healthy saw-tooth changes nothing; instant thresholds change 287 times', () => {
    for (let seed = 0; seed < 50; seed++) expect(play(sawTooth(seeded(seed))).transitions).toEqual([]);
    expect(instantTransitions(sawTooth(seeded(0)))).toBe(287);
  });

  test.each([
    { centre: 0.6, most: 0 },
    { centre: 0.8, most: 1 },
    { centre: 0.75, most: 1 },
    { centre: 0.55, most: 0 },
  ])('noise around $centre changes the level at most $most times', ({ centre, most }) => {
    for (let seed = 0; seed < 50; seed++)
      expect(play(noiseAt(centre, 0.02, seeded(seed))).transitions.length).toBeLessThanOrEqual(most);
  });

  test('instant thresholds change some 1,800 times an hour on such noise', () => {
    expect(instantTransitions(noiseAt(0.8, 0.02, seeded(0)))).toBeGreaterThan(1500);
  });

  test.each([0.0005, 0.001, 0.002, 0.005])(
    'a leak of %d per second is caught 2 to 30 s after the instant rule, at every level and in order',
    (perSecond) => {
      const { transitions } = play(leak(perSecond, 0, seeded(1)));
      const crossed = (ratio: number): number => Math.ceil((ratio - 0.4) / perSecond - 1e-9);
      expect(transitions.map(({ to }) => to)).toEqual(['warning', 'critical', 'emergency']);
      const late = transitions.map(({ atMs }, i) => atMs / 1000 - crossed([0.6, 0.8, 0.95][i] as number));
      for (const [i, most] of [30, 10, 2].entries()) {
        expect(late[i]).toBeGreaterThanOrEqual(most - 1);
        expect(late[i]).toBeLessThanOrEqual(most + 1);
      }
    },
  );

  test('a leak with the noise of a real process is caught within 40 s of its mean crossing a line', () => {
    for (let seed = 0; seed < 50; seed++) {
      const { transitions } = play(leak(0.002, 0.01, seeded(seed)));
      expect(transitions.map(({ to }) => to)).toEqual(['warning', 'critical', 'emergency']);
      transitions.forEach(({ atMs }, i) => {
        const mean = ([0.6, 0.8, 0.95][i] as number) - 0.4;
        expect(atMs / 1000 - mean / 0.002).toBeLessThanOrEqual(40);
      });
    }
  });
});

describe('rules', () => {
  test('a rise may skip levels and a fall goes to the level whose exit line holds', () => {
    const machine = new LevelMachine(strict);
    expect(
      walk(machine, [
        [5, 0.3],
        [10, 0.97],
        [90, 0.78],
        [90, 0.58],
        [90, 0.2],
      ]),
    ).toMatchInlineSnapshot(`
      [
        "0s normal",
        "7s emergency",
        "75s critical",
        "165s warning",
        "255s normal",
      ]
    `);
  });

  test('dips between the lines are forgiven twice in ten samples', () => {
    const forgiven = new LevelMachine(strict);
    const ratios = Array.from({ length: 16 }, (_, i) => (i === 5 ? 0.78 : 0.9));
    ratios.forEach((ratio, i) => forgiven.tick(i * 1000, ratio, 1000));
    expect(forgiven.level).toBe('critical');
    const broken = new LevelMachine(strict);
    ratios.forEach((ratio, i) => broken.tick(i * 1000, i === 5 ? 0.74 : ratio, 1000));
    expect(broken.level).toBe('normal');
  });

  test('a blocked loop is one sample: neither a rise nor a fall comes from it', () => {
    const machine = new LevelMachine(strict);
    machine.tick(0, 0.99, 1000);
    machine.tick(60_000, 0.99, 1000);
    expect(machine.level).toBe('normal');
    machine.tick(61_000, 0.99, 1000);
    expect(machine.level).toBe('emergency');
    machine.tick(62_000, 0.1, 1000);
    machine.tick(600_000, 0.1, 1000);
    expect(machine.level).toBe('emergency');
  });

  test('a clock that goes back or stands still moves no level by itself', () => {
    const machine = new LevelMachine(strict);
    for (const nowMs of [1_000_000, 0, 0, 0, 0, -5, 3]) machine.tick(nowMs, 0.99, 1000);
    expect(machine.level).toBe('normal');
    machine.tick(1003, 0.99, 1000);
    machine.tick(2003, 0.99, 1000);
    expect(machine.level).toBe('emergency');
  });

  test('a failed sensor holds the level and the time does not count', () => {
    const machine = new LevelMachine(strict);
    walk(machine, [[5, 0.97]]);
    expect(machine.level).toBe('emergency');
    for (let i = 5; i < 300; i++) machine.tick(i * 1000, Number.NaN, 1000);
    expect(machine.level).toBe('emergency');
    machine.tick(300_000, 0.1, 1000);
    expect(machine.level).toBe('emergency');
  });

  test('"for: 0s" rises at the first sample', () => {
    const machine = new LevelMachine({ ...strict, warning: { ...strict.warning, forMs: 0 } });
    expect(machine.tick(0, 0.61, 1000)).toBe('warning');
  });

  test('within the grace only an emergency rises, and what was earned counts when it ends', () => {
    const machine = new LevelMachine(strict, 60_000);
    expect(walk(machine, [[70, 0.85]])).toMatchInlineSnapshot(`
      [
        "0s normal",
        "60s critical",
      ]
    `);
    const dying = new LevelMachine(strict, 60_000);
    expect(walk(dying, [[10, 0.99]])).toMatchInlineSnapshot(`
      [
        "0s normal",
        "2s emergency",
      ]
    `);
  });

  test('a forecast lifts by one level and holds until it has been calm for a minute', () => {
    const machine = new LevelMachine(strict);
    machine.tick(0, 0.3, 1000, 30_000);
    expect([machine.level, machine.lifted]).toEqual(['warning', true]);
    for (let i = 1; i <= 60; i++) machine.tick(i * 1000, 0.3, 1000, i < 5 ? 80_000 : 120_000);
    expect(machine.level).toBe('warning');
    for (let i = 61; i <= 70; i++) machine.tick(i * 1000, 0.3, 1000);
    expect([machine.level, machine.lifted]).toEqual(['normal', false]);
  });

  test('a forecast never lifts above emergency nor within the grace', () => {
    const machine = new LevelMachine(strict);
    for (let i = 0; i < 10; i++) machine.tick(i * 1000, 0.99, 1000, 1000);
    expect([machine.level, machine.index]).toEqual(['emergency', 3]);
    const young = new LevelMachine(strict, 60_000);
    young.tick(0, 0.3, 1000, 1000);
    expect(young.level).toBe('normal');
  });

  test('other lines move the level from where it is', () => {
    const machine = new LevelMachine(strict);
    walk(machine, [[40, 0.7]]);
    expect(machine.level).toBe('warning');
    machine.setRules(levelPresets.relaxed);
    expect(machine.level).toBe('warning');
    walk(machine, [[70, 0.7]], 40_000);
    expect(machine.level).toBe('normal');
  });

  test('an hour of ticks at the fast interval gives the same story', () => {
    const trace = Array.from({ length: 4 * hour }, (_, i) => (i < 400 ? 0.3 : 0.85));
    expect(play(trace, 250).transitions).toMatchInlineSnapshot(`
      [
        {
          "atMs": 110000,
          "from": "normal",
          "to": "critical",
        },
      ]
    `);
  });
});

describe('the end in sight', () => {
  const inGrace = 60_000;

  test('what is full within 15 s, from above the critical line, is an emergency by two samples, also at the start', () => {
    const machine = new LevelMachine(strict, inGrace);
    expect(machine.tick(0, 0.5, 1000, 8000)).toBe('normal');
    expect(machine.tick(1000, 0.82, 1000, 8000)).toBe('normal');
    expect(machine.tick(2000, 0.84, 1000, 7000)).toBe('emergency');
  });

  test('below the critical line, later, or said once it is none', () => {
    const machine = new LevelMachine(strict, inGrace);
    for (const [ratio, leftMs] of [
      [0.79, 5000],
      [0.79, 5000],
      [0.85, 16_000],
      [0.85, 16_000],
      [0.85, 9000],
      [0.7, 9000],
    ] as const)
      expect(machine.tick(0, ratio, 1000, leftMs)).toBe('normal');
  });

  test('growth that came to rest lets the level fall after its time', () => {
    const machine = new LevelMachine(strict, inGrace);
    for (const second of [0, 1, 2]) machine.tick(second * 1000, 0.82, 1000, 8000);
    for (let second = 3; second < 60; second++)
      expect(machine.tick(second * 1000, 0.82, 1000)).toBe('emergency');
    for (let second = 60; second < 66; second++) machine.tick(second * 1000, 0.82, 1000);
    expect(machine.level).not.toBe('emergency');
  });
});
