/**
 * Series of composed lives: a random grammar of loads, of harmless parts and of leaks, in random surroundings. Every seed is another
 * composition. Seeds below 1,300 are for design, those from 5,000 on only judge.
 */
import { leaks, loads, parts, pick, sum, times, whole } from './composed-parts.ts';
import type { Curve } from './composed-parts.ts';
import { drawing, live, random } from './family-series.ts';
import type { Draw, Shape, Surroundings } from './family-series.ts';
import type { Series } from './series.ts';

function surroundings(draw: Draw): Surroundings {
  const base = draw.log(40, 800);
  const perSecond = draw.log(2, 200);
  const lifetime = draw.log(300, draw.chance(0.2) ? 8 * 3600 : 5400);
  const share = draw.log(0.03, 0.8);
  const factor = draw.log(0.3, 2.5);
  return {
    hours: Math.round(draw.log(24, 240)),
    base,
    perSecond,
    lifetime,
    perSession: (base * share) / ((perSecond / 15) * lifetime),
    wanderTau: draw.log(0.5, 8) * 3600,
    wanderSd: base * 0.008 * draw.log(0.3, 2.5),
    warm: base * draw.between(0.02, 0.4),
    warmTau: draw.log(0.1, 2),
    gcEvery: draw.log(2, draw.chance(0.2) ? 90 : 20) * 60,
    external: draw.between(5, 40),
    room: draw.log(1.3, 5),
    factor,
    hasLoad: draw.chance(0.85),
    spikes: draw.chance(0.25) ? draw.between(0.02, 0.2) : 0,
  };
}

function combine(
  shapes: readonly Shape[],
  key: 'heap' | 'native' | 'external' | 'attributed',
): Curve | undefined {
  const curves = shapes.map((shape) => shape[key]).filter((curve) => curve !== undefined);
  return curves.length === 0 ? undefined : sum(curves);
}

function drawnLeak(draw: Draw, hours: number): readonly [string, Shape] {
  const onset = draw.chance(0.4) ? 0 : draw.between(0.08, 0.5) * hours;
  const rate = draw.log(Math.max(0.004, 0.4 / (hours - onset)), 0.05);
  const [name, { grown }] = pick(draw, leaks, hours - onset);
  const place = draw.between(0, 1);
  const where = place < 0.8 ? 'heap' : place < 0.88 ? 'external' : place < 0.95 ? 'native' : 'sessions';
  const total = rate * (hours - onset);
  return [
    `${name} in ${where}`,
    {
      onset,
      where,
      ...(grown === undefined ? { perLoad: rate } : { leaked: (h) => total * grown(h - onset) }),
    },
  ];
}

/** A series by its seed; `family` names what leaks, or the harmless part that was drawn first. */
export function composedSeries(leak: boolean, seed: number): Series {
  const next = random(`composed|${leak}|${seed}`);
  const draw = drawing(next);
  const around = surroundings(draw);
  const { hours } = around;
  const [loadName, load] = pick(draw, loads, hours);
  const drawn = times(whole(draw, leak ? 0 : 1, leak ? 2 : 3), () => 0).map(() => pick(draw, parts, hours));
  const shapes = drawn.map(([, make]) => make(load));
  const [leakName, leaking] = leak ? drawnLeak(draw, hours) : ['', {}];
  const life: Shape = { load, ...leaking };
  const curves = Object.fromEntries(
    (['heap', 'native', 'external', 'attributed'] as const).flatMap((key) => {
      const curve = combine(shapes, key);
      return curve === undefined ? [] : [[key, curve]];
    }),
  );
  const names = [loadName, ...drawn.map(([name]) => name), ...(leak ? [leakName] : [])];
  return {
    ...live({ ...life, ...curves }, around, next, draw),
    id: `${seed} ${names.join(' + ')}`,
    family: leak ? leakName : (drawn[0]?.[0] ?? loadName),
    noise: '',
    leak,
  };
}
