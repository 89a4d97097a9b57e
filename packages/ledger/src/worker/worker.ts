/** The thread of the ledger. */
import { parentPort, workerData } from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';
import type { WriterStart } from './protocol.ts';
import { serve } from './serve.ts';

serve(parentPort as MessagePort, workerData as WriterStart);
