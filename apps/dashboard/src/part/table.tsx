import type { ComponentChildren, JSX } from 'preact';

interface TableProps {
  /** What the table shows, for screen readers. */
  readonly label: string;
  readonly columns: readonly string[];
  /** The columns of numbers among them. */
  readonly right?: readonly string[];
  readonly class?: string;
  /** The rows. */
  readonly children: ComponentChildren;
}

/** A table that scrolls sideways on a narrow screen, also by keyboard. */
export function Table({ label, columns, right = [], class: name, children }: TableProps): JSX.Element {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={label}>
      <table class={name}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th scope="col" key={column} class={right.includes(column) ? 'right' : undefined}>
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
