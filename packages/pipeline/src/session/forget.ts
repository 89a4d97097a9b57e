import { keepers } from '@plimsoll/core/keeper';
import { Needles } from './snapshot-search.ts';
import { takeHolders } from './subject-holders.ts';

export interface ForgetOptions {
  /** Takes a heap snapshot afterwards and searches it for texts of the person. It stops the thread for about 4 µs per object. Default false. */
  readonly prove?: boolean;
}

/** What was cleared, and the result of the search of the heap. It does not name the person. */
export interface ForgetReport {
  readonly cleared: readonly { readonly label: string; readonly entries: number; readonly error?: string }[];
  /** Null without `prove`. */
  readonly proof: {
    /** Number of texts of the person that were searched for. */
    readonly searched: number;
    /** Number of them that are still in the heap. */
    readonly found: number;
    readonly snapshotBytes: number;
  } | null;
}

/**
 * Clears the data of a person: sessions of `openSession`, holders registered with `holdFor`, and the entry of that id in every
 * SessionCache with its parked copy. Never rejects; a holder that failed has its error in the report.
 */
export async function forget(subject: string, options: ForgetOptions = {}): Promise<ForgetReport> {
  const needles = new Needles();
  const cleared: { label: string; entries: number; error?: string }[] = [];
  const clear = async (label: string, work: () => number | Promise<number>): Promise<void> => {
    try {
      const entries = await work();
      if (entries > 0) cleared.push({ label, entries });
    } catch (cause) {
      cleared.push({ label, entries: 0, error: cause instanceof Error ? cause.message : 'it threw' });
    }
  };
  for (const holder of takeHolders(subject)) {
    if (options.prove === true) sampleTexts(holder.samples?.(), needles);
    await clear(holder.label, () => holder.forget());
  }
  for (const keeper of keepers()) {
    if (keeper.forget === undefined) continue;
    await clear(`${keeper.kind} "${keeper.name}"`, async () => (await keeper.forget?.(subject)) ?? 0);
  }
  return { cleared, proof: options.prove === true ? await prove(needles) : null };
}

function sampleTexts(texts: Iterable<string> | undefined, needles: Needles): void {
  try {
    for (const text of texts ?? []) needles.add(text);
  } catch {
    // Without samples there is less to search for, which the report shows.
  }
}

async function prove(needles: Needles): Promise<ForgetReport['proof']> {
  const { found, bytes } = await needles.foundInHeap();
  return { searched: needles.count, found, snapshotBytes: bytes };
}
