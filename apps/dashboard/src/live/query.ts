import { useEffect, useState } from 'preact/hooks';
import { ApiError, get } from './api.ts';

/** The newest answer, which stays while the next one is loading. */
interface Query<Answer> {
  readonly answer: Answer | null;
  readonly error: ApiError | null;
  readonly loading: boolean;
  readonly again: () => void;
}

/** Requests when the page is shown and whenever the request changes, and repeats it every `everyMs`. */
export function useQuery<Answer>(
  path: string | null,
  query: Readonly<Record<string, string | number | undefined>> = {},
  everyMs?: number,
): Query<Answer> {
  const [known, setKnown] = useState<Omit<Query<Answer>, 'again'>>({
    answer: null,
    error: null,
    loading: true,
  });
  const [round, setRound] = useState(0);
  const key = JSON.stringify(query);
  useEffect(() => {
    if (path === null) return undefined;
    const gone = new AbortController();
    setKnown((before) => ({ ...before, loading: true }));
    get<Answer>(path, JSON.parse(key) as typeof query, gone.signal).then(
      (answer) => setKnown({ answer, error: null, loading: false }),
      (error: unknown) => {
        if (gone.signal.aborted) return;
        const told =
          error instanceof ApiError ? error : new ApiError(0, 'page', String(error), 'Load the page again.');
        setKnown((before) => ({ answer: before.answer, error: told, loading: false }));
      },
    );
    const timer = everyMs === undefined ? undefined : setTimeout(() => setRound(round + 1), everyMs);
    return () => {
      gone.abort();
      clearTimeout(timer);
    };
  }, [path, key, round, everyMs]);
  return { ...known, again: () => setRound(round + 1) };
}
