/**
 * Constants of the Waterline. Times in seconds, sizes in bytes, costs and odds in natural logarithms (a cost of 1 makes a shape e times
 * less believable before the data are seen).
 *
 * Chosen on generated series (seeds 1 to 12, 101 to 124, 201 to 216) and 104 recorded heaps; `npm run bench -- detect` scores them.
 */
const hour = 3600;

export const parameters = {
  /** Width of the finest bucket. */
  bucket: 600,
  /** Start-up that is not looked at. */
  skip: 1200,
  /** Buckets before the first test. */
  minBuckets: 7,
  /** A window is tested again when it is longer by this share: the number of tests grows with the logarithm of the age. */
  stride: 0.012,
  /** The same where the last test said harmless beyond doubt, or a leak is confirmed. */
  farStride: 0.07,
  farOdds: -5,
  /** While a leak is likely: again when the leak would be older by this share. */
  closeStride: 0.03,
  /** The same for the cheap look at the trend that comes before a test. */
  gateStride: 0.006,
  /** Share of the growth that matters from which the trend calls for a test. */
  gateGrowth: 0.4,

  /** Growth that matters, as a share of the room there was, of the level, and in units of the wander. */
  growRoom: 0.02,
  growLevel: 0.02,
  growWander: 3.5,
  /** The share of the first two which may be missing when the odds are as long as this: what is sure may be told sooner. */
  sureGrowth: 0.6,
  sureGrowthOdds: 6,
  /** Growth from the start on must take this share of the room while the process is younger than that: it may be a fill that ends. */
  fillRoom: 0.05,
  fillAge: 14 * hour,
  /** Exhaustion further away than this is not worth telling. */
  horizon: 120 * 24 * hour,
  /** In this last share of its life growth must have taken the level, without load, above all before by so much of itself: a leak lets go of nothing. */
  lateShare: 0.3,
  lateGrowth: 0.1,

  /** Standard deviation of the wander as a share of the level, before data, and how many observations that belief weighs. */
  wander: 0.008,
  wanderWeight: 4,
  /** Standard deviation of a shape's amplitude as a share of the level. */
  amplitude: 0.3,
  /** Scale of a leak's growth when it is looked at, as a share of the level: fills are large, leaks are small at first. */
  leakSize: 0.06,

  /** Cost of a leak as such; of one present from the start, and of one that begins at a given later moment. */
  leakCost: 0.6,
  startCost: 1.1,
  laterCost: 3.4,
  /** Further cost of growth that begins soon after the start, which may be a warm-up; fades with the age and with the onset. */
  warmUpCost: 1,
  warmUpAge: 16 * hour,
  warmUpOnset: 4 * hour,
  /** An accelerating leak is rarer than a steady one. */
  curveCost: 1,
  /** A harmless step, besides the choice of its place; a leak that comes in bursts, as such. */
  stepCost: 1.5,
  burstCost: 3,
  /** The smallest burst, as a share of the mean one: bursts of one cause are alike. */
  burstLeast: 0.25,
  /** Rows within which two steps are one that a wide bucket smears. */
  stepSmear: 2,
  /** Saturations slower than this are ever less believable; the spread is of the logarithm. */
  slowTau: 12 * hour,
  slowSpread: 0.8,
  /** Second shape of a pair. */
  pairCost: 1,
  /** A saturation that still has to gain more than this share of the remaining room is a leak. */
  remaining: 0.2,

  /** Seconds for which what a request leaves behind lasts, and the most of the level that such things are. */
  lastingTau: 5 * hour,
  lastingMost: 0.5,

  /** Attributed bytes explain some of what is not attributed when they moved by this share of the level, up to this share of theirs. */
  keeperRange: 0.02,
  keeperOverhead: 0.15,

  /** A leak's onset leaves at least so many buckets and so much time behind it. */
  onsetBuckets: 4,
  onsetTime: 2400,

  /** Odds needed; they fall to nothing as the growth takes from 6 to 30 % of the room. */
  odds: 0.3,
  urgentFrom: 0.06,
  urgentSpan: 0.24,
  /** Odds from which something is suspected, and growth as a share of what a confirmation needs. */
  suspectOdds: -1.5,
  suspectGrowth: 0.5,
  /** Hits on end before a confirmation, lasting an hour and a half and a share of the leak's age, less the longer the odds are. */
  hits: 2,
  holdTime: 1.5 * hour,
  holdShare: 0.1,
  sureOdds: 6,
  leastHold: 600,
  /** Tests on end that must say harmless before a confirmation is withdrawn, and how harmless. */
  clears: 4,
  harmlessOdds: -2,

  /** Time to exhaustion before any data: median, and standard deviation in octaves. */
  tteMedian: 48 * hour,
  tteSpread: 1.25,
  /** Variance of a straight forecast in squared octaves: of the best one, and what the wander adds when the growth is no larger than it. */
  tteDoubt: 0.1,
  tteBlur: 7,

  /** Room that the forecast counts on at least, as a share of what is free. */
  leastRoom: 0.15,
} as const;
