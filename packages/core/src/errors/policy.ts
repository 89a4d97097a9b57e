import { formatByteSize } from '../units/byte-size.ts';
import { entry } from './entry.ts';

/** Where a fault in a policy file is: "plimsoll.yaml:7:5" and the path of keys to it. */
export interface At {
  readonly place: string;
  readonly path: string;
}

const at = (d: At): string => (d.path === '' ? d.place : `${d.place}  ${d.path}`);

/** Errors of policy files. */
export const policyErrors = {
  PLM_POLICY_UNREADABLE: entry({
    help: 'The policy file does not exist or may not be read. At start this ends the command; at a reload the last good policy stays in force.',
    text: (d: { file: string; reason: string }) => ({
      message: `the policy could not be read: ${d.reason}.`,
      where: d.file,
      fix: 'check the path and its permissions; "plimsoll init" writes a policy to start from.',
    }),
    example: { file: 'plimsoll.yaml', reason: 'ENOENT: no such file or directory' },
  }),
  PLM_POLICY_TOO_BIG: entry({
    help: 'A policy is read on the main thread, so its size is capped.',
    text: (d: { file: string; bytes: number; maxBytes: number }) => ({
      message: `the policy has ${formatByteSize(d.bytes)}; at most ${formatByteSize(d.maxBytes)} are read.`,
      where: d.file,
      fix: 'use globs instead of one entry per name.',
    }),
    example: { file: 'plimsoll.yaml', bytes: 3_145_728, maxBytes: 131_072 },
  }),
  PLM_POLICY_FOREIGN: entry({
    help: '`plimsoll init --from FILE` converts policies with a section `memory_budgets`; the file has none.',
    text: (d: { file: string; found: readonly string[] }) => ({
      message: `there is no "memory_budgets" in it; it has ${d.found.length === 0 ? 'no keys' : d.found.join(', ')}.`,
      where: d.file,
      fix: 'name a file with memory_budgets, or run "plimsoll init" for a policy to start from.',
    }),
    example: { file: 'old.yaml', found: ['limits', 'alerts'] },
  }),
  PLM_POLICY_SYNTAX: entry({
    help: 'The file is not YAML 1.2, or uses a part of it that a policy does not allow.',
    text: (d: { place: string; what: string; fix: string }) => ({
      message: `the text ${d.what}.`,
      where: d.place,
      fix: d.fix,
    }),
    example: { place: 'plimsoll.yaml:4:1', what: 'is indented with a tab', fix: 'indent with spaces.' },
  }),
  PLM_POLICY_ALIAS: entry({
    help: 'Aliases may repeat a value, but an alias inside an anchored value is refused, and so are more than 100 of them. With such aliases a file of one kilobyte can become gigabytes in memory.',
    text: (d: {
      place: string;
      alias: string;
      fault: 'nested' | 'many' | 'unknown';
      maxAliases: number;
    }) => ({
      message: {
        nested: `the alias "*${d.alias}" stands inside a value that is itself an alias.`,
        many: `the alias "*${d.alias}" is one too many; a policy has at most ${d.maxAliases}.`,
        unknown: `the alias "*${d.alias}" refers to an anchor that does not exist above it.`,
      }[d.fault],
      where: d.place,
      fix:
        d.fault === 'unknown'
          ? `define "&${d.alias}" above it; a name that begins with "*" needs quotes.`
          : 'write the value out, or use a glob.',
    }),
    example: { place: 'plimsoll.yaml:9:9', alias: 'small', fault: 'nested', maxAliases: 100 },
  }),
  PLM_POLICY_BAD_KEY: entry({
    help: 'Keys of a policy are plain words or quoted text.',
    text: (d: { place: string }) => ({
      message: 'a key is empty, a list or a map; a key has to be text.',
      where: d.place,
      fix: 'write the key as text, in quotes where it has special characters: "*".',
    }),
    example: { place: 'plimsoll.yaml:5:3' },
  }),
  PLM_POLICY_DUPLICATE_KEY: entry({
    help: 'YAML allows only one entry per key; a second one would silently hide the first.',
    text: (d: { place: string; key: string; line: number }) => ({
      message: `"${d.key}" is written twice in one map.`,
      where: d.place,
      fix: `merge it with line ${d.line}, or remove one of them.`,
    }),
    example: { place: 'plimsoll.yaml:12:3', key: 'agents', line: 7 },
  }),
  PLM_POLICY_UNKNOWN_KEY: entry({
    help: 'An unknown key is refused, because a misspelt rule would be ignored and protect nothing.',
    text: (d: At & { key: string; noun: string; keys: readonly string[]; suggestion?: string }) => ({
      message: `"${d.key}" is not a key of ${d.noun}.`,
      where: at(d),
      fix: `${d.suggestion === undefined ? 'remove it' : `rename it to "${d.suggestion}"`}. Keys of ${d.noun}: ${d.keys.join(', ')}.`,
    }),
    example: {
      place: 'plimsoll.yaml:7:5',
      path: 'budgets.agents.planner',
      key: 'maxx',
      noun: 'a budget',
      keys: ['max', 'priority', 'idle'],
      suggestion: 'max',
    },
  }),
  PLM_POLICY_MISSING_KEY: entry({
    help: 'A key without a default is missing.',
    text: (d: At & { key: string; noun: string; example: string }) => ({
      message: `${d.noun} needs the key "${d.key}".`,
      where: at(d),
      fix: `add "${d.key}: ${d.example}".`,
    }),
    example: {
      place: 'plimsoll.yaml:1:1',
      path: '',
      key: 'apiVersion',
      noun: 'a policy',
      example: 'plimsoll/v1',
    },
  }),
  PLM_POLICY_WRONG_KIND: entry({
    help: 'A map, a list or a single value stands where another of the three belongs.',
    text: (d: At & { found: string; accepted: string; fix: string }) => ({
      message: `there is ${d.found} here; it has to be ${d.accepted}.`,
      where: at(d),
      fix: d.fix,
    }),
    example: {
      place: 'plimsoll.yaml:6:11',
      path: 'budgets.agents',
      found: 'a list',
      accepted: 'a map of agents',
      fix: 'write "name: ..." lines under it, without "-".',
    },
  }),
  PLM_POLICY_NO_UNIT: entry({
    help: 'Sizes, durations and percentages need a unit. A bare number could be read wrongly by a factor of a thousand.',
    text: (d: At & { value: string; unit: 'size' | 'duration' | 'percent' }) => ({
      message: `${d.value} has no unit.`,
      where: at(d),
      fix: `write the unit you mean, such as ${d.value}${{ size: 'MiB', duration: 's', percent: '%' }[d.unit]}.`,
    }),
    example: {
      place: 'plimsoll.yaml:8:12',
      path: 'budgets.agents."*".max',
      value: '64',
      unit: 'size',
    } as const,
  }),
  PLM_POLICY_BAD_VALUE: entry({
    help: 'A value has the wrong form or lies outside its bounds; the message names the accepted form.',
    text: (d: At & { value: string; accepted: string; example: string; suggestion?: string }) => ({
      message: `${d.value} is not accepted here; it has to be ${d.accepted}.`,
      where: at(d),
      fix: `write ${d.suggestion ?? d.example}.`,
    }),
    example: {
      place: 'plimsoll.yaml:3:7',
      path: 'mode',
      value: '"enforced"',
      accepted: 'a mode: observe, shadow, enforce',
      example: 'observe',
      suggestion: 'enforce',
    },
  }),
  PLM_POLICY_LADDER: entry({
    help: 'The rungs of the ladder would do harm in this order or combination: they end work before memory was freed, refuse work although nothing frees memory, or do nothing.',
    text: (d: At & { message: string; fix: string }) => ({ message: d.message, where: at(d), fix: d.fix }),
    example: {
      place: 'plimsoll.yaml:31:7',
      path: 'ladder.warning[0]',
      message: '"scope.stop" ends work before anything was tried that frees memory.',
      fix: 'put a rung such as keepers.shrink or session.park before it.',
    },
  }),
  PLM_POLICY_UNKNOWN_ACTION: entry({
    help: 'The ladder names an action that does not exist. It is an error at load, because otherwise nobody would notice before memory is short.',
    text: (d: At & { action: string; actions: readonly string[]; suggestion?: string }) => ({
      message: `"${d.action}" is not an action.`,
      where: at(d),
      fix: `${d.suggestion === undefined ? 'remove the rung' : `rename it to "${d.suggestion}"`}. Actions: ${d.actions.join(', ')}.`,
    }),
    example: {
      place: 'plimsoll.yaml:20:7',
      path: 'ladder.warning[0]',
      action: 'notfy',
      actions: ['notify'],
      suggestion: 'notify',
    },
  }),
  PLM_POLICY_LEVEL_GAP: entry({
    help: 'A level needs a gap between the line where it begins and the line where it ends, or it would flap.',
    text: (d: At & { level: string; enter: string; exit: string }) => ({
      message: `level ${d.level} begins at ${d.enter} and ends at ${d.exit}; it has to end below where it begins.`,
      where: at(d),
      fix: 'lower "exit", 5 points below "enter" is usual.',
    }),
    example: {
      place: 'plimsoll.yaml:9:40',
      path: 'levels.warning.exit',
      level: 'warning',
      enter: '60 %',
      exit: '65 %',
    },
  }),
  PLM_POLICY_LEVEL_ORDER: entry({
    help: 'The lines of the levels must rise from warning to critical to emergency, both the lines where they begin and those where they end.',
    text: (d: At & { key: string; lower: string; lowerAt: string; upper: string; upperAt: string }) => ({
      message: `"${d.key}" of ${d.upper} is ${d.upperAt} and that of ${d.lower} is ${d.lowerAt}; levels have to rise.`,
      where: at(d),
      fix: `raise "${d.key}" of ${d.upper} above ${d.lowerAt}, or lower that of ${d.lower}.`,
    }),
    example: {
      place: 'plimsoll.yaml:10:22',
      path: 'levels.critical.enter',
      key: 'enter',
      lower: 'warning',
      lowerAt: '80 %',
      upper: 'critical',
      upperAt: '70 %',
    },
  }),
  PLM_POLICY_ORDER: entry({
    help: 'Two times of the policy contradict each other.',
    text: (d: At & { message: string; fix: string }) => ({
      message: d.message,
      where: at(d),
      fix: d.fix,
    }),
    example: {
      place: 'plimsoll.yaml:13:23',
      path: 'signal.fast',
      message: '"fast" is 2 s and "sample" is 1 s; fast readings may not be slower.',
      fix: 'lower "fast" to 1 s or less.',
    },
  }),
  PLM_POLICY_ABOVE_PARENT: entry({
    help: 'A budget may only be lower than those around it. A larger number would never be reached.',
    text: (d: At & { child: string; max: string; parent: string; parentMax: string }) => ({
      message: `${d.child} may hold ${d.max}, but ${d.parent} around it only ${d.parentMax}.`,
      where: at(d),
      fix: `lower it to ${d.parentMax} or less, or raise ${d.parent}.`,
    }),
    example: {
      place: 'plimsoll.yaml:18:20',
      path: 'budgets.agents.research.max',
      child: 'agents "research"',
      max: '2.0 GiB',
      parent: 'the global budget',
      parentMax: '1.0 GiB',
    },
  }),
  PLM_POLICY_TIE: entry({
    help: 'Two globs of one section are equally specific and some name matches both, so which budget it gets would be a guess. More literal characters make a glob more specific.',
    text: (d: At & { section: string; first: string; second: string; line: number }) => ({
      message: `"${d.first}" and "${d.second}" are equally specific and can match the same name.`,
      where: at(d),
      fix: `make one of them longer, or merge it with line ${d.line}.`,
    }),
    example: {
      place: 'plimsoll.yaml:19:5',
      path: 'budgets.agents."*-web"',
      section: 'agents',
      first: 'rag-*',
      second: '*-web',
      line: 18,
    },
  }),
  PLM_POLICY_SEVERAL: entry({
    help: 'The policy has more than one fault; all of them are listed.',
    text: (d: { file: string; count: number; list: string }) => ({
      message: `the policy has ${d.count} faults.`,
      where: d.file,
      fix: `correct each of these.\n\n${d.list}`,
    }),
    example: {
      file: 'plimsoll.yaml',
      count: 2,
      list: 'PLM_POLICY_NO_UNIT: 64 has no unit.\n  at:  plimsoll.yaml:8:12  budgets.agents."*".max\n  fix: write the unit you mean, such as 64MiB.\n\nPLM_POLICY_DUPLICATE_KEY: ...',
    },
  }),
  PLM_POLICY_KEPT_LAST_GOOD: entry({
    help: 'A changed policy file was refused while the process runs. The policy that was in force stays in force; correct the file, and it is read again automatically.',
    text: (d: { file: string; revision: number; first: string }) => ({
      message: `the changed policy was refused and revision ${d.revision} stays in force. ${d.first}`,
      where: d.file,
      fix: 'run "plimsoll check" on the file; it is read again when it changes.',
    }),
    example: {
      file: 'plimsoll.yaml',
      revision: 14,
      first: 'PLM_POLICY_NO_UNIT at plimsoll.yaml:8:12: 64 has no unit.',
    },
  }),
  PLM_POLICY_BAD_SCOPE_PATH: entry({
    help: 'A scope path is written from the outside in, one "kind:name" per step.',
    text: (d: { path: string; part: string }) => ({
      message: `"${d.part}" is not a step of a scope path; a step is kind:name.`,
      where: d.path === '' ? '(empty path)' : d.path,
      fix: 'write it like "process/agent:planner/session:42".',
    }),
    example: { path: 'process/planner', part: 'planner' },
  }),
  PLM_POLICY_EXISTS: entry({
    help: '`plimsoll init` never overwrites a file by itself.',
    text: (d: { file: string }) => ({
      message: 'the file exists already.',
      where: d.file,
      fix: 'pass --force to overwrite it, or another path.',
    }),
    example: { file: 'plimsoll.yaml' },
  }),
};
