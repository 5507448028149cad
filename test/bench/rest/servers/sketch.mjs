/**
 * The least that keeps what the platform promises of a request, as a floor: HTTP, the key and its limit in Redis, gRPC, the
 * store. A POST answers once its record and its event are in the journal, then has the event published, acknowledged and
 * taken from the record. `node sketch.mjs gateway|service`; no check, no tenant, no retry, no log, no batch.
 */
import { createHash, randomUUID } from 'node:crypto';
import http from 'node:http';
import path from 'node:path';
import grpc from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import Redis from 'ioredis';
import { MongoClient } from 'mongodb';
import { connect } from 'nats';

const { PORT, RPC_PORT, MONGODB_URL, NATS_URL, REDIS_URL, PROJECTS } = process.env;
const { Records } = grpc.loadPackageDefinition(loadSync(path.join(import.meta.dirname, 'sketch.proto'))).sketch;
const address = `127.0.0.1:${RPC_PORT}`;

async function service() {
  const database = (await new MongoClient(MONGODB_URL).connect()).db('sketch');
  const [projects, clients] = [database.collection('projects'), database.collection('clients')];
  await projects.insertMany(Array.from({ length: Number(PROJECTS) }, (_, index) => project(index)));
  await projects.createIndex({ org_id: 1, created_at: -1, _id: 1 });
  await clients.createIndex({ org_id: 1, email: 1 }, { unique: true });
  const nats = await connect({ servers: NATS_URL });
  await (await nats.jetstreamManager()).streams.add({ name: 'sketch', subjects: ['sketch.>'], max_bytes: 256e6, discard: 'old' });
  const stream = nats.jetstream();
  const journaled = { writeConcern: { w: 'majority', journal: true } };
  const publish = async ({ _id, event }) => {
    await stream.publish('sketch.client', JSON.stringify(event), { msgID: event.id });
    await clients.updateOne({ _id }, { $unset: { event: 1 } });
  };
  const create = async (text) => {
    const { email, name } = JSON.parse(text);
    const client = { id: randomUUID(), email, name, status: 'invited', created_at: new Date().toISOString() };
    const record = { _id: client.id, org_id: 'one', ...client, event: { id: randomUUID(), type: 'client.created', client } };
    await clients.insertOne(record, journaled);
    publish(record);
    return { client };
  };
  const list = async () => {
    const found = await projects.find({ org_id: 'one' }).sort({ created_at: -1, _id: 1 }).limit(50).toArray();
    return { projects: found, total: Number(PROJECTS) };
  };
  const served = (run) => async (call, callback) => callback(null, { json: Buffer.from(JSON.stringify(await run(call.request.text))) });
  const server = new grpc.Server();
  server.addService(Records.service, {
    Read: served(async (_id) => ({ project: await projects.findOne({ _id }) })),
    List: served(list),
    Create: served(create),
  });
  await new Promise((resolve) => server.bindAsync(address, grpc.ServerCredentials.createInsecure(), resolve));
  http.createServer((_request, response) => response.end()).listen(Number(PORT), '127.0.0.1');
}

/** As large as the platform's. */
const project = (index) => ({
  _id: `p-${index}`,
  org_id: 'one',
  name: `Site ${index}`,
  description: 'A site',
  status: 'draft',
  user_id: randomUUID(),
  client_email: `owner-${index}@example.test`,
  template: null,
  tags: [],
  urls: [`http://site-${index}.sites.localhost`, `http://preview.localhost/${randomUUID()}`, `http://localhost/build/${randomUUID()}`],
  created_at: new Date(1.7e12 + index).toISOString(),
  updated_at: new Date(1.7e12 + index).toISOString(),
  published_at: null,
});

/** Counts a request for its key. */
const limit = `local n = redis.call('INCR', KEYS[1]) if n == 1 then redis.call('PEXPIRE', KEYS[1], 60000) end return {n, redis.call('PTTL', KEYS[1])}`;

async function gateway() {
  const redis = new Redis(REDIS_URL);
  redis.defineCommand('limit', { numberOfKeys: 1, lua: limit });
  const records = new Records(address, grpc.credentials.createInsecure());
  const call = (method, text) =>
    new Promise((resolve, reject) => {
      records[method]({ text }, (error, reply) => (error ? reject(error) : resolve(reply.json)));
    });
  const bodyOf = async (request) => {
    const parts = [];
    for await (const part of request) parts.push(part);
    return Buffer.concat(parts).toString();
  };
  const answer = async (request, response) => {
    const key = createHash('sha256').update(request.headers.authorization).digest('base64url');
    const [used] = await redis.limit(key);
    const [, , id] = request.url.split('/');
    const json =
      request.method === 'POST' ? await call('Create', await bodyOf(request)) : await call(id === undefined ? 'List' : 'Read', id ?? '');
    response.writeHead(request.method === 'POST' ? 201 : 200, {
      'content-type': 'application/json',
      'content-length': json.length,
      'x-ratelimit-used': used,
    });
    response.end(json);
  };
  http
    .createServer((request, response) => answer(request, response).catch(() => response.writeHead(500).end()))
    .listen(Number(PORT), '127.0.0.1');
}

await (process.argv[2] === 'gateway' ? gateway() : service());
