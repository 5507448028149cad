import { exampleFile, exampleNames, template } from './charts.ts';

const head = '# Made by npm run generate -- --charts.\n';

/** The committed text of each example: a file for each chart, by its path below deploy/rendered. */
export async function renderedExamples(): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for (const example of exampleNames) {
    const documents = (await template('webkiln', '--values', exampleFile(example))).split(/^---\n/m).filter((text) => text.trim() !== '');
    for (const document of documents) {
      const [, chart = 'webkiln'] = /^# Source: webkiln\/charts\/([^/]+)\//.exec(document) ?? [];
      const file = `${example}/${chart}.yaml`;
      files[file] = `${files[file] ?? head}---\n${document.trimEnd()}\n`;
    }
  }
  return files;
}
