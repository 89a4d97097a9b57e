import type { Session } from 'node:inspector';
import type { Server } from 'node:net';
import type { Lanes } from './gate/lane.ts';
import type { AdmissionGate } from './gate/shed-point.ts';
import type { ApprovalSlot } from './gate/approval.ts';
import type { PlimsollDrain } from './gate/drain-hooks.ts';
import type { KeeperSlot } from './keeper-roster.ts';
import type { TraceBook } from './adapter/trace-book.ts';
import type { SessionBook } from './adapter/session-book.ts';
import type { ProcessSlot } from './scope/process-slot.ts';

/** The shape that console, pino, winston and bunyan share. */
export interface Logger {
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/** Functions and classes of frameworks by `adapter.name`. The text that is added to a framework's file calls `loaded` or `missed`. */
export interface FrameworkSlot {
  loaded(name: string, value: unknown, replace?: (value: unknown) => void): void;
  missed(name: string): void;
  /** Hands every value of that name, also those loaded later, to an adapter. Returns the function that ends this. */
  patch(name: string, patch: (value: unknown) => unknown): () => void;
  /** Adapters whose framework the program can load. */
  readonly found: Set<string>;
  /** Names that a framework's file did not have. */
  readonly unhooked: Set<string>;
  /** Adapters that are connected, with the function that disconnects each. */
  readonly connected: Map<string, () => void>;
}

/** One life of a program that hands over to the next. */
interface HandoverSlot {
  /** Servers whose port the next life may share. */
  readonly servers: Set<Server>;
  /** In the next life, until the old one has ended: whether that may still use a session, which is then not parked yet. */
  mayHold?: ((id: string) => boolean) | undefined;
  /** In the old life, from when the next one listens: told of a session before it is used here. */
  claimed?: ((id: string) => void) | undefined;
}

/** All state that the copies of Plimsoll's packages in one thread share, one field per owner. */
export interface Slots {
  scopes?: ProcessSlot;
  keepers?: KeeperSlot;
  admission?: { gate: AdmissionGate | undefined; readonly lanes: Lanes };
  approvals?: ApprovalSlot;
  drain?: PlimsollDrain;
  sessions?: SessionBook;
  /** The newest span of each scope. */
  traces?: TraceBook;
  /** The functions and classes of frameworks that were loaded, and what adapters do with them. */
  frameworks?: FrameworkSlot;
  /** Set where a supervisor may start the next life beside this one. */
  handover?: HandoverSlot;
  /** Where alerts of this process are written. */
  logger?: Logger | undefined;
  /** The inspector session that everything in this thread shares. */
  inspector?: Session | undefined;
  /** Set while allocation sites are sampled; V8 has one sampler per isolate. */
  sampling?: { readonly since: number } | undefined;
}

const key = Symbol.for('plimsoll.slots.v1');

/** The name begins with Plimsoll, so that the paths of a snapshot lead to objects of the program through its own holders instead. */
class PlimsollSlots implements Slots {
  inspector: Session | undefined;
}

/**
 * The slots of this thread. An application may load two copies of a package (its own and the one that the preload brings, or ESM and
 * CommonJS); both find the same object here.
 */
export function slots(): Slots {
  const holder = globalThis as { [key]?: Slots };
  if (holder[key] === undefined) Object.defineProperty(holder, key, { value: new PlimsollSlots() });
  return holder[key] as Slots;
}
