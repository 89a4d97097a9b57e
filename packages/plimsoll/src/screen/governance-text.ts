import { formatByteSize, formatDuration } from '@plimsoll/core/units';
import { freedText } from '@plimsoll/host/internal/protocol/freed-text';
import type { ActionRow, ApprovalRow, Frame } from '@plimsoll/host/protocol';

/** What governing does, one line each: work that is refused, the newest action, approvals that wait. Empty while there is nothing to say. */
export function governanceLines({ governance, at }: Frame): readonly string[] {
  const { admission, actions, approvals, counts } = governance;
  const newest = actions.at(-1);
  const waiting = approvals.filter((row) => row.state === 'open').sort((a, b) => a.deadlineAt - b.deadlineAt);
  const [next] = waiting;
  return [
    ...(admission === null || admission.state === 'open'
      ? []
      : [
          `admission ${admission.state}: ${Math.round(100 * admission.ratio)} % of new sheddable work is refused, ${admission.refused} so far`,
        ]),
    ...(newest === undefined ? [] : [actionLine(newest, counts, at)]),
    ...(next === undefined ? [] : [approvalLine(next, waiting.length, at)]),
  ];
}

function actionLine(row: ActionRow, counts: Frame['governance']['counts'], now: number): string {
  const freed = row.freedBytes === null ? '' : `, ${freedText(row.freedBytes)}`;
  const all = [
    ...(counts.cleanups > 0
      ? [`${counts.cleanups} cleanups freed ${formatByteSize(counts.freedBytes)} so far`]
      : []),
    ...(counts.wouldHave > 0 ? [`${counts.wouldHave} only written down`] : []),
  ];
  const sum = all.length === 0 ? '' : ` (${all.join(', ')})`;
  return `action ${row.action} ${row.outcome} ${formatDuration(Math.max(0, now - row.at))} ago on ${row.scope}${freed}${sum}`;
}

function approvalLine(row: ApprovalRow, count: number, now: number): string {
  const more = count > 1 ? ` and ${count - 1} more` : '';
  const left = formatDuration(Math.max(0, row.deadlineAt - now));
  return `approval ${row.id} waits: ${row.action} on ${row.scope}, ${left} left, then ${row.onExpiry}${more} (plimsoll approvals)`;
}
