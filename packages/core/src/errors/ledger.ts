import { entry } from './entry.ts';

type ChainFault = 'edited' | 'missing' | 'cut' | 'emptied' | 'rewritten' | 'unguarded' | 'malformed';

const chainFaults: Record<ChainFault, (seq: number) => string> = {
  edited: (seq) => `entry ${seq} was changed after it was written`,
  missing: (seq) => `entry ${seq} does not follow the one before it: entries were removed`,
  cut: (seq) => `entry ${seq} and those after it are missing: the end was cut off`,
  emptied: () => 'all audit entries are missing, and there were some',
  rewritten: (seq) => `entry ${seq} is not the one that was seen before: the chain was rewritten`,
  unguarded: () => 'the triggers that refuse changes of stored entries are missing',
  malformed: (seq) => `the body of entry ${seq} is no JSON object`,
};

/** Errors and warnings of the ledger. */
export const ledgerErrors = {
  PLM_LEDGER_UNWRITABLE: entry({
    help: 'The folder of the ledger cannot be written: it is read-only, belongs to another user, or the disk is full. The process goes on without history; samples are dropped and counted, audit entries are kept in memory up to a bound and their promises reject when the deadline passes. The ledger tries again by itself, at most every 30 s.',
    text: (d: { dir: string; reason: string }) => ({
      message: `the ledger cannot be written (${d.reason}); history stops until it can.`,
      where: d.dir,
      fix: 'make the folder writable for this user with free space, or choose another folder with "dir".',
    }),
    example: { dir: '/srv/app/.plimsoll/ledger', reason: 'unable to open database file' },
  }),
  PLM_LEDGER_CORRUPT: entry({
    help: 'A file of the ledger is damaged. It was renamed, not deleted, and a new one was started. For audit.db the new chain starts with an entry that names the old file.',
    text: (d: { file: string; movedTo: string }) => ({
      message: `${d.file} is damaged; it was set aside and a new one was started.`,
      where: d.movedTo,
      fix: 'keep the file if its history matters ("sqlite3 FILE .recover" reads the rest), otherwise delete it.',
    }),
    example: { file: 'samples.db', movedTo: '/srv/app/.plimsoll/ledger/samples.db.corrupt-20260701T101500Z' },
  }),
  PLM_LEDGER_WRITER_DIED: entry({
    help: 'The thread that writes the ledger ended unexpectedly. It is started again after a pause (0.1 s, doubling up to 30 s); samples wait in the bounded queue, audit entries go to the pending journal and are copied into the chain later.',
    text: (d: { dir: string; reason: string }) => ({
      message: `the writer thread of the ledger ended (${d.reason}); it is being started again.`,
      where: d.dir,
      fix: 'nothing is needed if this happens once; report it with this line if it repeats.',
    }),
    example: { dir: '/srv/app/.plimsoll/ledger', reason: 'the thread ended' },
  }),
  PLM_LEDGER_AUDIT_LATE: entry({
    help: 'Neither audit.db nor the pending journal could be written, so an audit entry is not on disk. The entry is kept in memory and written when the disk allows it again; the rejected promise says only that it is not durable yet.',
    text: (d: { kind: string; dir: string; afterMs: number; reason: string }) => ({
      message: `the audit entry "${d.kind}" is not on disk after ${d.afterMs} ms (${d.reason}).`,
      where: d.dir,
      fix: 'free disk space or make the folder writable; the entry is still queued.',
    }),
    example: {
      kind: 'level',
      dir: '/srv/app/.plimsoll/ledger',
      afterMs: 5000,
      reason: 'database or disk is full',
    },
  }),
  PLM_LEDGER_AUDIT_REFUSED: entry({
    help: 'An audit entry was not taken: the memory queue for audit entries is full and the pending journal cannot be written, the entry is larger than allowed, it cannot be written as JSON, or the ledger is closed. Its promise rejects, so that no entry is lost silently.',
    text: (d: { kind: string; dir: string; reason: string }) => ({
      message: `the audit entry "${d.kind}" was refused: ${d.reason}.`,
      where: d.dir,
      fix: 'await audit() before recording more, keep bodies small, and record before close().',
    }),
    example: { kind: 'level', dir: '/srv/app/.plimsoll/ledger', reason: 'the ledger is closed' },
  }),
  PLM_LEDGER_NOT_FOUND: entry({
    help: 'There is no ledger in this folder: neither samples.db nor audit.db exists. A ledger appears when a governed process has run with this folder.',
    text: (d: { dir: string }) => ({
      message: 'there is no ledger here (no samples.db and no audit.db).',
      where: d.dir,
      fix: 'run "plimsoll run -- node server.js" first, or point --dir at the folder that holds the ledger.',
    }),
    example: { dir: '/srv/app/.plimsoll/ledger' },
  }),
  PLM_LEDGER_UNREADABLE: entry({
    help: 'A file of the ledger exists and cannot be read: wrong owner, damaged, or not a ledger.',
    text: (d: { file: string; reason: string }) => ({
      message: `the ledger cannot be read (${d.reason}).`,
      where: d.file,
      fix: 'read it as the user that wrote it; a damaged file is set aside by the next process that writes this ledger.',
    }),
    example: { file: '/srv/app/.plimsoll/ledger/audit.db', reason: 'file is not a database' },
  }),
  PLM_LEDGER_CHAIN_BROKEN: entry({
    help: 'The hash chain of the audit is broken: a row was changed, removed or inserted outside Plimsoll, the end that samples.db or an anchor file has seen is missing, or the triggers that refuse changes are gone. Rows before the named one are as they were written.',
    text: (d: { file: string; seq: number; why: ChainFault; rows: number }) => ({
      message: `${chainFaults[d.why](d.seq)}; the ${d.rows} before it are whole.`,
      where: d.file,
      fix: 'restore audit.db from a backup and find out who may write the file.',
    }),
    example: { file: '/srv/app/.plimsoll/ledger/audit.db', seq: 118, why: 'edited', rows: 117 } as {
      file: string;
      seq: number;
      why: ChainFault;
      rows: number;
    },
  }),
  PLM_LEDGER_CHAIN_CUT: entry({
    help: 'The newest audit entry that this ledger noted in samples.db is not in audit.db: the end of the file was cut off, or it was replaced. New entries follow the existing ones, and "plimsoll ledger verify" reports the gap until the ledger is moved away.',
    text: (d: { dir: string; seq: number; head: number }) => ({
      message: `audit.db ends at entry ${d.head} and entry ${d.seq} was seen before: its end is missing.`,
      where: d.dir,
      fix: 'restore audit.db from a backup and find out who may write the folder.',
    }),
    example: { dir: '/srv/app/.plimsoll/ledger', seq: 118, head: 40 },
  }),
  PLM_LEDGER_ANCHOR_LOST: entry({
    help: 'The head of the audit chain could not be kept outside of the ledger. The ledger itself is not affected, and the next head is kept as usual.',
    text: (d: { dir: string; to: string; reason: string }) => ({
      message: `the head of the audit chain could not be kept in ${d.to} (${d.reason}).`,
      where: d.dir,
      fix: 'make the file writable or the webhook reachable, or correct "ledger.anchor-file" or "ledger.anchor-to" of the policy.',
    }),
    example: {
      dir: '/srv/app/.plimsoll/ledger',
      to: '/mnt/audit/anchors.jsonl',
      reason: 'EROFS: read-only file system',
    },
  }),
  PLM_LEDGER_CLOCK_LEAP: entry({
    help: 'The clock of the machine is more than a day ahead of the newest entry of the ledger: the clock was set wrongly, or the program did not run for that long. Nothing is deleted by age because of it. When the program has written for seven days at the new time, the new time counts.',
    text: (d: { dir: string; from: number; to: number }) => ({
      message: `the clock went from ${new Date(d.from).toISOString()} to ${new Date(d.to).toISOString()}; for seven days retention does not count that step as age.`,
      where: d.dir,
      fix: 'set the clock of the machine if it is wrong; otherwise nothing is needed.',
    }),
    example: { dir: '/srv/app/.plimsoll/ledger', from: 1_782_900_000_000, to: 1_877_500_000_000 },
  }),
};
