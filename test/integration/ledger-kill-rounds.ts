import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { LedgerReader, openLedger } from '@plimsoll/ledger';
import { startGroup } from '../process-group.ts';

const writer = fileURLToPath(new URL('./ledger-writer.fixture.ts', import.meta.url));
const perRound = 1_000_000;

/** What a number of rounds confirmed, and what of it the ledger no longer has. */
export interface KillResult {
  readonly rounds: number;
  readonly audits: number;
  readonly samples: number;
  readonly lostAudits: readonly number[];
  readonly lostSamples: readonly number[];
  readonly doubledAudits: number;
  readonly doubledSamples: number;
  readonly chainWhole: boolean;
  /** Files that had to be set aside as damaged. */
  readonly damaged: readonly string[];
}

/** Starts a writer on one ledger, kills it with SIGKILL at a random moment, again and again, and counts what is missing. */
export async function killRounds(dir: string, rounds: number): Promise<KillResult> {
  const audits: number[] = [];
  const samples: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const text = await oneRound(dir, (round + 1) * perRound);
    for (const line of text.slice(0, text.lastIndexOf('\n') + 1).split('\n')) {
      const [what, number] = line.split(' ');
      if (what === 'audit') audits.push(Number(number));
      if (what === 'samples') for (let i = 0; i < 50; i++) samples.push(Number(number) + i);
    }
  }
  // What the last round left in a journal is brought home by the next process that opens the ledger.
  const ledger = openLedger({ dir });
  await ledger.audit({ kind: 'closing' });
  await ledger.close();
  const reader = new LedgerReader(dir);
  const storedAudits = reader
    .audit({ kinds: ['level'], limit: 10_000_000 })
    .map((row) => row.body['i'] as number);
  const storedSamples = [...reader.samples()].map((row) => row.bytes);
  const check = reader.verifyChain();
  reader.close();
  const [auditSet, sampleSet] = [new Set(storedAudits), new Set(storedSamples)];
  return {
    rounds,
    audits: audits.length,
    samples: samples.length,
    lostAudits: audits.filter((i) => !auditSet.has(i)),
    lostSamples: samples.filter((i) => !sampleSet.has(i)),
    doubledAudits: storedAudits.length - auditSet.size,
    doubledSamples: storedSamples.length - sampleSet.size,
    chainWhole: check?.ok === true,
    damaged: readdirSync(dir).filter((name) => name.includes('.corrupt-')),
  };
}

function oneRound(dir: string, first: number): Promise<string> {
  return new Promise((done, fail) => {
    const child = startGroup(process.execPath, ['--conditions=plimsoll-source', writer, dir, String(first)], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let text = '';
    let errors = '';
    let hasBegun = false;
    child.stdout.on('data', (chunk: Buffer) => {
      text += String(chunk);
      // Not before it has confirmed something of each, or a slow machine would test nothing.
      if (hasBegun || !/^audit [^]*^samples /m.test(text)) return;
      hasBegun = true;
      setTimeout(() => child.kill('SIGKILL'), Math.random() * 80);
    });
    child.stderr.on('data', (chunk: Buffer) => (errors += String(chunk)));
    child.on('close', (code, signal) => {
      if (signal === 'SIGKILL') done(text);
      else fail(new Error(`the writer ended by itself (${code ?? signal}): ${errors}`));
    });
  });
}
