export { keepers, registerKeeper } from './keeper.ts';
export type { Keeper, ShedRequest } from './keeper.ts';
export type { KeeperClock } from './clock.ts';
export { SessionCache } from './session-cache/session-cache.ts';
export type {
  CloseResult,
  DrainReport,
  SessionCacheStats,
  TenantStats,
} from './session-cache/session-cache.ts';
export type {
  DisposeInfo,
  LeaveReason,
  Metered,
  OpenInfo,
  SessionCacheOptions,
} from './session-cache/settings.ts';
export type { AcquireOptions } from './session-cache/openings.ts';
export type { DeadLetter, HeldLease, SessionCacheEvent, SessionCacheEvents } from './session-cache/events.ts';
export type { Lease } from './session-cache/lease.ts';
export type { ParkingLot } from './parking-lot/parking-lot.ts';
export { FileLot } from './parking-lot/file-lot.ts';
export type { FileLotOptions } from './parking-lot/file-lot.ts';
export { SqliteLot } from './parking-lot/sqlite-lot.ts';
export type { SqliteLotOptions } from './parking-lot/sqlite-lot.ts';
export { ReplayBuffer } from './replay-buffer/replay-buffer.ts';
export type { ReplayBufferStats, SubscribeOptions } from './replay-buffer/replay-buffer.ts';
export { replay } from './replay-buffer/replay.ts';
export type { ReplayOptions } from './replay-buffer/replay.ts';
export type { ReplayReader } from './replay-buffer/reader.ts';
export type { LagPolicy, ReplayBufferOptions, SpillCodec } from './replay-buffer/settings.ts';
export type { Coalescer } from './replay-buffer/coalesce.ts';
export type { ReplayBufferEvents } from './replay-buffer/events.ts';
export type { SpillTarget } from './spill/spill-file.ts';
export { DelegationBreaker } from './delegation-breaker/delegation-breaker.ts';
export type {
  DelegationRequest,
  DelegationStats,
  DelegationView,
} from './delegation-breaker/delegation-breaker.ts';
export type { Delegation, Remaining } from './delegation-breaker/delegation.ts';
export type { DelegationDenied, DelegationEvents, DelegationLimit } from './delegation-breaker/events.ts';
export type { ApprovalRequest, DelegationBreakerOptions } from './delegation-breaker/settings.ts';
export { ConversationWindow } from './conversation-window/conversation-window.ts';
export type { WindowSnapshot, WindowStats } from './conversation-window/conversation-window.ts';
export type { DropReason, WindowEvents } from './conversation-window/events.ts';
export { anyMessage } from './conversation-window/message-shape.ts';
export type { MessageRole, MessageShape } from './conversation-window/message-shape.ts';
export type { ConversationWindowOptions, SummaryRequest } from './conversation-window/settings.ts';
export { fitTokens } from './conversation-window/token-fit.ts';
export { OutputBag } from './output-bag/output-bag.ts';
export type {
  OutputBagEvents,
  OutputBagOptions,
  OutputBagStats,
  PendingOutput,
  PutOptions,
} from './output-bag/output-bag.ts';
export { EventSink } from './event-sink/event-sink.ts';
export type {
  BatchOptions,
  EventSinkEvents,
  EventSinkOptions,
  EventSinkStats,
  FullPolicy,
} from './event-sink/event-sink.ts';
export { WeakRegistry } from './weak-registry/weak-registry.ts';
export type {
  Suspect,
  WeakRegistryEvents,
  WeakRegistryOptions,
  WeakRegistryStats,
} from './weak-registry/weak-registry.ts';
export { Pool } from './pool/pool.ts';
export type { PoolEvents, PoolOptions, PoolStats } from './pool/pool.ts';
export type { Handle } from './pool/handle.ts';
