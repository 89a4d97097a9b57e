/**
 * Constants of the Waterline, each with its unit and the reason for it. Costs and odds are natural logarithms: a cost of 1 makes a model
 * e times less likely before the data are seen.
 *
 * The values were chosen on generated series (seeds 1 to 12, 101 to 124, 201 to 216) and 104 recorded heaps; those of rises and of growth
 * that must last on seeds 3 to 5 and on seeds 1 to 6 and 11 to 14 of the families in `bench/detect/families.ts`; those of what is needed to
 * confirm on these and on composed lives below seed 1,300. `npm run bench -- detect` scores them, `npm run bench -- detect families` families,
 * compositions and simulated programs that were kept apart. `npm run bench -- detect sensitivity` prints how far each may move
 * before a goal breaks.
 */
const hour = 3600;

interface Parameter {
  readonly value: number;
  readonly unit: 's' | 'share' | 'ln' | 'count' | 'octave' | 'octave²' | 'sigma' | 'x';
  readonly why: string;
}

function parameter(value: number, unit: Parameter['unit'], why: string): Parameter {
  return { value, unit, why };
}

export const parameterTable = {
  // When a channel is looked at.
  bucket: parameter(600, 's', 'Width of the finest bucket. A server has a major GC at least this often.'),
  skip: parameter(1200, 's', 'Start-up that is left out. Modules load and pools fill.'),
  minBuckets: parameter(7, 'count', 'Buckets before the first test. Fewer cannot tell a line from noise.'),
  stride: parameter(
    0.012,
    'share',
    'A window is tested again when it is longer by this share. The number of tests then grows with the logarithm of the age.',
  ),
  farStride: parameter(
    0.07,
    'share',
    'The same after a test that was harmless beyond doubt. It saves CPU time.',
  ),
  confirmedStride: parameter(
    0.02,
    'share',
    'The same while a leak is confirmed, so that an alarm ends soon after the growth has ended.',
  ),
  farOdds: parameter(-5, 'ln', 'Odds below which a test counts as harmless beyond doubt.'),
  closeStride: parameter(
    0.03,
    'share',
    'While a leak is likely, the next test comes when the leak is older by this share.',
  ),
  gateStride: parameter(
    0.006,
    'share',
    'The same as `stride` for the cheap fit of a trend that comes before a test.',
  ),
  gateGrowth: parameter(0.4, 'share', 'Share of the growth that matters from which the trend starts a test.'),

  // Which growth matters.
  growRoom: parameter(
    0.02,
    'share',
    'Growth that matters, as a share of the room that was free when it began.',
  ),
  growLevel: parameter(
    0.02,
    'share',
    'Growth that matters, as a share of the level. Less is not worth a finding.',
  ),
  growWander: parameter(3.5, 'sigma', 'Growth that matters, in standard deviations of the noise.'),
  sureGrowth: parameter(
    0.6,
    'share',
    'The share of `growRoom` and `growLevel` that is waived when the odds reach `sureGrowthOdds`.',
  ),
  sureGrowthOdds: parameter(6, 'ln', 'Odds at which the whole of `sureGrowth` is waived.'),
  horizon: parameter(120 * 24 * hour, 's', 'Exhaustion that is further away is not reported.'),
  loadDay: parameter(
    18 * hour,
    's',
    'Span over which growth and requests are compared: long enough that day and night mostly cancel out.',
  ),
  lateShare: parameter(
    0.3,
    'share',
    'The last part of the growth in which the level must exceed every earlier value. Buffers that are flushed fail this; leaks do not.',
  ),
  lateGrowth: parameter(0.1, 'share', 'By how much it must exceed them, as a share of the growth.'),
  lowDrop: parameter(
    0.35,
    'share',
    'A fall of the level by this share of its rise ends a tooth of a sawtooth. Smaller falls are noise.',
  ),
  lowDropWander: parameter(3, 'sigma', 'The same in standard deviations of the noise.'),
  lowRise: parameter(
    0.25,
    'share',
    'Share of the rise by which the lows between the teeth must have risen for a leak.',
  ),
  newTooth: parameter(
    2,
    'x',
    'A tooth that is longer and higher than every one before it by this factor is growth of another kind.',
  ),

  // What noise and amplitudes look like.
  wander: parameter(
    0.008,
    'share',
    'Standard deviation of the heap floor before any data, as a share of the level.',
  ),
  wanderWeight: parameter(4, 'count', 'Observations that the belief in `wander` weighs.'),
  amplitude: parameter(0.3, 'share', 'Standard deviation of a shape’s amplitude as a share of the level.'),
  leakSize: parameter(
    0.06,
    'share',
    'Typical growth of a leak when it is tested, as a share of the level. Fills are large; leaks are small at first.',
  ),

  // How likely each model is before the data are seen.
  leakCost: parameter(0.6, 'ln', 'Cost of a leak as such.'),
  startCost: parameter(1.1, 'ln', 'Cost of a leak that is present from the start.'),
  laterCost: parameter(3.4, 'ln', 'Cost of a leak that begins at one given later moment.'),
  warmUpCost: parameter(
    1,
    'ln',
    'Further cost of growth that begins soon after the start, which may be a warm-up.',
  ),
  warmUpAge: parameter(16 * hour, 's', 'Age of the process over which `warmUpCost` fades.'),
  warmUpOnset: parameter(4 * hour, 's', 'Onset of the growth over which `warmUpCost` fades.'),
  curveCost: parameter(1, 'ln', 'Cost of an accelerating leak, which is rarer than a steady one.'),
  stepCost: parameter(1.5, 'ln', 'Cost of a harmless step, besides the choice of its place.'),
  stairCost: parameter(
    0.6,
    'ln',
    'Cost of each of four and more steps that have separate causes, e.g. deployments.',
  ),
  burstCost: parameter(3, 'ln', 'Cost of a leak that comes in bursts.'),
  burstLeast: parameter(
    0.25,
    'share',
    'The smallest burst as a share of the mean one. Bursts of one cause are alike.',
  ),
  stepSmear: parameter(2, 'count', 'Rows within which two steps are one step that a wide bucket smears.'),
  riseCost: parameter(
    3,
    'ln',
    'Cost of a rise that begins slowly and ends, besides the choice of its middle and width.',
  ),
  slowRise: parameter(6 * hour, 's', 'Rises with a longer time constant are ever less likely.'),
  riseRemaining: parameter(
    0.06,
    'share',
    'A rise that would still take more than this share of the free room does not count as harmless.',
  ),
  slowTau: parameter(12 * hour, 's', 'Saturations slower than this are ever less likely.'),
  slowSpread: parameter(0.8, 'ln', 'Spread of the logarithm of the time constant beyond `slowTau`.'),
  endureCost: parameter(
    2.5,
    'ln',
    'How much likelier harmless growth is than a leak when it has just begun.',
  ),
  endureStart: parameter(
    1,
    'ln',
    'The same for growth from the start on. Roll-outs and new customers come later in a life.',
  ),
  endureTime: parameter(8 * hour, 's', 'Harmless growth lasts longer than this in one of e cases.'),
  endureRoom: parameter(
    0.04,
    'share',
    'Harmless growth takes more than this share of the room in one of e cases.',
  ),
  fallShare: parameter(
    0.25,
    'share',
    'A step down counts as a fall when it lets go of this share of the growth. Growth has to last anew after a fall.',
  ),
  endBuckets: parameter(5, 'count', 'Buckets that the end of growth leaves behind it at least.'),
  endedOdds: parameter(
    -2,
    'ln',
    'Odds from which growth that is over is looked for; below them it would change nothing.',
  ),
  pairCost: parameter(1, 'ln', 'Cost of the second shape of a pair.'),
  remaining: parameter(
    0.2,
    'share',
    'A saturation that would still take more than this share of the remaining room is a leak.',
  ),
  lastingTau: parameter(
    5 * hour,
    's',
    'How long what a request leaves behind lasts, e.g. entries with a time to live.',
  ),
  longLastingTau: parameter(16 * hour, 's', 'The same for what lasts until the next day.'),
  lastingMost: parameter(0.5, 'share', 'The most of the level that such entries may be.'),
  keeperRange: parameter(
    0.02,
    'share',
    'Attributed bytes explain unattributed ones only when they moved by this share of the level.',
  ),
  keeperOverhead: parameter(
    0.15,
    'share',
    'The most that unattributed bytes may be of what keepers account for.',
  ),
  onsetBuckets: parameter(4, 'count', 'Buckets that a leak’s onset leaves behind it at least.'),
  onsetTime: parameter(2400, 's', 'Time that a leak’s onset leaves behind it at least.'),

  // What confirms and what withdraws.
  odds: parameter(4.9, 'ln', 'Odds that a hit needs for growth of one hour by `usualGrowth`.'),
  ageOdds: parameter(
    7,
    'ln',
    'What is added times the logarithm of one plus the days seen. Every day brings tests, roll-outs and new customers that may be mistaken for a leak.',
  ),
  startOdds: parameter(
    5,
    'ln',
    'What is added for growth from the start on, which may be a fill. It fades over `warmUpOnset`.',
  ),
  timeOdds: parameter(
    3,
    'ln',
    'What is taken off times the logarithm of the hours that the growth has lasted.',
  ),
  roomOdds: parameter(7, 'ln', 'What is taken off times the share of the room that the growth has taken.'),
  levelOdds: parameter(
    3.6,
    'ln',
    'What is taken off times the logarithm of the growth over `usualGrowth`. What a healthy program holds moves by a share of itself, for reasons that no model has.',
  ),
  stepOdds: parameter(
    0.6,
    'ln',
    'What is added for each step beside the growth. Free steps make a line of many a curve.',
  ),
  usualGrowth: parameter(0.1, 'share', 'Growth as a share of the level from which `levelOdds` takes off.'),
  lostShare: parameter(
    0.5,
    'share',
    'What a program lets go of when it loses all its requests, as a share of the level. Growth must have made up for that.',
  ),
  suspectOdds: parameter(-1.5, 'ln', 'Odds from which a channel is suspected.'),
  suspectGrowth: parameter(
    0.5,
    'share',
    'Growth from which a channel is suspected, as a share of what a hit needs.',
  ),
  hits: parameter(2, 'count', 'Hits that confirm.'),
  keepOdds: parameter(
    -3,
    'ln',
    'A test that falls short by less than this leaves the hits before it valid. Growth in small steps pauses between them.',
  ),
  holdTime: parameter(
    3 * hour,
    's',
    'How long hits must last while the odds are less than `sureOdds` beyond those needed.',
  ),
  sureOdds: parameter(10, 'ln', 'Odds beyond those needed at which hits need to last for `leastHold` only.'),
  leastHold: parameter(600, 's', 'How long hits must last at least: one bucket.'),
  clears: parameter(
    3,
    'count',
    'Consecutive tests without growth that withdraw a confirmation. Tests below `farOdds` count twice.',
  ),
  overOdds: parameter(-0.5, 'ln', 'Odds below which a test counts against a confirmed leak.'),
  harmlessOdds: parameter(-2, 'ln', 'Odds below which a test counts as harmless.'),

  // The forecast.
  tteMedian: parameter(48 * hour, 's', 'Time to exhaustion before any data: the median.'),
  tteSpread: parameter(1.25, 'octave', 'Time to exhaustion before any data: the standard deviation.'),
  tteDoubt: parameter(0.1, 'octave²', 'Variance of the best straight forecast.'),
  tteBlur: parameter(
    7,
    'x',
    'What noise adds to the doubt, in octaves, when the growth is as small as the noise.',
  ),
  leastRoom: parameter(
    0.15,
    'share',
    'Room that the forecast counts on at least, as a share of what is free. The coming peak of the load is a guess.',
  ),
} as const satisfies Readonly<Record<string, Parameter>>;

export type ParameterName = keyof typeof parameterTable;

/** The values alone. */
export const parameters = Object.fromEntries(
  Object.entries(parameterTable).map(([name, { value }]) => [name, value]),
) as Readonly<Record<ParameterName, number>>;
