export { delegationRow, keeperRows, keepers, registerKeeper } from './keeper-roster.ts';
export type { DelegationRow, Keeper, KeeperFigures, KeeperRow, ShedRequest } from './keeper-roster.ts';
