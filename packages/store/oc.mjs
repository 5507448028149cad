import mongoose from 'mongoose'; import fs from 'node:fs';
const port=JSON.parse(fs.readFileSync('/tmp/d1/run.json')).services.mongodb.port;
const c=await mongoose.createConnection(`mongodb://127.0.0.1:${port}/?directConnection=true`).asPromise();
const s=await c.db.admin().command({serverStatus:1});
const cm=s.metrics.commands; const pick=k=>Number(cm[k]?.total??0);
console.log(JSON.stringify({find:pick('find'),insert:pick('insert'),update:pick('update'),delete:pick('delete'),getMore:pick('getMore'),commit:pick('commitTransaction'),agg:pick('aggregate'),docs:s.metrics.document, fsync:s.wiredTiger.log['log sync operations'], hello:pick('hello')}));
process.exit();
