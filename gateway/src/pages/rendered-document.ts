import { openApiDocument } from '@webkiln/contract/openapi';
import { stringify } from 'yaml';
import type { DocsPage } from './docs-site.ts';
import { type Encoded, encode } from './encodings.ts';

export interface RenderedDocument {
  readonly json: Encoded;
  readonly yaml: Encoded;
  /** What a language model reads of the platform first (llmstxt.org). */
  readonly llms: Encoded;
}

/**
 * The OpenAPI document as text. `baseUrl` ends in /api/v1. A module of its own, so that docs.ts can load it on first
 * use.
 */
export async function renderDocument(origin: string, baseUrl: string, site: readonly DocsPage[]): Promise<RenderedDocument> {
  const document = openApiDocument(baseUrl);
  const [json, yaml, llms] = await Promise.all(
    [JSON.stringify(document), stringify(document, { aliasDuplicateObjects: false }), llmsText({ origin, baseUrl, site, document })].map(
      encode,
    ),
  );
  return { json, yaml, llms } as RenderedDocument;
}

interface Listed {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
}

interface Described {
  readonly origin: string;
  readonly baseUrl: string;
  readonly site: readonly DocsPage[];
  readonly document: ReturnType<typeof openApiDocument>;
}

/** The introduction of the document, the guides, and each operation in a line, by tag, with its page as Markdown. */
function llmsText({ origin, baseUrl, site, document: { info, tags = [], paths = {} } }: Described): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, Listed>).map(([method, operation]) => ({
      ...operation,
      route: `${method.toUpperCase()} ${path}`,
    })),
  );
  const sections = tags.map(({ name, description }) => {
    const lines = operations
      .filter((operation) => operation.tags.includes(name))
      .map(
        ({ route, operationId, summary }) => `- [\`${route}\`](${origin}/docs/reference/${operationId}.md) (${operationId}): ${summary}`,
      );
    return `## ${name}\n\n${description}\n\n${lines.join('\n')}`;
  });
  const guides = site
    .filter(({ address }) => !address.startsWith('/docs/reference'))
    .map(({ address, title, description }) => `- [${title}](${origin}${address}.md): ${description}`);
  return `# Webkiln

> Agencies run the websites of their clients with Webkiln. This is its REST API, at ${baseUrl}.

- [OpenAPI 3.1 document](${origin}/openapi.json): every operation, field, error and event, with examples
- [Documentation for people](${origin}/docs); each page is Markdown at its address with .md behind it
- MCP server for agents: ${origin}/api/mcp (Streamable HTTP; OAuth, or an API key as bearer token)

${info.description}

## Guides

${guides.join('\n')}

${sections.join('\n\n')}
`;
}
