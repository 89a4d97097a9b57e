import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

/** Copies a text to the clipboard and shows whether it worked. When the browser refuses, it shows the text for selection. */
export function CopyButton({
  label,
  text,
}: {
  readonly label: string;
  readonly text: () => string;
}): JSX.Element {
  const [said, setSaid] = useState('');
  const [shown, setShown] = useState<string | null>(null);
  const copy = async (): Promise<void> => {
    try {
      // Absent without a secure connection, as for a server on another machine.
      await navigator.clipboard.writeText(text());
      setSaid('copied');
      setTimeout(() => setSaid(''), 4000);
    } catch {
      setSaid('copy it from here:');
      setShown(text());
    }
  };
  return (
    <span class="copy">
      <span role="status" class="muted">
        {said}
      </span>
      {shown === null ? null : <textarea aria-label={label} readOnly rows={3} value={shown} />}
      <button type="button" onClick={() => void copy()}>
        {label}
      </button>
    </span>
  );
}
