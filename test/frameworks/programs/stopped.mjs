// Two calls of each framework wait in a tool. The scope of one is closed, as the ladder and `plimsoll act` do: it stops, and the other goes on.
import { begin, names, talkOf } from './talks.mjs';
import { waitFor } from './scopes.mjs';

for (const name of names) await waitFor(name);
const roster = () => globalThis[Symbol.for('plimsoll.slots.v1')].scopes.roster;
const told = {};
for (const name of names.filter((each) => each !== 'mcp')) {
  let waiting = 0;
  const gate = Promise.withResolvers();
  const wait = async () => {
    waiting += 1;
    await gate.promise;
  };
  // LangGraph has no model here, so what ends well is counted, too.
  const call = async (session, isStream) => {
    let steps = -1;
    const count = () => void (steps += 1);
    const talk = { ...talkOf(1, 1000), results: [], isStream };
    const end = await begin(name, session, talk, wait, count).then(
      () => 'ended',
      ({ message }) => message,
    );
    return [isStream, end, Math.max(0, steps)];
  };
  const stopped = [true, false].map((isStream) => call(`${name}-stopped-${isStream}`, isStream));
  const kept = [true, false].map((isStream) => call(`${name}-kept-${isStream}`, isStream));
  while (waiting < 4) await new Promise((done) => setTimeout(done, 5));
  for (const scope of [...roster().open])
    if (scope.kind === 'agent' && scope.path.includes(`${name}-stopped`)) await scope.close('stopped');
  gate.resolve();
  told[name] = { stopped: await Promise.all(stopped), kept: await Promise.all(kept) };
}
console.log(JSON.stringify(told));
process.exit(0);
