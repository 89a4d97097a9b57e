export { Host } from './host/host.ts';
export { settingsOf } from './host/settings.ts';
export type { HostSettings } from './host/settings.ts';
export type { Frame, LevelName, LevelRow, ScopeRow } from './feed/frame.ts';
export type { Report, Verdict } from './run/report.ts';
