/** What the inspector of the own process tells of objects: their properties, and calls with them as arguments. */
import type { Session } from 'node:inspector';

export interface RemoteValue {
  readonly type: string;
  readonly objectId?: string;
  readonly value?: unknown;
}

export interface Properties {
  readonly result: readonly { readonly name: string; readonly value?: RemoteValue }[];
  readonly privateProperties?: readonly { readonly name: string; readonly value?: RemoteValue }[];
  readonly internalProperties?: readonly { readonly name: string; readonly value?: RemoteValue }[];
}

/** What the inspector keeps for us is let go of together. */
export const objectGroup = 'plimsoll.lens';

export function properties(session: Session, objectId: string): Properties {
  return post(session, 'Runtime.getProperties', {
    objectId,
    ownProperties: true,
    generatePreview: false,
  }) as Properties;
}

export function call(
  session: Session,
  objectId: string,
  source: string,
  ids: readonly string[],
): RemoteValue {
  const { result } = post(session, 'Runtime.callFunctionOn', {
    objectId,
    functionDeclaration: source,
    arguments: ids.map((id) => ({ objectId: id })),
    objectGroup,
    silent: true,
  }) as { result: RemoteValue };
  return result;
}

/** Posts a message to the inspector of this thread, which answers at once. */
export function post(session: Session, method: string, parameters: object): unknown {
  let answer: unknown;
  let failed: Error | null = null;
  session.post(method, parameters, (error, result) => {
    failed = error;
    answer = result;
  });
  if (failed !== null || answer === undefined) throw failed ?? new Error(`${method} did not answer`);
  return answer;
}
