import { Meter, flatten } from '@plimsoll/core/meter';
import { failure } from '@plimsoll/core/internal/errors';
import { badOption } from '../bound.ts';
import type { Keeper, KeeperFigures, ShedRequest } from '@plimsoll/core/keeper';
import { KeeperEntry } from '../keeper-entry.ts';
import { ReportBoard } from '../report-board.ts';
import type { DropReason, WindowEvents } from './events.ts';
import { WindowHooks } from './hooks.ts';
import type { Extent } from './room.ts';
import { answeredAmong, exchangesToDrop, turnsToDrop } from './room.ts';
import { readWindowSettings } from './settings.ts';
import type { ConversationWindowOptions, WindowSettings } from './settings.ts';
import { Summariser } from './summariser.ts';
import { Unit, UnitList } from './unit-list.ts';

/** What a window holds and did. */
export interface WindowStats {
  readonly messages: number;
  readonly turns: number;
  readonly bytes: number;
  readonly tokens: number;
  /** Correction of the estimate learned from the provider. */
  readonly tokenScale: number;
  readonly pinnedMessages: number;
  readonly dropped: number;
  readonly orphans: number;
  readonly summaries: number;
  readonly summaryFailures: number;
  readonly maxBytes: number;
  readonly maxTokens: number;
  readonly maxTurns: number;
}

/** A window as plain data. */
export interface WindowSnapshot<M> {
  readonly version: 1;
  readonly pinned: readonly M[];
  readonly summary: string | undefined;
  readonly messages: readonly M[];
  readonly tokenScale: number;
}

/** Part of a bound from which on a summary is made. */
const highWater = 0.8;
/** Part of the bounds that is left after messages were dropped. */
const dropWater = 0.9;
const anything = Number.POSITIVE_INFINITY;
/** What a unit takes beside its messages. */
const unitBytes = 152;

interface Kept<M> {
  readonly message: M;
  readonly text: string;
  readonly bytes: number;
  readonly tokens: number;
}

/**
 * The recent part of a conversation inside bounds of bytes, tokens and turns.
 *
 * A tool call and its results are one unit and never split. What is pinned stays first; what left before may be carried on as a summary
 * that is made in the background. See docs/reference/keepers/conversation-window.md.
 */
export class ConversationWindow<M extends object> implements Keeper, Disposable {
  readonly kind = 'conversation-window';
  readonly name: string;
  readonly #settings: WindowSettings<M>;
  readonly #board = new ReportBoard<WindowEvents>();
  readonly #entry: KeeperEntry;
  readonly #hooks: WindowHooks<M>;
  readonly #summariser: Summariser<M>;
  readonly #meter = new Meter();
  readonly #units = new UnitList<M>();
  readonly #pinned: M[] = [];
  #pinnedBytes = 0;
  #pinnedTokens = 0;
  #summary: Kept<M> | undefined;
  /** Units that wait for tool results, by the id of the call. */
  readonly #calls = new Map<string, Unit<M>>();
  readonly #countsTokens: boolean;
  #turn = 0;
  #scale = 1;
  #sentTokens = -1;
  #dropped = 0;
  #messageCount = 0;
  #isClosed = false;

  constructor(options: ConversationWindowOptions<M>) {
    this.#settings = readWindowSettings(options);
    this.name = this.#settings.name;
    this.#countsTokens = this.#settings.maxTokens !== Number.POSITIVE_INFINITY;
    this.#hooks = new WindowHooks(this.#settings, this.#board);
    this.#summariser = new Summariser(this.#settings, this.#board);
    this.#entry = new KeeperEntry(this, options.scope);
  }

  /** A window that goes on where a snapshot was taken; what does not fit its bounds any more is dropped. */
  static restore<M extends object>(
    snapshot: WindowSnapshot<M>,
    options: ConversationWindowOptions<M>,
  ): ConversationWindow<M> {
    const window = new ConversationWindow(options);
    if (snapshot?.version !== 1)
      throw badOption(window.#label, 'snapshot', snapshot?.version, 'a snapshot of version 1');
    window.#scale = snapshot.tokenScale;
    for (const message of snapshot.pinned) window.#pinOrAdd(message);
    if (snapshot.summary !== undefined) window.#take(snapshot.summary);
    for (const message of snapshot.messages) window.#add(message, window.#hooks.role(message) === 'user');
    window.#entry.settle(window.bytes);
    return window;
  }

  /** Bytes held now, with those that a running summary works on. */
  get bytes(): number {
    return this.#units.bytes + this.#pinnedBytes + (this.#summary?.bytes ?? 0) + this.#summariser.heldBytes;
  }

  /** Tokens by estimate, corrected by what the provider said. 0 when `maxTokens` is not set. */
  get tokens(): number {
    return Math.round(this.#rawTokens * this.#scale);
  }

  /** Turns in the window. */
  get turns(): number {
    const first = this.#units.first;
    return first === undefined ? 0 : this.#turn - first.turn + 1;
  }

  /** Adds a message, and makes room for it. */
  append(message: M): void {
    if (typeof message !== 'object' || message === null)
      throw badOption(this.#label, 'message', message === null ? 'null' : typeof message, 'an object');
    if (this.#isClosed) throw failure('PLM_KEEP_CLOSED', { keeper: this.#label, verb: 'append' });
    const role = this.#hooks.role(message);
    if (this.#hooks.isPinned(message, role)) this.#pinOrAdd(message);
    else this.#add(message, role === 'user');
    this.#entry.charge(this.bytes);
  }

  /** The messages to send: what is pinned, the summary, and the recent ones in order. */
  messages(): M[] {
    const all = [...this.#pinned];
    if (this.#summary !== undefined) all.push(this.#summary.message);
    for (const unit of this.#units) for (const message of unit.messages) all.push(message);
    this.#sentTokens = this.#rawTokens;
    return all;
  }

  /** Learns from the provider's count of input tokens for what `messages()` gave last. */
  calibrate(inputTokens: number): void {
    const estimate = this.#sentTokens >= 0 ? this.#sentTokens : this.#rawTokens;
    if (!(inputTokens > 0 && inputTokens < Number.MAX_SAFE_INTEGER) || estimate <= 0) return;
    const seen = Math.min(4, Math.max(0.25, inputTokens / estimate));
    this.#scale = this.#scale === 1 ? seen : 0.4 * this.#scale + 0.6 * seen;
    if (this.#isOver(1)) this.#fit('bound');
  }

  /** Resolves when no summary is being made. */
  settled(): Promise<void> {
    return this.#summariser.settled();
  }

  /** The window as plain data, for a parking lot or another process. */
  snapshot(): WindowSnapshot<M> {
    const messages: M[] = [];
    for (const unit of this.#units) messages.push(...unit.messages);
    return {
      version: 1,
      pinned: [...this.#pinned],
      summary: this.#summary?.text,
      messages,
      tokenScale: this.#scale,
    };
  }

  /** Drops everything that is not pinned. */
  clear(): void {
    this.#drop(0, this.#units.length, 'clear');
    this.#summary = undefined;
    this.#entry.settle(this.bytes);
  }

  /** Drops the oldest turns, down to the low water of the bounds or to the turns that are to stay; resolves with the bytes freed. */
  async shed(request: ShedRequest): Promise<number> {
    if (!(request.bytes > 0)) throw badOption(this.#label, 'bytes', request.bytes, 'bytes above 0');
    const before = this.bytes;
    const { maxBytes, lowWater } = this.#settings;
    const { keepLast } = request;
    const target = Math.max(before - request.bytes, maxBytes * lowWater);
    const count =
      keepLast === undefined
        ? this.#cut(target, anything, anything)
        : this.#cut(anything, anything, keepLast);
    this.#drop(0, count, 'shed');
    this.#entry.settle(this.bytes);
    return before - this.bytes;
  }

  /** Listens to an event; returns what stops it. */
  on<E extends keyof WindowEvents>(event: E, listener: (event: WindowEvents[E]) => void): () => void {
    return this.#board.on(event, listener);
  }

  figures(): KeeperFigures {
    return { entries: this.stats().messages, boundBytes: this.#settings.maxBytes };
  }

  stats(): WindowStats {
    const { maxBytes, maxTokens, maxTurns } = this.#settings;
    return {
      messages: this.#messageCount + this.#pinned.length + (this.#summary === undefined ? 0 : 1),
      turns: this.turns,
      bytes: this.bytes,
      tokens: this.tokens,
      tokenScale: this.#scale,
      pinnedMessages: this.#pinned.length,
      dropped: this.#dropped,
      orphans: this.#board.count('orphan'),
      summaries: this.#board.count('summary'),
      summaryFailures: this.#board.count('summary-failed'),
      maxBytes,
      maxTokens,
      maxTurns,
    };
  }

  /** Stops a running summary and lets go of everything. */
  [Symbol.dispose](): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#summariser.stop();
    this.#units.remove(0, this.#units.length);
    this.#calls.clear();
    this.#pinned.length = 0;
    this.#summary = undefined;
    this.#messageCount = 0;
    this.#pinnedBytes = 0;
    this.#pinnedTokens = 0;
    this.#entry.close();
  }

  get #label(): string {
    return `conversation window "${this.name}"`;
  }

  get #rawTokens(): number {
    return this.#units.tokens + this.#pinnedTokens + (this.#summary?.tokens ?? 0);
  }

  #pinOrAdd(message: M): void {
    const bytes = this.#meter.append(message) + 8;
    const tokens = this.#hooks.tokens(message);
    const { maxBytes, maxTokens } = this.#settings;
    const fits =
      this.#pinnedBytes + bytes <= maxBytes / 2 &&
      (this.#pinnedTokens + tokens) * this.#scale <= maxTokens / 2;
    if (!fits) {
      this.#board.emit('pin-refused', { bytes });
      this.#add(message, false);
      return;
    }
    this.#pinned.push(message);
    this.#pinnedBytes += bytes;
    this.#pinnedTokens += tokens;
    if (this.#isOver(1)) this.#fit('bound');
  }

  #add(message: M, isUser: boolean): void {
    const bytes = this.#meter.append(message) + 8;
    const tokens = this.#hooks.tokens(message);
    const answers = isUser ? undefined : this.#hooks.answers(message);
    if (answers !== undefined) this.#answer(message, answers, bytes, tokens);
    else {
      if (isUser) this.#turn++;
      const unit = new Unit(message, bytes + unitBytes, tokens, this.#turn, isUser);
      this.#units.push(unit);
      this.#messageCount++;
      const calls = isUser ? undefined : this.#hooks.calls(message);
      if (calls !== undefined) {
        unit.open = calls.length;
        for (const id of calls) this.#calls.set(id, unit);
      }
    }
    if (this.#isOver(this.#settings.summarise === undefined ? 1 : highWater)) this.#make();
  }

  /** Puts tool results to the unit of their calls. */
  #answer(message: M, ids: readonly string[], bytes: number, tokens: number): void {
    const unit = this.#calls.get(ids[0] as string);
    const unknown = ids.filter((id) => this.#calls.get(id) !== unit);
    if (unit === undefined || unknown.length > 0) {
      this.#board.emit('orphan', { ids });
      this.#hooks.archive(() => [message], 'orphan');
      this.#report(1, bytes, tokens, 'orphan');
      return;
    }
    for (const id of ids) this.#calls.delete(id);
    unit.open -= ids.length;
    this.#units.join(unit, message, bytes, tokens);
    this.#messageCount++;
  }

  #isOver(part: number): boolean {
    const { maxBytes, maxTokens, maxTurns } = this.#settings;
    return (
      this.bytes - this.#summariser.heldBytes > part * maxBytes ||
      (this.#countsTokens && this.#rawTokens * this.#scale > part * maxTokens) ||
      this.turns > (part === 1 ? maxTurns : Math.max(1, part * maxTurns))
    );
  }

  /** Makes room: by a summary while there is time, by dropping when a bound is reached. */
  #make(): void {
    const { summarise, maxBytes, maxTokens, maxTurns, lowWater } = this.#settings;
    if (summarise !== undefined && this.#summariser.isReady(this.bytes)) {
      const wanted = this.#cut(
        lowWater * maxBytes,
        lowWater * maxTokens,
        Math.max(1, Math.ceil(lowWater * maxTurns)),
      );
      const count = answeredAmong(this.#units, wanted);
      if (count > 0) this.#summarise(count);
    }
    if (this.#isOver(1)) this.#fit('bound');
  }

  #summarise(count: number): void {
    const given: Unit<M>[] = [];
    for (let i = 0; i < count; i++) given.push(this.#units.at(i));
    const last = given.at(-1) as Unit<M>;
    this.#summariser.start(this.#summary?.text, given, (text, messages) => {
      if (this.#isClosed) return;
      if (text === undefined || !this.#take(text)) {
        // What it was given stays, unless a bound has taken it; the next try waits for some growth.
        this.#summariser.putOff(this.bytes + 0.05 * this.#settings.maxBytes);
        return;
      }
      const kept = this.#units.indexOf(last) + 1;
      const bytes = this.#units.bytes;
      if (kept > 0) this.#drop(0, kept, 'summarised');
      this.#board.emit('summary', { messages: messages.length, bytes: bytes - this.#units.bytes });
      this.#entry.settle(this.bytes);
    });
  }

  /** Takes a summary over; false when it is too large to be one. */
  #take(text: string): boolean {
    const message = this.#hooks.summary(flatten(text));
    if (message === undefined) return false;
    const bytes = this.#meter.append(message) + 8;
    const tokens = this.#hooks.tokens(message);
    const { maxBytes, maxTokens } = this.#settings;
    if (bytes > maxBytes / 4 || tokens * this.#scale > maxTokens / 4) {
      const cause = new RangeError(`the summary takes more than a quarter of a bound (${bytes} bytes)`);
      this.#board.emit('summary-failed', { messages: 0, cause });
      return false;
    }
    this.#summary = { message, text, bytes, tokens };
    return true;
  }

  /** How many of the oldest units have to go to come under some bounds: whole turns, never the last one. */
  #cut(bytes: number, tokens: number, turns: number): number {
    return turnsToDrop(this.#units, this.#held(), { bytes, tokens, turns }, this.#turn, this.#scale);
  }

  /** What counts against the bounds; a running summary may hold more. */
  #held(): Extent {
    return { bytes: this.bytes - this.#summariser.heldBytes, tokens: this.#rawTokens * this.#scale };
  }

  /** Drops what has to go at a bound. */
  #fit(reason: DropReason): void {
    const { maxBytes, maxTokens, maxTurns } = this.#settings;
    this.#drop(0, this.#cut(dropWater * maxBytes, dropWater * maxTokens, maxTurns), reason);
    if (this.#isOver(1)) this.#fitTurn(reason);
    if (this.#isOver(1)) this.#board.emit('oversize', { bytes: this.bytes, tokens: this.tokens });
  }

  /** Drops inside the last turn: the oldest exchanges after the user's message, never the newest unit. */
  #fitTurn(reason: DropReason): void {
    const { maxBytes, maxTokens } = this.#settings;
    const from = this.#units.first?.isUser === true ? 1 : 0;
    const bounds = { bytes: dropWater * maxBytes, tokens: dropWater * maxTokens };
    const count = exchangesToDrop(this.#units, from, this.#held(), bounds, this.#scale);
    this.#drop(from, count, reason);
  }

  #drop(from: number, units: number, reason: DropReason): void {
    if (units <= 0) return;
    const gone = this.#units.remove(from, units);
    let count = 0;
    let bytes = 0;
    let tokens = 0;
    for (const unit of gone) {
      count += unit.messages.length;
      bytes += unit.bytes;
      tokens += unit.tokens;
      if (unit.open > 0) for (const [id, at] of this.#calls) if (at === unit) this.#calls.delete(id);
      this.#summariser.left(unit);
    }
    this.#messageCount -= count;
    this.#hooks.archive(() => gone.flatMap((unit) => unit.messages), reason);
    this.#report(count, bytes, tokens, reason);
  }

  #report(messages: number, bytes: number, tokens: number, reason: DropReason): void {
    this.#dropped += messages;
    this.#board.emit('drop', { messages, bytes, tokens: Math.round(tokens * this.#scale), reason });
  }
}
