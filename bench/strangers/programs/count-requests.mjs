// Writes one byte per request scope that the adapter opens, so that the benchmark can count them from outside.
import { subscribe } from 'node:diagnostics_channel';
import { appendFileSync } from 'node:fs';

subscribe('plimsoll:scope.open', ({ kind }) => {
  if (kind === 'request') appendFileSync(process.env.STRANGER_COUNT, '.');
});
