import type { AlertLevel, AlertName } from '../alert/alert.ts';

/** The channel on which parts say that something is wrong, and later that it is well again. */
export const troubleChannelName = 'plimsoll:trouble';

/** Something that stands until it is taken back. The same name, level and subject are the same alert. */
export interface Trouble {
  readonly name: AlertName;
  readonly level: AlertLevel;
  readonly subject?: string;
  /** One sentence with the numbers; null when it is over. */
  readonly summary: string | null;
  readonly fix?: string;
}
