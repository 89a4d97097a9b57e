/** The load's process: each message is one block of fixed work against one server, answered with what it took. */
import { Load } from '../../examples/agent-server/src/load/load.ts';

export interface Block {
  readonly base: string;
  readonly seed: number;
  readonly users: number;
  readonly sessions: number;
}

process.on('message', (block: Block) => {
  const load = new Load(block.base, {
    seed: block.seed,
    users: block.users,
    sessions: block.sessions,
    thinkMs: 0,
    ratePerSecond: 0,
    abandonRatio: 0.1,
  });
  void load.run().then((summary) => process.send?.(summary));
});
process.on('disconnect', () => process.exit());
