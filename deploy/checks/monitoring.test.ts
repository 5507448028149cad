import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { chartFolder, objectsOfExample } from './charts.ts';

const root = path.resolve(import.meta.dirname, '../..');
const files = path.join(chartFolder, 'files');
const alerts: { alert: string; expr: string; annotations: { summary: string } }[] = parse(
  readFileSync(path.join(files, 'alerts.yaml'), 'utf8'),
);
const dashboard: { panels: { title: string; targets: { expr: string }[] }[] } = JSON.parse(
  readFileSync(path.join(files, 'dashboard.json'), 'utf8'),
);
const expressions = [...alerts.map(({ expr }) => expr), ...dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))];

/** Names of metrics in product code, which registers each by its literal name. */
const code = globSync('{packages,services,gateway}/**/src/**/*.ts', { cwd: root, exclude: (file) => file === 'node_modules' })
  .filter((file) => !/\.test\.ts$|\/testing\/|services\.ts$/.test(file))
  .map((file) => readFileSync(path.join(root, file), 'utf8'))
  .join('\n');

const metricsOf = (expression: string): string[] =>
  [...expression.matchAll(/\b((?:webkiln|http|rpc|site|preview)_[a-z_]+?)(?:_bucket|_count|_sum)?\b(?=[{)\s]|$)/g)].map(
    ([, name = '']) => name,
  );

test('every metric of an alert or a panel is one that the code registers', () => {
  const metrics = [...new Set(expressions.flatMap(metricsOf))];
  expect(metrics.length).toBeGreaterThan(15);
  expect(metrics.filter((name) => !code.includes(`'${name}'`))).toEqual([]);
});

test('every alert says what happened in the words of docs/operations.md', () => {
  const text = readFileSync(path.join(root, 'docs/operations.md'), 'utf8').replaceAll(/\s+/g, ' ');
  for (const { annotations } of alerts.filter(({ alert }) => alert !== 'WebkilnSitesWithoutStore')) {
    const [words = ''] = annotations.summary
      .replaceAll(/\{\{[^}]+\}\}/g, '…')
      .split('…')
      .toSorted((a, b) => b.length - a.length);
    expect(text).toContain(words.trim().replace(/\.$/, ''));
  }
});

test('the rendered rules are the alerts, with the templates of Prometheus as they are', async () => {
  const rule = (await objectsOfExample('production')).find(({ kind }) => kind === 'PrometheusRule');
  expect(rule?.spec.groups[0].rules.slice(0, alerts.length)).toEqual(alerts);
});

test('with backups there is the alarm of docs/operations.md, also for a CronJob that never succeeded', async () => {
  const rule = (await objectsOfExample('production')).find(({ kind }) => kind === 'PrometheusRule');
  const more = rule?.spec.groups[0].rules.slice(alerts.length);
  expect(more).toEqual([expect.objectContaining({ alert: 'WebkilnBackupMissing', expr: expect.stringContaining('> 26 * 3600') })]);
  const [{ expr, annotations }] = more;
  expect(expr.match(/kube_\w+/g)).toEqual(['kube_cronjob_status_last_successful_time', 'kube_cronjob_created']);
  expect(readFileSync(path.join(root, 'docs/operations.md'), 'utf8')).toContain(annotations.summary);
});
