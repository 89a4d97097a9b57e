/**
 * What the preload runs before the program's first line: it looks which frameworks the program can load, and adds one line to the file of
 * each when Node.js loads it. The line hands the framework's own functions and classes to `frameworks()`. There is no second copy of the
 * framework, line numbers stay, and a program without one of them gets no hook at all.
 */
import { existsSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { frameworks } from './framework-slot.ts';

interface Target {
  readonly adapter: string;
  readonly package: string;
  /** The end of the file's URL; or a pattern where the name has a hash: then a file without any of the names is left alone. */
  readonly files: readonly string[] | RegExp;
  /** Names in that file: functions are replaced, classes are handed over. */
  readonly functions?: readonly string[];
  /** Functions that the adapter can do without; one that the file does not declare is not told. */
  readonly optional?: readonly string[];
  readonly classes?: readonly string[];
}

const targets: readonly Target[] = [
  {
    adapter: 'ai',
    package: 'ai',
    files: ['/node_modules/ai/dist/index.js'],
    functions: ['streamText', 'streamTextLowMemory', 'generateText'],
    optional: ['runWithTracingChannelSpan', 'openTelemetryChannelSpanContext'],
  },
  {
    adapter: 'mcp',
    package: '@modelcontextprotocol/sdk',
    files: both('/node_modules/@modelcontextprotocol/sdk/dist/*/server/streamableHttp.js'),
    classes: ['StreamableHTTPServerTransport'],
  },
  {
    adapter: 'mcp',
    package: '@modelcontextprotocol/sdk',
    files: both('/node_modules/@modelcontextprotocol/sdk/dist/*/server/webStandardStreamableHttp.js'),
    classes: ['WebStandardStreamableHTTPServerTransport'],
  },
  {
    adapter: 'mcp',
    package: '@modelcontextprotocol/sdk',
    files: both('/node_modules/@modelcontextprotocol/sdk/dist/*/shared/protocol.js'),
    classes: ['Protocol'],
  },
  {
    adapter: 'langgraph',
    package: '@langchain/langgraph',
    files: jsAndCjs('/node_modules/@langchain/core/dist/tools/index'),
    classes: ['StructuredTool'],
  },
  {
    adapter: 'langgraph',
    package: '@langchain/langgraph',
    files: jsAndCjs('/node_modules/@langchain/core/dist/language_models/chat_models'),
    classes: ['BaseChatModel'],
  },
  {
    adapter: 'langgraph',
    package: '@langchain/langgraph',
    files: jsAndCjs('/node_modules/@langchain/core/dist/language_models/llms'),
    classes: ['BaseLLM'],
  },
  {
    adapter: 'langgraph',
    package: '@langchain/langgraph',
    files: jsAndCjs('/node_modules/@langchain/langgraph/dist/pregel/retry'),
    functions: ['_runWithRetry'],
  },
  {
    adapter: 'langgraph',
    package: '@langchain/langgraph',
    files: jsAndCjs('/node_modules/@langchain/langgraph/dist/pregel/index'),
    classes: ['Pregel'],
  },
  {
    adapter: 'langgraph',
    package: '@langchain/langgraph',
    files: jsAndCjs('/node_modules/@langchain/langgraph-checkpoint/dist/memory'),
    classes: ['MemorySaver'],
  },
  {
    adapter: 'openai-agents',
    package: '@openai/agents-core',
    files: ['mjs', 'js'].map((end) => `/node_modules/@openai/agents-core/dist/tracing/processor.${end}`),
    classes: ['MultiTracingProcessor'],
  },
  {
    adapter: 'openai-agents',
    package: '@openai/agents-core',
    files: ['mjs', 'js'].map((end) => `/node_modules/@openai/agents-core/dist/runState.${end}`),
    classes: ['RunState'],
  },
  {
    adapter: 'openai-agents',
    package: '@openai/agents-core',
    files: ['mjs', 'js'].map((end) => `/node_modules/@openai/agents-core/dist/run.${end}`),
    classes: ['Runner'],
  },
  {
    adapter: 'openai-agents',
    package: '@openai/agents-core',
    files: ['mjs', 'js'].map((end) => `/node_modules/@openai/agents-core/dist/runner/conversation.${end}`),
    optional: ['applyCallModelInputFilter'],
  },
  {
    adapter: 'openai-agents',
    package: '@openai/agents-core',
    files: ['mjs', 'js'].map(
      (end) => `/node_modules/@openai/agents-core/dist/runner/sessionPersistence.${end}`,
    ),
    optional: ['createSessionPersistenceTracker'],
  },
  {
    adapter: 'mastra',
    package: '@mastra/core',
    files: /\/node_modules\/@mastra\/core\/dist\/(?:utils|agent|mastra|message-list)-[\w-]+\.c?js$/,
    functions: ['getOrCreateSpan'],
    classes: ['Workflow', 'Mastra', 'MessageList', 'Agent'],
  },
  {
    adapter: 'mastra',
    package: '@mastra/core',
    files: jsAndCjs('/node_modules/@mastra/observability/dist/index'),
    classes: ['BaseSpan', 'DefaultSpan', 'BaseObservabilityInstance'],
  },
  {
    adapter: 'otel',
    package: '@opentelemetry/sdk-trace-base',
    files: /\/node_modules\/@opentelemetry\/sdk-trace(?:-base)?\/build\/\w+\/MultiSpanProcessor\.js$/,
    classes: ['MultiSpanProcessor'],
  },
  {
    adapter: 'otel',
    package: '@opentelemetry/sdk-trace-base',
    files:
      /\/node_modules\/@opentelemetry\/context-async-hooks\/build\/\w+\/AsyncLocalStorageContextManager\.js$/,
    classes: ['AsyncLocalStorageContextManager'],
  },
];

function jsAndCjs(file: string): readonly string[] {
  return [`${file}.js`, `${file}.cjs`];
}

function both(pattern: string): readonly string[] {
  return ['esm', 'cjs'].map((kind) => pattern.replace('*', kind));
}

/** Frameworks that the program can load, and those whose functions cannot be hooked on this Node.js. */
interface Installed {
  readonly found: readonly string[];
  readonly isHooked: boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;

const none: Installed = { found: [], isHooked: false };

/** True when PLIMSOLL_ADAPTERS turns all adapters off. */
export function areOff(env: Environment): boolean {
  return /^(?:off|0|false|no)$/i.test(env['PLIMSOLL_ADAPTERS'] ?? '');
}

/** Hooks the frameworks that a program started from these folders can load. Throws nothing into the program. */
export function install(env: Environment, folders: readonly string[]): Installed {
  if (areOff(env)) return none;
  try {
    const places = packageFolders(folders);
    const isThere = (name: string): boolean => places.some((place) => existsSync(join(place, name)));
    const packages = new Set([...new Set(targets.map((target) => target.package))].filter(isThere));
    const found = targets.filter((target) => packages.has(target.package));
    if (found.length === 0) return none;
    for (const { adapter } of found) frameworks().found.add(adapter);
    const isHooked = typeof nodeModule.registerHooks === 'function';
    if (isHooked) hook(found);
    else
      for (const { adapter, functions = [], classes = [] } of found)
        for (const name of [...functions, ...classes]) frameworks().missed(`${adapter}.${name}`);
    return { found: [...new Set(found.map(({ adapter }) => adapter))], isHooked };
  } catch {
    return none;
  }
}

/** The folders with packages that a program in these folders can load from; pnpm keeps the packages of packages in one of its own. */
function packageFolders(folders: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  for (const folder of folders) for (let at = resolve(folder); !seen.has(at); at = dirname(at)) seen.add(at);
  return [...seen]
    .map((folder) => join(folder, 'node_modules'))
    .flatMap((folder) => (existsSync(folder) ? [folder, join(folder, '.pnpm', 'node_modules')] : []));
}

function hook(found: readonly Target[]): void {
  nodeModule.registerHooks({
    load(url, context, next) {
      const loaded = next(url, context);
      const target = url.includes('/node_modules/')
        ? found.find(({ files }) => isOne(url, files))
        : undefined;
      if (target === undefined || loaded.source === undefined || loaded.source === null) return loaded;
      const { source } = loaded;
      const text = typeof source === 'string' ? source : Buffer.from(source as Uint8Array).toString();
      const line = textOf(present(target, text));
      return { ...loaded, source: `${text}\n${line}\n` };
    },
  });
}

function isOne(url: string, files: Target['files']): boolean {
  return files instanceof RegExp ? files.test(url) : files.some((end) => url.endsWith(end));
}

/** The target with its optional functions, and in a file whose name is a pattern all names, only as far as the file declares them. */
function present(target: Target, text: string): Target {
  const isDeclared = (name: string): boolean =>
    new RegExp(`^(?:export )?(?:async )?(?:function|class|var|let|const) ${name}\\b`, 'm').test(text);
  const { files, functions = [], optional = [], classes = [] } = target;
  const found = optional.filter(isDeclared);
  if (!(files instanceof RegExp)) return { ...target, functions: [...functions, ...found] };
  return {
    ...target,
    functions: [...functions.filter(isDeclared), ...found],
    classes: classes.filter(isDeclared),
  };
}

/** A CommonJS file has handed its functions out by `exports` already. */
function handOut(name: string): string {
  return `if(typeof exports==="object"&&exports!==null&&"${name}" in exports)exports.${name}=made`;
}

/** The line that is added to a file. A name that the file lacks is told, and nothing else happens. */
function textOf({ adapter, functions = [], classes = [] }: Target): string {
  const slot = 'globalThis[Symbol.for("plimsoll.slots.v1")]?.frameworks';
  const one = (name: string, rest: string): string => {
    const key = JSON.stringify(`${adapter}.${name}`);
    return `try{${slot}?.loaded(${key},${name}${rest})}catch{${slot}?.missed(${key})}`;
  };
  return `;${[
    ...functions.map((name) => one(name, `,(made)=>{${name}=made;${handOut(name)}}`)),
    ...classes.map((name) => one(name, '')),
  ].join(';')};`;
}
