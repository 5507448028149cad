type Json = Readonly<Record<string, unknown>>;

/** A part of an OpenAPI document with the components in place of the references to them. */
export function withoutReferences(document: object, part: unknown): unknown {
  if (Array.isArray(part)) return part.map((each) => withoutReferences(document, each));
  if (typeof part !== 'object' || part === null) return part;
  const { $ref, ...own } = part as Json;
  const found = typeof $ref === 'string' ? (componentAt(document, $ref) as Json) : {};
  return Object.fromEntries(Object.entries({ ...found, ...own }).map(([name, value]) => [name, withoutReferences(document, value)]));
}

const componentAt = (document: object, reference: string): unknown =>
  reference
    .slice('#/'.length)
    .split('/')
    .reduce<unknown>((inner, name) => (inner as Json | undefined)?.[name], document);
