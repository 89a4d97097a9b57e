/** The analyst: a process of its own that reads the snapshots of another one, prints what it found as JSON, and may crash without effect. */
import { evidenceOf } from './evidence.ts';

const [last, first] = process.argv.slice(2);
if (last !== undefined) process.stdout.write(JSON.stringify(await evidenceOf(last, first)));
