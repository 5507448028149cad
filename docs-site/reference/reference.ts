import { addressOf, type Group, type Page } from '../page.ts';
import { document } from './document.ts';
import { eventsPage, operationPage, pathOf, type Route } from './operation-page.ts';

const routes: readonly Route[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
);

/** The reference of the API, made of the OpenAPI document: a group of pages for each of its tags. */
export function referenceGroup(): Group {
  const tags = document.tags.map(({ name, description }): Group => {
    const ofTag = routes.filter(({ operation }) => operation.tags.includes(name));
    const overview: Page = {
      path: `reference/${name.toLowerCase()}`,
      title: name,
      label: 'Overview',
      description: `Operations of the API: ${name}.`,
      markdown: `${description}\n\n${operationTable(ofTag)}`,
    };
    return { label: name, items: [overview, ...ofTag.map(operationPage)] };
  });
  return { label: 'Reference', isOpen: true, items: [index(), ...tags, eventsPage()] };
}

const operationTable = (listed: readonly Route[]) =>
  [
    '| Operation | Request |',
    '|---|---|',
    ...listed.map(
      ({ method, path, operation }) => `| [${operation.summary}](${addressOf(pathOf(operation))}) | \`${method.toUpperCase()} ${path}\` |`,
    ),
  ].join('\n');

const index = (): Page => ({
  path: 'reference',
  title: 'API reference',
  label: 'Overview',
  description: 'Every operation of the REST API, with its fields, errors, examples and requests to copy.',
  markdown: [
    `The API is at \`/api/v1\` of your platform. Its [OpenAPI 3.1 document](/openapi.json) has everything that these pages say.`,
    ...document.tags.map(({ name }) => `## ${name}\n\n${operationTable(routes.filter(({ operation }) => operation.tags.includes(name)))}`),
    `## Events\n\n[Events](${addressOf('reference/events')}) are sent to webhooks.`,
  ].join('\n\n'),
});
