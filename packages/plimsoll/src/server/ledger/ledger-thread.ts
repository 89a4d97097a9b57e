/** The thread that reads ledgers for the server. */
import { parentPort } from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';
import { LedgerRoom } from './ledger-room.ts';
import type { LedgerRequest } from './question.ts';

const room = new LedgerRoom();
const port = parentPort as MessagePort;
port.on('message', (request: LedgerRequest) => port.postMessage(room.answer(request)));
