/** The four levels in rising order; a level's number is its index. */
export const levels = ['normal', 'warning', 'critical', 'emergency'] as const;
export type Level = (typeof levels)[number];

/** The levels that have enter and exit lines. */
export const raisedLevels = ['warning', 'critical', 'emergency'] as const;
export type RaisedLevel = (typeof raisedLevels)[number];

/** What the governor may do: only watch, watch and report what it would have done, or act. */
export const modes = ['observe', 'shadow', 'enforce'] as const;
export type Mode = (typeof modes)[number];

/** Who gives way first when memory is short. */
export const priorities = ['critical', 'normal', 'sheddable'] as const;
export type Priority = (typeof priorities)[number];
