import type { AddCommand } from '../program.ts';

/** One row of the help page. The command itself is loaded on demand, so that it does not wait for the others. */
export interface Verb {
  readonly name: string;
  /** Options and arguments, as the help page shows them. */
  readonly usage: string;
  readonly summary: string;
  readonly load: () => Promise<AddCommand>;
}

/** Every verb, in the order of the help page. A test compares usage and summary with those of the command. */
export const verbs: readonly Verb[] = [
  {
    name: 'run',
    usage: '[options] <command...>',
    summary: 'start a Node.js program governed, without changing its code',
    load: async () => (await import('./run.ts')).addRunCommand,
  },
  {
    name: 'dev',
    usage: '[options] <command...>',
    summary: 'start a program governed, with the dashboard beside it',
    load: async () => (await import('./dev.ts')).addDevCommand,
  },
  {
    name: 'serve',
    usage: '[options]',
    summary:
      'serve the dashboard, the JSON API and metrics for the governed processes of a folder, or for a ledger',
    load: async () => (await import('./serve.ts')).addServeCommand,
  },
  {
    name: 'open',
    usage: '[options]',
    summary: 'print a link that opens the running dashboard once',
    load: async () => (await import('./open.ts')).addOpenCommand,
  },
  {
    name: 'token',
    usage: '[options] <action>',
    summary: 'rotate the admin token of a folder',
    load: async () => (await import('./token.ts')).addTokenCommand,
  },
  {
    name: 'top',
    usage: '[options] [pid]',
    summary: 'live table of the scopes of a governed process',
    load: async () => (await import('./top.ts')).addTopCommand,
  },
  {
    name: 'attach',
    usage: '[options] <pid>',
    summary: 'look into a running Node.js process that never heard of us',
    load: async () => (await import('./attach.ts')).addAttachCommand,
  },
  {
    name: 'doctor',
    usage: '[options] [pid]',
    summary: 'say where the memory of a process is and what to do, safe to paste anywhere',
    load: async () => (await import('./doctor.ts')).addDoctorCommand,
  },
  {
    name: 'autopsy',
    usage: '[options] [folder]',
    summary: 'say why a governed process died, and what it held',
    load: async () => (await import('./autopsy.ts')).addAutopsyCommand,
  },
  {
    name: 'analyze',
    usage: '[options] <file>',
    summary: 'say what holds the memory in a heap snapshot, with the path that keeps it alive',
    load: async () => (await import('./analyze.ts')).addAnalyzeCommand,
  },
  {
    name: 'diff',
    usage: '[options] <files...>',
    summary: 'say what grew between heap snapshots, by the path that holds it',
    load: async () => (await import('./diff.ts')).addDiffCommand,
  },
  {
    name: 'redact',
    usage: '[options] <input> <output>',
    summary: 'write a heap snapshot without the content of its strings, fit to be shared',
    load: async () => (await import('./redact.ts')).addRedactCommand,
  },
  {
    name: 'approvals',
    usage: '',
    summary: 'list, approve and deny requests that wait for a person; make tokens for approvers',
    load: async () => (await import('./approvals.ts')).addApprovalsCommand,
  },
  {
    name: 'act',
    usage: '[options] <action> [scope]',
    summary: 'run an action of the ladder by hand: park, shrink, quarantine, stop, collect',
    load: async () => (await import('./act.ts')).addActCommand,
  },
  {
    name: 'ledger',
    usage: '',
    summary: 'read the history: summary, growth, export, verify',
    load: async () => (await import('./ledger.ts')).addLedgerCommand,
  },
  {
    name: 'stress',
    usage: '[options] <command...>',
    summary:
      'put a server or a module under load, long conversations and faults; prints PASS or FAIL and the holder of the memory',
    load: async () => (await import('./stress.ts')).addStressCommand,
  },
  {
    name: 'gate',
    usage: '[options] <command...>',
    summary: 'compare the memory of a program with a baseline, run by run until it is decided; for CI',
    load: async () => (await import('./gate.ts')).addGateCommand,
  },
  {
    name: 'bisect',
    usage: '[options] <good> <bad> <command...>',
    summary: 'find the commit that began to leak, by measuring in git worktrees',
    load: async () => (await import('./bisect.ts')).addBisectCommand,
  },
  {
    name: 'report',
    usage: '[options] [file]',
    summary: 'write a report as a page, Markdown or JUnit; or one over the history in the ledger',
    load: async () => (await import('./report.ts')).addReportCommand,
  },
  {
    name: 'mcp',
    usage: '[options]',
    summary:
      'answer a coding agent: processes, scopes, findings with trace and source lines, snapshots, history',
    load: async () => (await import('./mcp.ts')).addMcpCommand,
  },
  {
    name: 'init',
    usage: '[options] [file]',
    summary: 'write a commented policy to start from, and the schema for your editor',
    load: async () => (await import('./init.ts')).addInitCommand,
  },
  {
    name: 'check',
    usage: '[options] [policy]',
    summary: 'check a policy: every fault with its place, or a summary of the policy',
    load: async () => (await import('./check.ts')).addCheckCommand,
  },
  {
    name: 'explain',
    usage: '[options] <scope>',
    summary: 'say which rule gives a scope which number, and why the others do not',
    load: async () => (await import('./explain.ts')).addExplainCommand,
  },
  {
    name: 'replay',
    usage: '[options]',
    summary: 'run a policy over the history, to see its actions before it is used',
    load: async () => (await import('./replay.ts')).addReplayCommand,
  },
  {
    name: 'policy',
    usage: '[options] <action> [what]',
    summary: 'store and roll out the policy of a fleet, and compare how the groups fare',
    load: async () => (await import('./policy.ts')).addPolicyCommand,
  },
  {
    name: 'rollback',
    usage: '[options] [pid]',
    summary: 'give up the policy of a governed process: back to the last good one, or to shadow',
    load: async () => (await import('./rollback.ts')).addRollbackCommand,
  },
  {
    name: 'silence',
    usage: '[options] [verb] [words...]',
    summary: 'mute alerts of a governed process for a time, and see which fire',
    load: async () => (await import('./silence.ts')).addSilenceCommand,
  },
  {
    name: 'docs',
    usage: '[options] [word]',
    summary: 'print a page of the documentation, the section of an error code, or where a word is mentioned',
    load: async () => (await import('./docs.ts')).addDocsCommand,
  },
];
