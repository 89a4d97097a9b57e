/** Runs checks of one kind in a fresh process and prints a line for each: `flake-worker.ts clean|leak COUNT OFFSET`. */
import { growthOf } from '@plimsoll/testkit';
import { clean, planted, type Case } from './cases.ts';

const [kind, count, offset, dir] = process.argv.slice(2);
for (let i = 0; i < Number(count); i++) {
  const { make, name } = kind === 'clean' ? (clean[(Number(offset) + i) % clean.length] as Case) : planted;
  const { verdict, ms, by, leaks } = await growthOf(make(), { name, dir: dir as string });
  const isNamed = leaks[0]?.trace.some(({ via }) => via.includes('turns')) === true;
  process.stdout.write(`${JSON.stringify({ name, verdict, ms, by, isNamed })}\n`);
}
