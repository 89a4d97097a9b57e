import type { AlertLevel, AlertName } from '../alert/alert.ts';

/** The channel on which parts publish a trouble, and later its end. */
export const troubleChannelName = 'plimsoll:trouble';

/** A trouble, which lasts until it is withdrawn. The same name, level and subject are the same alert. */
export interface Trouble {
  readonly name: AlertName;
  readonly level: AlertLevel;
  readonly subject?: string;
  /** One sentence with the numbers; null when it is over. */
  readonly summary: string | null;
  readonly fix?: string;
}
