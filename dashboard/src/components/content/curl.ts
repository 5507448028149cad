/** A curl command for this platform's API that reads the key from $WEBKILN_KEY. */
export function curl(method: 'GET' | 'POST', path: string, body?: object): string {
  const lines = [`curl ${location.origin}/api/v1${path}`, '-H "Authorization: Bearer $WEBKILN_KEY"'];
  if (body !== undefined) lines.push("-H 'Content-Type: application/json'", `-d '${JSON.stringify(body)}'`);
  if (method === 'POST' && body === undefined) lines.push('-X POST');
  return lines.join(' \\\n  ');
}
