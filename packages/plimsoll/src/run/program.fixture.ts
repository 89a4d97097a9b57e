/** Programs for tests that end when something has happened, however long that takes on a busy machine. */

/** Code of a program: it goes on once its host has published so often on a channel, and lives until then. */
const untilPublished = (channel: string, times: number): string => `
await new Promise((done) => {
  const life = setInterval(() => undefined, 1000);
  let left = ${times};
  process.getBuiltinModule('node:diagnostics_channel').subscribe('${channel}', () => {
    if (--left > 0) return;
    clearInterval(life);
    done();
  });
});`;

/** Goes on once its host is loaded and has taken so many readings. */
export const untilRead = (readings = 1): string => untilPublished('plimsoll:reading', readings);

/** Goes on once the level of something in it has changed. */
export const untilLevel: string = untilPublished('plimsoll:level', 1);

/** Goes on once a file with the name "end" is in its folder. */
export const untilTold = `
import { existsSync as isThere } from 'node:fs';
await new Promise((done) => {
  const look = setInterval(() => {
    if (!isThere('end')) return;
    clearInterval(look);
    done();
  }, 20);
});`;
