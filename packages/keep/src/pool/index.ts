export { Pool } from './pool.ts';
export type { PoolEvents, PoolOptions, PoolStats } from './pool.ts';
export type { Handle } from './handle.ts';
