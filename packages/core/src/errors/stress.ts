import { entry } from './entry.ts';

/** Errors of stress runs, gates, bisections and the server for coding agents. */
export const stressErrors = {
  PLM_STRESS_BAD_RECIPE: entry({
    help: 'The recipe of `plimsoll stress` cannot be used. It is YAML with sessions of steps; an OpenAPI document or a HAR is accepted as well.',
    text: (d: { where: string; message: string; fix: string }) => ({
      message: `${d.message}.`,
      where: d.where,
      fix: `${d.fix}.`,
    }),
    example: {
      where: 'stress.yaml:7',
      message: 'sessions.0: a session needs steps',
      fix: 'add a step such as "- get: /healthz"',
    },
  }),
  PLM_STRESS_BAD_HYPOTHESIS: entry({
    help: 'A hypothesis in a recipe is a sentence of a fixed form: a quantity, "stays below" or "stays above", and a value.',
    text: (d: { id: string; text: string; accepted: string }) => ({
      message: `hypothesis ${d.id} ("${d.text}") is not understood.`,
      where: `hypotheses.${d.id}`,
      fix: `write it as ${d.accepted}.`,
    }),
    example: { id: 'h1', text: 'it is fast', accepted: '"bytes per call stay below 2 KiB"' },
  }),
  PLM_STRESS_NOT_READY: entry({
    help: '`plimsoll stress` started the program, but it ended or did not listen on a port within a minute.',
    text: (d: { command: string; isModule: boolean; hasEnded: boolean; output: string }) => ({
      message: `"${d.command}" ${d.hasEnded ? 'ended before it could be used' : 'did not answer within a minute'}${d.output === '' ? '' : `; it said: ${d.output}`}.`,
      where: `plimsoll stress ${d.isModule ? '' : '-- '}${d.command}`,
      fix: d.isModule
        ? 'export a function "iterate", or an object with a method "run".'
        : 'start it by hand first; it may listen on the port in the variable PORT, or name its address with --url.',
    }),
    example: { command: 'node server.js', isModule: false, hasEnded: true, output: '' },
  }),
  PLM_STRESS_NO_ROUTES: entry({
    help: 'No common path, no route named in the source and no OpenAPI document of the program answered with a status below 400.',
    text: (d: { url: string }) => ({
      message: `nothing was found that ${d.url} answers.`,
      where: d.url,
      fix: 'say what to call with --recipe FILE: a recipe, an OpenAPI file or a HAR (plimsoll docs stress).',
    }),
    example: { url: 'http://127.0.0.1:3000' },
  }),
  PLM_STRESS_STOPPED: entry({
    help: '`plimsoll stress` was stopped before its first plan had begun, so there is nothing to report.',
    text: (_: Record<string, never>) => ({
      message: 'it was stopped before the first plan had begun.',
      where: 'plimsoll stress',
      fix: 'let it run until the first plan has begun.',
    }),
    example: {},
  }),
  PLM_GATE_BAD_BASELINE: entry({
    help: '`plimsoll gate` compares with a file of figures that an earlier `plimsoll gate --update` wrote.',
    text: (d: { file: string; reason: string }) => ({
      message: `${d.file} is no baseline: ${d.reason}.`,
      where: d.file,
      fix: 'make one on the state to compare with: plimsoll gate --baseline FILE --update -- COMMAND.',
    }),
    example: { file: 'main.json', reason: 'there is no such file' },
  }),
  PLM_GATE_RUN_FAILED: entry({
    help: 'The command of `plimsoll gate` has to end with exit code 0: figures of a run that broke off mean nothing.',
    text: (d: { command: string; end: string }) => ({
      message: `"${d.command}" ended with ${d.end}.`,
      where: `plimsoll gate -- ${d.command}`,
      fix: 'make it end well by itself; for a server that runs on, say what to call with --recipe FILE or --serve.',
    }),
    example: { command: 'npm run load', end: 'exit code 1' },
  }),
  PLM_GATE_NO_FIGURES: entry({
    help: 'No process of the command could be measured: it started no Node.js program, or that program was killed at once.',
    text: (d: { command: string }) => ({
      message: `no process of "${d.command}" could be measured.`,
      where: `plimsoll gate -- ${d.command}`,
      fix: 'name a command that starts a Node.js program and lets it end.',
    }),
    example: { command: 'make load' },
  }),
  PLM_BISECT_GIT: entry({
    help: '`plimsoll bisect` asks git for the commits and for worktrees, and git refused.',
    text: (d: { cwd: string; reason: string }) => ({
      message: `git said: ${d.reason}.`,
      where: d.cwd,
      fix: 'run it inside a git repository, with a good commit that is an ancestor of the bad one.',
    }),
    example: { cwd: '/srv/app', reason: 'not a git repository' },
  }),
  PLM_BISECT_BUILD: entry({
    help: 'The build command of `plimsoll bisect` failed in the checkout of a commit.',
    text: (d: { folder: string; build: string; reason: string }) => ({
      message: `"${d.build}" failed: ${d.reason}.`,
      where: d.folder,
      fix: 'try the command in that folder; choose a range of commits in which it works.',
    }),
    example: { folder: '.plimsoll/bisect/1f3a', build: 'npm ci', reason: 'exit code 1' },
  }),
  PLM_BISECT_NOT_WORSE: entry({
    help: 'The bad end of a bisection has to be worse than the good end by the bounds of the gate, else there is nothing to look for.',
    text: (d: { good: string; bad: string; outcome: string }) => ({
      message: `${d.bad} is ${d.outcome === 'fine' ? 'not worse than' : 'not certainly worse than'} ${d.good}.`,
      where: 'plimsoll bisect',
      fix: 'choose other ends, a smaller --max-per-call, or more --calls.',
    }),
    example: { good: '1f3a (Add login)', bad: '9c0d (Add cache)', outcome: 'fine' },
  }),
  PLM_MCP_NO_SDK: entry({
    help: '`plimsoll mcp` needs the official SDK of the Model Context Protocol, which is an optional peer: it brings 20 packages that a production install does not need.',
    text: (_: Record<string, never>) => ({
      message: 'the package @modelcontextprotocol/sdk is not installed.',
      where: 'plimsoll mcp',
      fix: 'install it beside plimsoll: npm install --save-dev @modelcontextprotocol/sdk.',
    }),
    example: {},
  }),
};
