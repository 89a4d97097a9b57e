import { openLedger } from '@plimsoll/ledger/write';
import type { AuditEntry, Ledger } from '@plimsoll/ledger';
import type { FleetNews } from '@plimsoll/ledger/internal/postgres/fleet-options';
import type { Anchor, AnchorOptions } from '@plimsoll/ledger/internal/anchors';
import type { Policy } from '@plimsoll/govern/internal/policy/policy';
import type { Limits } from '@plimsoll/core/internal/sense/limits';
import type { Part } from '../part.ts';
import type { HostSettings } from '../settings.ts';
import { FleetLink } from './fleet-link.ts';

const longestRecordMs = 3000;
const newsMs = 5000;
/**
 * Ms between two batches. Each batch wakes the thread of the ledger and takes a transaction. One batch per second took a fifth of the
 * host's CPU at rest.
 */
const batchMs = 5000;
/** The ledger's thread rests after this time. It is longer than the delay before the ledger's upkeep begins. */
const restMs = 20_000;

/** The ledger of this process. */
export class LedgerPart implements Part {
  readonly ledger: Ledger;
  /** With a database URL. */
  readonly fleet: FleetLink | undefined;
  readonly #settings: HostSettings;
  readonly #policy: Policy;
  readonly #limits: () => Limits;
  readonly #news: () => FleetNews;
  #toldAt = Number.NEGATIVE_INFINITY;

  constructor(
    settings: HostSettings,
    { inForce: policy, own }: { readonly inForce: Policy; readonly own: Policy },
    limits: () => Limits,
    desk: ConstructorParameters<typeof FleetLink>[1],
    news: () => FleetNews = () => ({ forecast: null, mode: null, policyVersion: null }),
  ) {
    this.#news = news;
    const { rawMs, minuteMs, hourMs, maxBytes } = policy.retention;
    const anchors = anchorsOf(policy, settings.target);
    this.#settings = settings;
    this.#policy = policy;
    this.#limits = limits;
    // This uses the process's own policy, because the fleet's policy must not change the name under which the process asks for it.
    this.fleet = FleetLink.of(settings, own, desk);
    this.ledger = openLedger({
      dir: settings.ledgerDir,
      batchMs,
      restMs,
      retention: { rawMs, minuteMs, hourMs },
      maxBytes,
      ...(anchors !== undefined && { anchors }),
      ...(this.fleet !== undefined && { fleet: this.fleet.options }),
    });
  }

  start(): void {
    const { binding } = this.#limits();
    const body = {
      pid: process.pid,
      node: process.version,
      command: this.#settings.target,
      limit: binding.bytes,
      limitSource: binding.source,
      mode: this.#policy.mode,
      policy: this.#policy.file,
      revision: this.#policy.revision,
    };
    this.ledger.audit({ kind: 'start', body }).catch(() => undefined);
  }

  /** Sends the fleet what no sample has: the forecast, the mode and the version of the policy. */
  take(): void {
    if (this.fleet === undefined || performance.now() - this.#toldAt < newsMs) return;
    this.#toldAt = performance.now();
    this.ledger.tell(this.#news());
  }

  /** The next reading tells the fleet which policy is in force. */
  swap(): void {
    this.#toldAt = Number.NEGATIVE_INFINITY;
  }

  /** Writes an entry of names and numbers, and resolves when it is on disk. */
  async note(kind: string, body: object): Promise<void> {
    // Values that JSON has no form for are left out.
    const said = JSON.parse(JSON.stringify(body)) as NonNullable<AuditEntry['body']>;
    await this.ledger.audit({ kind, body: said });
  }

  /**
   * Resolves when everything that was written so far is on disk, and after 3 s at the latest, because a caller on the socket waits for 5 s.
   */
  recorded(): Promise<boolean> {
    return this.ledger.flush(longestRecordMs);
  }

  /** Resolves when everything is on disk. */
  async stop(): Promise<void> {
    await this.ledger.close();
  }
}

/** Where heads of the audit chain are sent besides the ledger. The code that sends them is loaded with the first one. */
function anchorsOf({ retention, alerts }: Policy, target: string): AnchorOptions | undefined {
  const { anchorFile: file, anchorTo } = retention;
  const rule = alerts.recipients.find(({ name }) => name === anchorTo);
  if (file === undefined && rule === undefined) return undefined;
  const send = async (anchor: Anchor): Promise<void> => {
    if (rule === undefined) return;
    const { sendAnchor } = await import('@plimsoll/govern/internal/alert/sinks/anchor-webhook');
    await sendAnchor(anchor, rule, alerts.service ?? target);
  };
  return { file, ...(rule !== undefined && { send, to: `the webhook ${rule.name}` }) };
}
