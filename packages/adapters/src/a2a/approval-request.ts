import type { Message } from '@a2a-js/sdk';

/** What a message of an agent asks for. */
export interface ApprovalMessage {
  readonly approval?: string;
  readonly decision?: 'approve' | 'deny';
  readonly digest: string;
  readonly comment: string;
}

const longestField = 500;

/** Reads a message: a data part `{ approval, decision, digest, comment }`, or a text "approve DIGEST comment". */
export function readMessage(message: Message): ApprovalMessage {
  for (const { content } of message.parts) {
    if (content?.$case === 'data' && typeof content.value === 'object' && content.value !== null)
      return readData(content.value as Record<string, unknown>);
  }
  for (const { content } of message.parts) {
    const words =
      content?.$case === 'text' ? /^\s*(approve|deny)\s+(\S{1,200})\s*(.*)$/is.exec(content.value) : null;
    if (words !== null)
      return {
        decision: (words[1] as string).toLowerCase() as 'approve' | 'deny',
        digest: words[2] as string,
        comment: (words[3] ?? '').slice(0, longestField),
      };
  }
  return { digest: '', comment: '' };
}

function readData(data: Record<string, unknown>): ApprovalMessage {
  const text = (key: string): string => {
    const value = data[key];
    return typeof value === 'string' ? value.slice(0, longestField) : '';
  };
  const decision = text('decision');
  return {
    ...(text('approval') === '' ? {} : { approval: text('approval') }),
    ...(decision === 'approve' || decision === 'deny' ? { decision } : {}),
    digest: text('digest'),
    comment: text('comment'),
  };
}
