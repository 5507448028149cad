import { openApiDocument } from '@webkiln/contract/openapi';
import { stringify } from 'yaml';

export interface RenderedDocument {
  readonly json: string;
  readonly yaml: string;
}

/**
 * The OpenAPI document as text. `baseUrl` ends in /api/v1. A module of its own, so that docs.ts can load it on first
 * use.
 */
export function renderDocument(baseUrl: string): RenderedDocument {
  const document = openApiDocument(baseUrl);
  return { json: JSON.stringify(document), yaml: stringify(document, { aliasDuplicateObjects: false }) };
}
