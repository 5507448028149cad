import { connection } from 'next/server';
import { Builder } from './builder';

export default async function Page() {
  // The address of the platform is read when the page is asked for, not when it is built.
  await connection();
  return <Builder platform={process.env.WEBKILN_ORIGIN ?? 'http://localhost:8080'} />;
}
