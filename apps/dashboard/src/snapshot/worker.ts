import './buffer.ts';
import { isHeapError } from '@plimsoll/heap/browser';
import type { WorkerQuestion, SnapshotWord } from './message.ts';
import { tellStory } from './story.ts';

const say = (word: SnapshotWord): void => postMessage(word);

addEventListener('message', (event: MessageEvent<WorkerQuestion>) => {
  tellStory(event.data.file, (phase, ratio) => say({ kind: 'progress', phase, ratio })).then(
    (story) => say({ kind: 'done', story }),
    (error: unknown) => {
      const message = error instanceof Error ? error.message : String(error);
      if (isHeapError(error)) say({ kind: 'failed', code: error.code, message, fix: error.fix });
      else
        say({
          kind: 'failed',
          code: 'worker',
          message,
          fix: 'Analyse it with plimsoll analyze FILE instead.',
        });
    },
  );
});
