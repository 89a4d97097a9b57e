/** Programs for tests. Each ends after an event, however long that takes on a busy machine. */

/** Code of a program that waits until its host has published `times` messages on a channel. */
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

/** Waits until its host is loaded and has taken `readings` readings. */
export const untilRead = (readings = 1): string => untilPublished('plimsoll:reading', readings);

/** Waits until a level in it has changed. */
export const untilLevel: string = untilPublished('plimsoll:level', 1);

/** Waits until a file named "end" is in its folder. */
export const untilTold = `
import { existsSync as isThere } from 'node:fs';
await new Promise((done) => {
  const look = setInterval(() => {
    if (!isThere('end')) return;
    clearInterval(look);
    done();
  }, 20);
});`;
