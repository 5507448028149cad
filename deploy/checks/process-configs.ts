import path from 'node:path';
import { type ProcessName, processes } from '@webkiln/messages';
import type * as z from 'zod';

const root = path.resolve(import.meta.dirname, '../..');

export const names = Object.keys(processes) as ProcessName[];
export const urls = {
  MONGODB_URL: 'mongodb://mongodb:27017/?replicaSet=webkiln',
  NATS_URL: 'nats://nats:4222',
  REDIS_URL: 'redis://redis:6379',
  SMTP_URL: 'smtp://mail:587',
};
/** Set by the images of the gateway and, of the docs, of mcp. */
export const ofImage = { DASHBOARD_DIR: '/app/dashboard', DOCS_DIR: '/app/docs' };

/** The schema by which a process reads its environment. */
export async function configOf(name: ProcessName): Promise<z.ZodObject> {
  const file = path.join(root, name === 'gateway' ? name : `services/${name}`, 'src/config.ts');
  const pascal = name.replaceAll(/(^|-)(\w)/g, (_match, _dash, letter: string) => letter.toUpperCase());
  return (await import(file))[`${pascal}Config`];
}
