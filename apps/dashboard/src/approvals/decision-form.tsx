import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { DecisionBody } from '@plimsoll/host/protocol/api';
import { useSending } from '../live/sending.ts';
import { Refused } from '../part/panel.tsx';
import { decisionKey } from './decision.ts';

interface DecisionFormProps {
  /** Path to which the decision is sent. */
  readonly path: string;
  /** Digest of the approval as shown, so that the decision applies to exactly this one. */
  readonly digest: string;
  /** Why this reader cannot decide; undefined when they can. */
  readonly reason: string | undefined;
  readonly onDone: () => void;
}

/** Approve or deny, with a comment. */
export function DecisionForm({ path, digest, reason, onDone }: DecisionFormProps): JSX.Element {
  const [comment, setComment] = useState('');
  const { busy, error, send } = useSending();
  // One key per form, so that a double click or a repeat after a lost answer decides once.
  const [key] = useState(decisionKey);
  const decide = async (decision: DecisionBody['decision']): Promise<void> => {
    const body: DecisionBody = { decision, digest, comment, key: `${key}-${decision}` };
    if (await send(path, body)) onDone();
  };
  const disabled = busy || reason !== undefined;
  return (
    <form class="decide" onSubmit={(event) => event.preventDefault()}>
      <label class="field grow">
        <span>Comment</span>
        <input
          value={comment}
          maxLength={500}
          onInput={(event) => setComment(event.currentTarget.value)}
          disabled={disabled}
        />
      </label>
      <button type="button" class="approve" disabled={disabled} onClick={() => void decide('approve')}>
        Approve
      </button>
      <button type="button" class="deny" disabled={disabled} onClick={() => void decide('deny')}>
        Deny
      </button>
      {reason === undefined ? null : <p class="muted why-not">{reason}</p>}
      {error === null ? null : <Refused error={error} />}
    </form>
  );
}
