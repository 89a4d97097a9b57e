import { describe, expect, it } from 'vitest';
import { Hours } from './timeline.ts';

/** Two days of hours with this level, MB. */
function sawtooth(level: (h: number) => number, hours = 48): boolean {
  const rows = new Hours();
  for (let h = 0; h < hours; h++) rows.add(3600 * h + 60, level(h), 0);
  return rows.isSawtooth(0, 3, 0);
}

describe('a sawtooth', () => {
  it('is a level whose lows stay, also while its last tooth is the highest', () => {
    expect(sawtooth((h) => 100 + 2 * (h % 10))).toBe(true);
    // Flushed at hours 12 and 26; the third tooth is the longest and the highest.
    expect(sawtooth((h) => 100 + (h < 12 ? h : h < 26 ? h - 12 : h - 26))).toBe(true);
  });

  it('is none when the lows rise, as beneath a leak', () => {
    expect(sawtooth((h) => 100 + 2 * (h % 10) + h)).toBe(false);
  });

  it('is none without a fall, or when falls are as small as noise', () => {
    expect(sawtooth((h) => 100 + h)).toBe(false);
    expect(sawtooth((h) => 100 + 2 * (h % 2))).toBe(false);
  });

  it('is none once growth goes on for far longer than any tooth before', () => {
    const cleared = (h: number): number => 100 + (h < 10 ? h : h - 10);
    expect(sawtooth(cleared, 24)).toBe(true);
    expect(sawtooth(cleared, 48)).toBe(false);
  });
});
