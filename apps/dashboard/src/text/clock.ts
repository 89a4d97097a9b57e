const two = (value: number): string => String(value).padStart(2, '0');

/** The time of day in the reader's zone: "14:03:07". */
export function timeText(at: number): string {
  const date = new Date(at);
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/** Day and time in the reader's zone: "2026-11-15 14:03". */
export function dateText(at: number): string {
  const date = new Date(at);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** Time of day today, day and time before. */
export function whenText(at: number, now: number): string {
  return new Date(at).toDateString() === new Date(now).toDateString() ? timeText(at) : dateText(at);
}
