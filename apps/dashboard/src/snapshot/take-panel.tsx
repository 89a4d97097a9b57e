import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { SnapshotAnswer, SnapshotJob } from '@plimsoll/host/protocol/api';
import { ApiError, download, get, post } from '../live/api.ts';
import { frame, isHistorical, session } from '../live/state.ts';
import { Panel, Refused } from '../part/panel.tsx';
import { linkTo } from '../shell/route.ts';
import { bytesText, countText, durationText } from '../text/units.ts';

const pollMs = 1000;

/** Takes a heap snapshot of the shown process and passes its file on. */
export function TakePanel({ onFile }: { readonly onFile: (file: File) => void }): JSX.Element | null {
  const [answer, setAnswer] = useState<SnapshotAnswer | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  /** The job that was started here. The file of another job is not opened. */
  const wanted = useRef<number | null>(null);
  const job = answer?.job ?? null;
  const isBusy = job?.state === 'waiting' || job?.state === 'taking';
  const isOwner = session.value?.as === 'admin';
  const isLive = frame.value !== null && !isHistorical.value;
  const look = (): void => {
    get<SnapshotAnswer>('api/snapshot').then(setAnswer, (thrown: unknown) => {
      // A process does not answer while its snapshot is taken. The next request shows the result.
      if (wanted.current === null && thrown instanceof ApiError) setError(thrown);
      setAnswer((before) => (before === null ? null : { ...before }));
    });
  };
  useEffect(() => {
    if (isLive && isOwner) look();
  }, [isLive, isOwner]);
  useEffect(() => {
    if (!isBusy) return undefined;
    const timer = setTimeout(look, pollMs);
    return () => clearTimeout(timer);
  }, [answer]);
  useEffect(() => {
    if (job?.state !== 'done' || wanted.current !== job.id) return;
    wanted.current = null;
    openFile(job, onFile).catch((thrown: unknown) => setError(asError(thrown)));
  }, [answer]);
  if (!isLive) return null;
  if (!isOwner)
    return (
      <Panel title="Take one of this process">
        <p>
          Only the owner of the process may: open the dashboard by the address with the token that plimsoll
          prints.
        </p>
      </Panel>
    );
  const take = (): void => {
    setError(null);
    post<SnapshotAnswer>('api/snapshot/take', {}).then(
      (begun) => {
        wanted.current = begun.job?.id ?? null;
        setAnswer(begun);
      },
      (thrown: unknown) => setError(asError(thrown)),
    );
  };
  return (
    <Panel title={`Take one of ${frame.value?.target ?? 'this process'}`}>
      {answer === null ? <p class="muted">Asking what it would cost …</p> : <Prediction answer={answer} />}
      <p>
        <button type="button" onClick={take} disabled={isBusy || answer?.prediction.fits === false}>
          Take a snapshot and open it
        </button>{' '}
        <span role="status">{job === null ? null : <JobText job={job} />}</span>
      </p>
      {error === null ? null : <Refused error={error} />}
      {job?.error == null ? null : <Refused error={job.error} />}
    </Panel>
  );
}

function asError(thrown: unknown): ApiError {
  return thrown instanceof ApiError
    ? thrown
    : new ApiError(0, 'page', String(thrown), 'Load the page again.');
}

async function openFile(job: SnapshotJob, onFile: (file: File) => void): Promise<void> {
  const name = job.file?.split('/').at(-1) ?? `snapshot-${job.id}.heapsnapshot`;
  onFile(new File([await download('api/snapshot/file')], name));
}

function Prediction({ answer }: { readonly answer: SnapshotAnswer }): JSX.Element {
  const { objects, neededBytes, stopMs, freeBytes, fits } = answer.prediction;
  return (
    <p class="num">
      It would stop the process for about <strong>{durationText(stopMs)}</strong> and need{' '}
      {bytesText(neededBytes)} of the {bytesText(freeBytes)} that are free ({countText(objects)} objects at
      most).{' '}
      {fits ? null : (
        <strong>
          That does not fit, so it is not taken. Free memory first, or take it on a larger machine.
        </strong>
      )}
    </p>
  );
}

function JobText({ job }: { readonly job: SnapshotJob }): JSX.Element {
  if (job.state === 'waiting')
    return (
      <>
        Begun. Where the policy asks for an approval, it waits in the <a href={linkTo('approvals')}>inbox</a>.
      </>
    );
  if (job.state === 'taking') return <>The process stands still and is being written to a file …</>;
  if (job.state === 'failed') return <>Not taken:</>;
  return (
    <span class="num">
      Taken: {bytesText(job.fileBytes ?? 0)}, the process stood still for {durationText(job.stopMs ?? 0)}.
      Kept at <code>{job.file}</code>.
    </span>
  );
}
