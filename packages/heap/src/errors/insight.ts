import { entry } from './entry.ts';

/** Errors of questions put to a snapshot, of comparing and redacting snapshots, and of taking them. */
export const insightErrors = {
  PLM_HEAP_NO_NODE: entry({
    help: 'No object of the snapshot has the id asked for. Ids are those of V8, stable within one process and shown as @id in DevTools.',
    text: (d: { file: string; id: number }) => ({
      message: `no object has the id @${d.id}.`,
      where: d.file,
      fix: 'take an id from the report of this very file ("plimsoll analyze FILE --json", or @id in DevTools).',
    }),
    example: { file: 'app.heapsnapshot', id: 476 },
  }),
  PLM_HEAP_NO_CLASS: entry({
    help: 'No object of the snapshot has the constructor name asked for.',
    text: (d: { file: string; name: string; near: readonly string[] }) => ({
      message: `no object has the constructor name "${d.name}".`,
      where: d.file,
      fix:
        d.near.length > 0
          ? `names that come close: ${d.near.join(', ')}.`
          : 'look the name up in the constructor table of "plimsoll analyze FILE --top 100".',
    }),
    example: { file: 'app.heapsnapshot', name: 'Sesion', near: ['Session', 'SessionRegistry'] },
  }),
  PLM_HEAP_NO_SCOPE: entry({
    help: 'No scope marker of the snapshot has the path asked for. Only scopes that registered a root before the snapshot was taken can be seen in it.',
    text: (d: { file: string; scope: string; known: number }) => ({
      message: `no scope of the snapshot matches "${d.scope}"; it has ${d.known} scope${d.known === 1 ? '' : 's'} with roots.`,
      where: d.file,
      fix: 'pass a path as printed by "plimsoll analyze FILE", and register roots with scope.root(object).',
    }),
    example: { file: 'app.heapsnapshot', scope: 'session:42', known: 0 },
  }),
  PLM_HEAP_DIFF_COUNT: entry({
    help: 'Growth is a difference, so at least two snapshots are needed, oldest first.',
    text: (d: { count: number }) => ({
      message: `a comparison needs two or more snapshots, ${d.count} given.`,
      where: 'diff',
      fix: 'pass the snapshots in the order they were taken: plimsoll diff first.heapsnapshot second.heapsnapshot.',
    }),
    example: { count: 1 },
  }),
  PLM_HEAP_REDACT_TARGET: entry({
    help: 'The redacted snapshot is written beside the original and never over it.',
    text: (d: { file: string; reason: string }) => ({
      message: `"${d.file}" cannot be written: ${d.reason}.`,
      where: d.file,
      fix: 'pass another name for the output, in a folder that exists.',
    }),
    example: { file: 'app.heapsnapshot', reason: 'it is the input' },
  }),
  PLM_HEAP_REDACT_SOURCE: entry({
    help: 'Redaction reads the snapshot several times, because its strings stand last: it needs a plain file.',
    text: (d: { file: string; reason: string }) => ({
      message: `"${d.file}" cannot be redacted: ${d.reason}.`,
      where: d.file,
      fix: 'write the snapshot to a file first, decompressed.',
    }),
    example: { file: 'app.heapsnapshot.gz', reason: 'it is compressed' },
  }),
  PLM_HEAP_CAPTURE_REFUSED: entry({
    help: 'Taking a heap snapshot stops the event loop and needs memory in proportion to the number of objects. The guard predicts both and refuses when the process would come too close to the limit that binds it.',
    text: (d: {
      objects: string;
      needed: string;
      free: string;
      limit: string;
      stop: string;
      binds: string;
    }) => ({
      message: `a snapshot of about ${d.objects} objects would need ${d.needed} and stop the process for about ${d.stop}; ${d.free} are free under the ${d.binds} limit of ${d.limit}.`,
      where: 'capture guard',
      fix: 'take the snapshot on an instance with more memory, release memory first, or pass { force: true } to accept the risk of the process being killed.',
    }),
    example: {
      objects: '3.8 million',
      needed: '1.6 GiB',
      free: '412.0 MiB',
      limit: '2.0 GiB',
      stop: '9 s',
      binds: 'cgroup',
    },
  }),
  PLM_HEAP_CAPTURE_PAUSE: entry({
    help: 'The predicted stop of the event loop is longer than the caller allows.',
    text: (d: { objects: string; stop: string; allowed: string }) => ({
      message: `a snapshot of about ${d.objects} objects would stop the process for about ${d.stop}; at most ${d.allowed} are allowed.`,
      where: 'capture guard',
      fix: 'take it from an instance that serves no traffic, or raise maxStopMs.',
    }),
    example: { objects: '3.8 million', stop: '9 s', allowed: '2 s' },
  }),
  PLM_HEAP_CAPTURE_DENIED: entry({
    help: 'The callback that was asked whether to take the snapshot said no, failed, or did not answer in time.',
    text: (d: { reason: string }) => ({
      message: `the snapshot was not taken: ${d.reason}.`,
      where: 'capture guard, ask',
      fix: 'approve the capture, or lower its cost by releasing memory first.',
    }),
    example: { reason: 'the answer was no' },
  }),
};
