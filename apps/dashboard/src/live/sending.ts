import { useState } from 'preact/hooks';
import { ApiError, post } from './api.ts';

/** What a form sends: whether it is on its way, and what the server said instead of taking it. */
interface Sending {
  readonly busy: boolean;
  readonly error: ApiError | null;
  /** Resolves to true when the server took it. */
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
