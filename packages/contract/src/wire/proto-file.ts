import type { ProtoField, ProtoMessage } from './proto-messages.ts';

interface Numbered extends Omit<ProtoField, 'name'> {
  readonly number: number;
}

/** The fields of a message in a .proto file by name, and what it reserves. */
interface Declared {
  readonly fields: Map<string, Numbered>;
  readonly reservedNumbers: Set<number>;
  readonly reservedNames: Set<string>;
}

const messagePattern = /\bmessage (\w+) \{([^}]*)\}/g;
const fieldPattern = /^(optional |repeated |)([\w.]+) (\w+) = (\d+)$/;

/** The flat messages of a .proto file by name. */
function parseMessages(text: string): Map<string, Declared> {
  const found = new Map<string, Declared>();
  for (const [, name = '', body = ''] of text.replaceAll(/\/\/.*$/gm, '').matchAll(messagePattern)) {
    const declared: Declared = { fields: new Map(), reservedNumbers: new Set(), reservedNames: new Set() };
    for (const statement of body.split(';').map((part) => part.trim())) {
      const [, label, type, field, number] = fieldPattern.exec(statement) ?? [];
      if (field !== undefined)
        declared.fields.set(field, { label: label as ProtoField['label'], type: type as string, number: Number(number) });
      for (const [, reserved] of statement.startsWith('reserved') ? statement.matchAll(/(\d+)/g) : [])
        declared.reservedNumbers.add(Number(reserved));
      for (const [, reserved] of statement.startsWith('reserved') ? statement.matchAll(/"(\w+)"/g) : [])
        declared.reservedNames.add(reserved as string);
    }
    found.set(name, declared);
  }
  return found;
}

/**
 * Renders the .proto file of a package's messages. Fields keep their numbers from `previous`, the committed file: a new
 * field gets the next free one, a removed one becomes reserved. Throws if a field changes its type or takes a reserved
 * name.
 */
export function protoFile(packageName: string, messages: readonly ProtoMessage[], previous: string): string {
  const known = parseMessages(previous);
  const prefix = `${packageName}.`;
  const imports = new Set(
    messages.flatMap(({ fields }) => fields.map(({ type }) => packageOf(type))).filter((name) => name !== '' && name !== packageName),
  );
  const blocks = messages.map(({ name, fields }) => {
    const own = fields.map((field) => ({ ...field, type: field.type.startsWith(prefix) ? field.type.slice(prefix.length) : field.type }));
    return messageText(name.slice(prefix.length), own, known.get(name.slice(prefix.length)));
  });
  return [
    '// Made of the contract by `npm run generate`, which keeps the numbers in this file. Do not edit by hand.',
    `syntax = "proto3";\npackage ${packageName};\n`,
    ...[...imports].map((name) => `import "${name.replaceAll('.', '/')}/records.proto";\n`),
    ...blocks,
  ].join('\n');
}

const packageOf = (type: string) => type.slice(0, Math.max(0, type.lastIndexOf('.')));

function messageText(name: string, fields: readonly ProtoField[], known?: Declared): string {
  const removed = [...(known?.fields ?? [])].filter(([field]) => !fields.some((each) => each.name === field));
  const reservedNumbers = [...(known?.reservedNumbers ?? []), ...removed.map(([, { number }]) => number)].sort((one, other) => one - other);
  const reservedNames = [...(known?.reservedNames ?? []), ...removed.map(([field]) => field)];
  let last = Math.max(0, ...reservedNumbers, ...[...(known?.fields.values() ?? [])].map(({ number }) => number));
  const numbered = fields.map((field) => {
    if (known?.reservedNames.has(field.name)) throw new Error(`${name}.${field.name}: a removed field had this name; choose another one`);
    const before = known?.fields.get(field.name);
    const isSame = before === undefined || (before.type === field.type && (before.label === 'repeated ') === (field.label === 'repeated '));
    if (!isSame) throw new Error(`${name}.${field.name}: a field cannot change its type; add one with another name`);
    return { ...field, number: before?.number ?? ++last };
  });
  const lines = [
    ...(reservedNumbers.length > 0 ? [`reserved ${reservedNumbers.join(', ')};`] : []),
    ...(reservedNames.length > 0 ? [`reserved ${reservedNames.map((field) => `"${field}"`).join(', ')};`] : []),
    ...numbered
      .sort((one, other) => one.number - other.number)
      .map(({ label, type, name: field, number }) => `${label}${type} ${field} = ${number};`),
  ];
  return lines.length === 0 ? `message ${name} {}\n` : `message ${name} {\n${lines.map((line) => `  ${line}\n`).join('')}}\n`;
}
