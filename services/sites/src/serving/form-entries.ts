import { FormRefusal } from '../forms/form-refusal.ts';

/** Names and values of a body by its media type: the two that browsers send forms in, or JSON. Throws a `FormRefusal`. */
export async function formEntries(body: Buffer, contentType: string): Promise<[name: string, value: string][]> {
  const mediaType = contentType.split(';', 1)[0]?.trim().toLowerCase();
  if (mediaType === 'application/json') return jsonEntries(body);
  if (mediaType !== 'application/x-www-form-urlencoded' && mediaType !== 'multipart/form-data') throw new FormRefusal('unsupported_type');
  const entries = [...(await parsed(body, contentType))];
  // Browsers send a field for a file that nobody chose.
  const filled = entries.filter(([, value]) => typeof value === 'string' || value.name !== '' || value.size > 0);
  return filled.map(([name, value]) => {
    if (typeof value !== 'string') throw new FormRefusal('file');
    return [name, value];
  });
}

async function parsed(body: Buffer, contentType: string): Promise<FormData> {
  try {
    return await new Response(new Uint8Array(body), { headers: { 'content-type': contentType } }).formData();
  } catch (error) {
    throw new FormRefusal('malformed', { cause: error });
  }
}

function jsonEntries(body: Buffer): [name: string, value: string][] {
  let content: unknown;
  try {
    content = JSON.parse(body.toString());
  } catch (error) {
    throw new FormRefusal('malformed', { cause: error });
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content)) throw new FormRefusal('malformed');
  return Object.entries(content).flatMap(([name, value]) => [value].flat().map((each): [string, string] => [name, plain(each)]));
}

function plain(value: unknown): string {
  if (value === null) return '';
  if (typeof value === 'object') throw new FormRefusal('malformed');
  return String(value);
}
