import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

/** Puts a text on the clipboard and says whether it worked. */
export function CopyButton({
  label,
  text,
}: {
  readonly label: string;
  readonly text: () => string;
}): JSX.Element {
  const [said, setSaid] = useState('');
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text());
      setSaid('copied');
    } catch {
      setSaid('the browser refused; select the text below');
    }
    setTimeout(() => setSaid(''), 4000);
  };
  return (
    <span class="copy">
      <span role="status" class="muted">
        {said}
      </span>
      <button type="button" onClick={() => void copy()}>
        {label}
      </button>
    </span>
  );
}
