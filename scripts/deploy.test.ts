import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments, parse } from 'yaml';
import { parsePolicy } from '../packages/govern/src/policy/parse.ts';
import { instruments, prometheusName } from '../packages/plimsoll/src/server/metrics/instruments.ts';

const deploy = resolve(import.meta.dirname, '../deploy');
const read = (name: string): string => readFileSync(resolve(deploy, name), 'utf8');
const known = new Map(instruments.map((each) => [prometheusName(each), each]));
const ours = /\b(?:plimsoll|process|nodejs|v8js)_[a-z_0-9]+/g;

/** Metrics and labels of an expression that the table of instruments does not have. */
function strangers(expression: string): readonly string[] {
  const labels = new Set(
    instruments.flatMap((each) => each.labels.map((label) => label.replaceAll('.', '_'))),
  );
  return (expression.match(ours) ?? []).filter((name) => !known.has(name) && !labels.has(name));
}

interface Rule {
  readonly record?: string;
  readonly alert?: string;
  readonly expr: string;
  readonly labels?: { readonly severity: string };
  readonly annotations?: { readonly summary: string; readonly description: string };
}

describe('Prometheus rules', () => {
  const { groups } = parse(read('prometheus/plimsoll.rules.yaml')) as { groups: { rules: Rule[] }[] };
  const rules = groups.flatMap((group) => group.rules);

  test('query only metrics that exist, and every alert says what is wrong', () => {
    expect(rules.length).toBeGreaterThan(8);
    for (const { expr, alert, labels, annotations } of rules) {
      expect(strangers(expr), expr).toEqual([]);
      if (alert === undefined) continue;
      expect(labels?.severity, alert).toMatch(/^(page|warning)$/);
      expect(annotations?.summary, alert).toContain('{{');
      expect(annotations?.description, alert).toMatch(/\.$/);
    }
    expect(strangers('rate(plimsoll_made_up_total[5m])')).toEqual(['plimsoll_made_up_total']);
  });

  test('promtool takes them and their tests, where it is installed', () => {
    const cwd = resolve(deploy, 'prometheus');
    for (const args of [
      ['check', 'rules', 'plimsoll.rules.yaml'],
      ['test', 'rules', 'plimsoll.test.yaml'],
    ]) {
      const { status, stdout, stderr, error } = spawnSync('promtool', args, { cwd, encoding: 'utf8' });
      if ((error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT') return;
      expect(status, `${stdout}${stderr}`).toBe(0);
    }
  });
});

test('the Grafana dashboard queries only metrics that exist', () => {
  const { panels, templating } = JSON.parse(read('grafana/plimsoll.json')) as {
    panels: {
      title: string;
      description: string;
      targets: { expr: string }[];
      gridPos: Record<string, number>;
    }[];
    templating: { list: { query: unknown }[] };
  };
  expect(panels.length).toBeGreaterThan(10);
  const expressions = panels.flatMap((panel) => panel.targets.map(({ expr }) => expr));
  for (const expr of expressions) expect(strangers(expr), expr).toEqual([]);
  expect(strangers(JSON.stringify(templating))).toEqual([]);
  for (const { title, description } of panels) expect(description, title).toMatch(/\.$/);
  // No panel covers another one.
  const cells = panels.flatMap(({ gridPos: { x = 0, y = 0, w = 0, h = 0 } }) =>
    Array.from({ length: w * h }, (_, i) => `${x + (i % w)}:${y + Math.floor(i / w)}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
});

interface Container {
  readonly name: string;
  readonly command?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
  readonly resources: {
    readonly limits: { readonly memory: string };
    readonly requests: { readonly memory: string };
  };
  readonly readinessProbe?: { readonly httpGet: { readonly path: string } };
  readonly livenessProbe?: { readonly httpGet: { readonly path: string } };
  readonly volumeMounts?: readonly { readonly name: string }[];
}

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: {
    readonly selector?: { readonly matchLabels?: object };
    readonly template?: {
      readonly metadata: { readonly labels: object };
      readonly spec: {
        readonly terminationGracePeriodSeconds?: number;
        readonly containers: readonly Container[];
        readonly volumes?: readonly { readonly name: string }[];
      };
    };
  };
}

describe.each(['agent-server'])('kubernetes/%s.yaml', (name) => {
  const documents = parseAllDocuments(read(`kubernetes/${name}.yaml`));
  const manifests = documents.map((document) => document.toJS() as Manifest);

  test('is YAML of known kinds, with limits, probes and mounts that fit', () => {
    expect(documents.flatMap(({ errors }) => errors)).toEqual([]);
    const apis = manifests.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`);
    const accepted = ['v1 ConfigMap', 'v1 Service', 'apps/v1 Deployment', 'policy/v1 PodDisruptionBudget'];
    expect(accepted).toEqual(expect.arrayContaining(apis));
    for (const { kind, spec } of manifests) {
      if (kind !== 'Deployment') continue;
      const pod = spec?.template?.spec;
      expect(spec?.template?.metadata.labels).toMatchObject(spec?.selector?.matchLabels ?? { missing: true });
      const volumes = (pod?.volumes ?? []).map((volume) => volume.name);
      for (const { resources, volumeMounts, name: container } of pod?.containers ?? []) {
        expect(resources.limits.memory, container).toBe(resources.requests.memory);
        expect(volumes).toEqual(expect.arrayContaining((volumeMounts ?? []).map((mount) => mount.name)));
      }
      const [main, ...beside] = pod?.containers ?? [];
      // Commands of an operator take the folder from --dir alone.
      const folder = main?.env?.find((each) => each.name === 'PLIMSOLL_DIR')?.value;
      for (const { command } of beside) expect(command?.join(' ')).toContain(`--dir ${folder}`);
      expect(main?.readinessProbe?.httpGet.path).toBeDefined();
      expect(main?.livenessProbe?.httpGet.path).not.toBe(main?.readinessProbe?.httpGet.path);
    }
  });
});

test('the policy of the manifest is accepted, and the pod may drain for longer than it says', () => {
  const manifests = parseAllDocuments(read('kubernetes/agent-server.yaml')).map(
    (each) => each.toJS() as Manifest,
  );
  const text = manifests.find(({ kind }) => kind === 'ConfigMap')?.data?.['plimsoll.yaml'] as string;
  parsePolicy(text, 'plimsoll.yaml');
  const drain = Number(/drain: (\d+)s/.exec(text)?.[1]);
  const grace = manifests.find(({ kind }) => kind === 'Deployment')?.spec?.template?.spec
    .terminationGracePeriodSeconds;
  expect(grace).toBeGreaterThanOrEqual(drain + 10);
});
