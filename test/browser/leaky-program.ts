/** A small server of agents that forgets to let closed sessions go, and asks at the door before it opens one. */
import { admit, open } from '@plimsoll/core';

class Conversation {
  readonly turns: { readonly number: number; readonly text: string }[];

  constructor(session: number) {
    this.turns = Array.from({ length: 100 }, (_, number) => ({
      number,
      text: `turn ${number} of ${session}. `.repeat(40),
    }));
  }
}

class SessionRegistry {
  readonly closed = new Map<string, Conversation>();
}

const registry = new SessionRegistry();
const agent = open('agent', 'planner');
const live: { close(reason?: string): Promise<unknown> }[] = [];
let sessions = 0;

async function nextSession(): Promise<void> {
  try {
    admit('session');
  } catch {
    return;
  }
  const number = ++sessions;
  const session = open('session', String(number), { parent: agent });
  const conversation = new Conversation(number);
  session.root(conversation);
  session.watch(conversation, 'conversation');
  registry.closed.set(`session-${number}`, conversation);
  live.push(session);
  if (live.length > 6) await live.shift()?.close('over');
}

setInterval(() => void nextSession(), 120);
// Survivors are known after a major GC; a small heap would wait long for one.
setInterval(() => globalThis.gc?.(), 1000);
process.on('SIGTERM', () => process.exit(0));
