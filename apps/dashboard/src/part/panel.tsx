import type { ComponentChildren, JSX } from 'preact';

interface PanelProps {
  readonly title: string;
  /** Content at the right of the title. */
  readonly aside?: ComponentChildren;
  readonly class?: string;
  readonly children: ComponentChildren;
}

/** A titled part of a page. */
export function Panel({ title, aside, class: name, children }: PanelProps): JSX.Element {
  return (
    <section class={`panel ${name ?? ''}`} aria-label={title}>
      <header class="panel-head">
        <h2>{title}</h2>
        {aside === undefined ? null : <div class="panel-aside">{aside}</div>}
      </header>
      {children}
    </section>
  );
}

/** Shown without content: what would be here and how to get it. */
export function Empty({
  title,
  children,
}: {
  readonly title: string;
  readonly children?: ComponentChildren;
}): JSX.Element {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children}
    </div>
  );
}

/** An error of the server, with its fix. */
export function Refused({
  error,
}: {
  readonly error: { readonly code: string; readonly message: string; readonly fix: string };
}): JSX.Element {
  return (
    <div class="refused" role="alert">
      <p>
        <strong>{error.code}</strong>: {error.message}
      </p>
      <p>fix: {error.fix}</p>
    </div>
  );
}
