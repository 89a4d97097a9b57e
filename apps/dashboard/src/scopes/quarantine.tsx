import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ActAnswer } from '@plimsoll/host/protocol/answers';
import { ApiError, post } from '../live/api.ts';
import { isHistorical, session } from '../live/state.ts';
import { Panel } from '../part/panel.tsx';

/** Puts a scope into quarantine or ends the quarantine. Only for the owner of a running process. */
export function QuarantinePanel({ path }: { readonly path: string }): JSX.Element | null {
  const [told, setTold] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  if (isHistorical.value || path === 'process' || session.value?.as !== 'admin') return null;
  const act = (off: boolean): void => {
    setBusy(true);
    post<ActAnswer>('/api/act', { action: 'scope.quarantine', scope: path, off }).then(
      ({ outcome, text }) => {
        setTold(`${outcome}: ${text}`);
        setBusy(false);
      },
      (error: unknown) => {
        setTold(error instanceof ApiError ? `${error.message} ${error.fix}` : String(error));
        setBusy(false);
      },
    );
  };
  return (
    <Panel title="Quarantine" aside="takes no new turns, keeps its state">
      <p class="act-buttons">
        <button type="button" disabled={isBusy} onClick={() => act(false)}>
          Quarantine this scope
        </button>
        <button type="button" disabled={isBusy} onClick={() => act(true)}>
          End its quarantine
        </button>
      </p>
      <p role="status">
        {told ?? 'New work is refused; running work goes on. The ledger records who asked.'}
      </p>
    </Panel>
  );
}
