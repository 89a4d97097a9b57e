export type { LotClaim, ParkingLot, SharedLot } from './parking-lot.ts';
export { FileLot } from './file-lot.ts';
export type { FileLotOptions } from './file-lot.ts';
export { SqliteLot } from './sqlite-lot.ts';
export type { SqliteLotOptions } from './sqlite-lot.ts';
export { PostgresLot } from './postgres-lot.ts';
export type { PostgresLotClient, PostgresLotOptions } from './postgres-lot.ts';
export { RedisLot } from './redis-lot.ts';
export type { RedisLotClient, RedisLotOptions } from './redis-lot.ts';
