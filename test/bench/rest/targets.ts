import type { BenchPlatform } from '../platform.ts';
import type { Running } from '../spawn.ts';
import type { Target } from './load.ts';
import type { ParseServer } from './parse-server.ts';
import type { Seeded } from './seed.ts';
import type { Sketch } from './sketch.ts';

/** Row names in the report. */
export const names = {
  raw: 'raw node:http, a constant',
  express: 'bare Express 5, a constant',
  path: 'Webkiln: full path, no store read',
  one: 'Webkiln: GET one project',
  pathUnary: 'Webkiln: full path, no store read, plain unary',
  oneUnary: 'Webkiln: GET one project, plain unary',
  list: 'Webkiln: GET 50 projects',
  post: 'Webkiln: POST client',
  sketchOne: 'bare sketch of the path: GET one',
  sketchList: 'bare sketch of the path: GET 50',
  sketchPost: 'bare sketch of the path: POST',
  parseOne: 'Parse Server: GET one',
  parseList: 'Parse Server: GET 50',
  parseListCount: 'Parse Server: GET 50 with the count',
  parsePost: 'Parse Server: POST',
};

interface Served extends Running {
  readonly url: string;
}

/** All targets. Peers alternate with our own rows. */
export function targetsOf(
  { baseUrl, processes }: BenchPlatform,
  { headers, projectId }: Seeded,
  { raw, express, unary, sketch, parse }: { raw: Served; express: Served; unary: Served; sketch: Sketch; parse: ParseServer },
): Target[] {
  const pid = processes.gateway?.pid ?? 0;
  const json = headers.map((set) => ({ ...set, 'content-type': 'application/json' }));
  const peer = { pid: parse.pid, headers: [parse.credentials] };
  const floor = { pid: sketch.pid, headers: [sketch.headers] };
  const client = '{"email":"c-{{n}}@example.test","name":"Client"}';
  const nothing = '/projects?status=none';
  return [
    { name: names.raw, ...raw },
    { name: names.express, ...express },
    { name: names.path, url: `${baseUrl}${nothing}`, headers, pid },
    { name: names.one, url: `${baseUrl}/projects/${projectId}`, headers, pid },
    { name: names.pathUnary, url: `${unary.url}${nothing}`, headers, pid: unary.pid },
    { name: names.oneUnary, url: `${unary.url}/projects/${projectId}`, headers, pid: unary.pid },
    { name: names.sketchOne, url: `${sketch.url}/projects/p-0`, ...floor },
    { name: names.parseOne, url: parse.oneUrl, ...peer },
    { name: names.list, url: `${baseUrl}/projects?limit=50`, headers, pid },
    { name: names.sketchList, url: `${sketch.url}/projects`, ...floor },
    { name: names.parseList, url: parse.listUrl, ...peer },
    { name: names.parseListCount, url: `${parse.listUrl}&count=1`, ...peer },
    {
      name: names.post,
      url: `${baseUrl}/clients`,
      method: 'POST',
      body: client,
      headers: json,
      pid,
    },
    { name: names.sketchPost, url: `${sketch.url}/clients`, method: 'POST', body: client, ...floor },
    {
      name: names.parsePost,
      url: parse.createUrl,
      method: 'POST',
      body: '{"email":"c-{{n}}@example.test","name":"Client","status":"invited"}',
      pid: parse.pid,
      headers: [{ ...parse.credentials, 'content-type': 'application/json' }],
    },
  ];
}
