import { execFile } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { promtool, supplyProgram } from '@webkiln/dev-platform';
import { stringify } from 'yaml';
import { chartFolder, exampleFile, objectsOf, objectsOfExample } from './charts.ts';

const root = path.resolve(import.meta.dirname, '../..');
const dashboard: { panels: { title: string; targets: { expr: string }[] }[] } = JSON.parse(
  readFileSync(path.join(chartFolder, 'files/dashboard.json'), 'utf8'),
);

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: Readonly<Record<'summary' | 'description' | 'runbook_url', string>>;
}

const alertsIn = (objects: Awaited<ReturnType<typeof objectsOf>>): Alert[] =>
  objects.find(({ kind }) => kind === 'PrometheusRule')?.spec.groups[0].rules;
const alerts = async () => alertsIn([...(await objectsOfExample('production'))]);

/** Names of metrics in product code, which registers each by its literal name. */
const code = globSync('{packages,services,gateway}/**/src/**/*.ts', { cwd: root, exclude: (file) => file === 'node_modules' })
  .filter((file) => !/\.test\.ts$|\/testing\/|services\.ts$/.test(file))
  .map((file) => readFileSync(path.join(root, file), 'utf8'))
  .join('\n');

const metricsOf = (expression: string): string[] =>
  [...expression.matchAll(/\b((?:webkiln|http|rpc|site|preview)_[a-z_]+?)(?:_bucket|_count|_sum)?\b(?=[[{)\s]|$)/g)].map(
    ([, name = '']) => name,
  );

test('every metric of an alert or a panel is one that the code registers', async () => {
  const panels = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  const metrics = [...new Set([...(await alerts()).map(({ expr }) => expr), ...panels].flatMap(metricsOf))];
  expect(metrics.length).toBeGreaterThan(18);
  expect(metrics.filter((name) => !code.includes(`'${name}'`))).toEqual([]);
});

test('every alert leads to its paragraph of docs/alerts.md, which begins with what it says', async () => {
  const text = readFileSync(path.join(root, 'docs/alerts.md'), 'utf8');
  const paragraphs = new Map(text.split(/^### /m).map((part) => [part.slice(0, part.indexOf('\n')), part.replaceAll(/\s+/g, ' ')]));
  const known = await alerts();
  expect([...paragraphs.keys()].slice(1).toSorted()).toEqual(known.map(({ alert }) => alert).toSorted());
  for (const { alert, annotations } of known) {
    expect(annotations.runbook_url).toBe(`https://app.example.com/docs/alerts/#${alert.toLowerCase()}`);
    const [words = ''] = annotations.summary
      .split(/\{\{[^}]+\}\}|\d+/)
      .map((part) => part.replace(/[:.]? *$/, ''))
      .toSorted((a, b) => b.length - a.length);
    expect(paragraphs.get(alert)).toContain(words.trim());
  }
});

test('a threshold, a runbook and what is left out are values', async () => {
  const values = ['--values', exampleFile('production'), '--set', 'alerts.thresholds.eventsWaitSeconds=60,alerts.runbooks=https://wiki/a'];
  const without = '{WebkilnLatency,WebkilnBackupMissing}';
  const changed = alertsIn(await objectsOf(...values, '--set', `alerts.without=${without}`));
  expect(changed).toHaveLength((await alerts()).length - 2);
  const behind = changed.find(({ alert }) => alert === 'WebkilnConsumerBehind');
  expect(behind).toMatchObject({
    expr: expect.stringMatching(/ > 60$/),
    annotations: { runbook_url: 'https://wiki/a#webkilnconsumerbehind' },
  });
});

/** Series of the metrics over some minutes, and the alerts that fire then; others must not. */
const cases: readonly { name: string; series: Readonly<Record<string, string>>; at: string; fire: readonly string[] }[] = [
  {
    name: 'all is well',
    series: {
      'up{namespace="webkiln",pod="identity-1",job="identity"}': '1x800',
      'webkiln_build_info{namespace="webkiln",pod="identity-1",job="identity",version="1"}': '1x800',
      'http_request_duration_seconds_count{namespace="webkiln",status="200"}': '0+600x800',
      'http_request_duration_seconds_count{namespace="webkiln",status="503"}': '0+0.1x800',
      'kubelet_volume_stats_available_bytes{namespace="webkiln",persistentvolumeclaim="data"}': '20x800',
      'kubelet_volume_stats_capacity_bytes{namespace="webkiln",persistentvolumeclaim="data"}': '100x800',
    },
    at: '12h',
    fire: [],
  },
  {
    name: 'a process is away, its metrics too, and a foreign one does not count',
    series: {
      'up{namespace="webkiln",pod="identity-1",job="identity"}': '1x30 0x60',
      'up{namespace="webkiln",pod="foreign",job="foreign"}': '0x90',
      'webkiln_build_info{namespace="webkiln",pod="identity-1",job="identity",version="1"}': '1x30 _x60',
    },
    at: '45m',
    fire: ['WebkilnDown', 'WebkilnGone'],
  },
  {
    name: 'a fiftieth of the requests fails for two hours',
    series: {
      'http_request_duration_seconds_count{namespace="webkiln",status="200"}': '0+980x120',
      'http_request_duration_seconds_count{namespace="webkiln",status="500"}': '0+20x120',
    },
    at: '2h',
    fire: ['WebkilnErrorsFast', 'WebkilnErrorsSlow', 'WebkilnErrorsSteady'],
  },
  {
    name: 'a disk fills, and the certificate of a process ends in six days',
    series: {
      'kubelet_volume_stats_available_bytes{namespace="webkiln",persistentvolumeclaim="data"}': '10x120',
      'kubelet_volume_stats_capacity_bytes{namespace="webkiln",persistentvolumeclaim="data"}': '100x120',
      'webkiln_certificate_expires_timestamp_seconds{namespace="webkiln",subject="identity"}': `${6 * 86_400}x120`,
    },
    at: '90m',
    fire: ['WebkilnCertificateEnds', 'WebkilnVolumeFilling'],
  },
];

test('Prometheus takes the rules, and each fires when it should and not otherwise', async () => {
  const known = await alerts();
  const folder = mkdtempSync(path.join(tmpdir(), 'webkiln-rules-'));
  const [rules, tests] = [path.join(folder, 'rules.yaml'), path.join(folder, 'tests.yaml')];
  writeFileSync(rules, stringify({ groups: [{ name: 'webkiln', rules: known }] }));
  const tested = cases.map(({ name, series, at, fire }) => ({
    ...{ name, interval: '1m', input_series: Object.entries(series).map(([series, values]) => ({ series, values })) },
    promql_expr_test: [
      {
        expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
        eval_time: at,
        exp_samples: fire.map((alertname) => ({ labels: `{alertname="${alertname}"}`, value: 1 })),
      },
    ],
  }));
  writeFileSync(tests, stringify({ rule_files: [rules], evaluation_interval: '1m', tests: tested }));
  const program = await supplyProgram(promtool, (part, line) => process.stderr.write(`${part}: ${line}\n`));
  const { stdout } = await promisify(execFile)(program, ['test', 'rules', tests]);
  expect(stdout).toContain('SUCCESS');
  rmSync(folder, { recursive: true });
});
