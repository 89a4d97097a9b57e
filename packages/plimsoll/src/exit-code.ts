/** Exit codes: fine, bad usage or input, a finding at or above `--fail-on`, a bug of ours. */
export const exitCode = { fine: 0, usage: 1, finding: 2, bug: 70 } as const;
