import { useState } from 'preact/hooks';
import { ApiError, post } from './api.ts';

/** State of a form: whether it is being sent, and the error of the server. */
interface Sending {
  readonly busy: boolean;
  readonly error: ApiError | null;
  /** Resolves to true when the server accepted it. */
  readonly send: (path: string, body: object) => Promise<boolean>;
}

export function useSending(): Sending {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError | null>(null);
  const send = async (path: string, body: object): Promise<boolean> => {
    setBusy(true);
    setError(null);
    try {
      await post(path, body);
      return true;
    } catch (failure) {
      setError(ApiError.of(failure));
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { busy, error, send };
}
