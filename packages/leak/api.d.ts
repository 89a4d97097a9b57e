// @plimsoll/leak: Finding FindingStep Severity severities
export interface Finding {
  readonly id: string; readonly kind: 'survivor' | 'growth' | 'listener' | 'timer' | 'handle' | 'budget' | 'delegation';
  readonly severity: Severity; readonly scope: string; readonly fingerprint: string; readonly firstSeen: number;
  readonly lastSeen: number; readonly count: number; readonly bytes: number; readonly rate?: number;
  readonly exhaustsIn?: { readonly ms: number; readonly low: number; readonly high: number; };
  readonly trace?: readonly FindingStep[];
  readonly knownLeak?: { readonly name: string; readonly cure: string; readonly link: string; };
  readonly subject?: string; readonly site?: string; readonly holder?: string; readonly endedAt?: number;
  readonly fix: string;
}
export interface FindingStep {
  readonly type: string; readonly name: string; readonly via: string; readonly retainedBytes?: number;
  readonly scope?: string; readonly suspect?: boolean; readonly leaking: 'no' | 'maybe' | 'yes'; readonly why: string;
}
export declare const severities: readonly Severity[];
