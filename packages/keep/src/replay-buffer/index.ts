export { ReplayBuffer } from './replay-buffer.ts';
export type { ReplayBufferStats, SubscribeOptions } from './replay-buffer.ts';
export { replay } from './replay.ts';
export type { ReplayOptions } from './replay.ts';
export type { ReplayReader } from './reader.ts';
export type { LagPolicy, ReplayBufferOptions, SpillCodec } from './settings.ts';
export type { Coalescer } from './coalesce.ts';
export type { ReplayBufferEvents } from './events.ts';
export type { SpillTarget } from '../spill/spill-file.ts';
