/** A curl command for this platform's API that reads the key from $WEBKILN_KEY. */
export function curl(method: 'GET' | 'POST' | 'PUT', path: string, body?: object): string {
  const lines = [`curl ${location.origin}/api/v1${path}`, '-H "Authorization: Bearer $WEBKILN_KEY"'];
  if (body !== undefined) lines.push("-H 'Content-Type: application/json'", `-d '${JSON.stringify(body)}'`);
  if (method === 'PUT' || (method === 'POST' && body === undefined)) lines.push(`-X ${method}`);
  return lines.join(' \\\n  ');
}
