import { Agent, request } from 'node:http';
import { agency } from '../../../harness/agency.ts';
import { hostileAddress, type Nuisance } from './nuisance.ts';

const inFlight = 64;

/** A program that lists and creates as fast as it is answered, refused or not. */
export const apiFlood: Nuisance = {
  name: 'api-flood',
  what: 'a tenant calls the API without a pause over 64 connections',
  async start({ facts }) {
    const { api } = await agency(facts);
    const agent = new Agent({ keepAlive: true, maxSockets: inFlight, localAddress: hostileAddress });
    const counts = { sent: 0, passed: 0 };
    let stopped = false;
    const { hostname: host, port, pathname } = new URL(api.baseUrl);
    const headers = { authorization: `Bearer ${api.key}` };
    const list = () =>
      new Promise<void>((resolve) => {
        const sent = request({ host, port, path: `${pathname}/clients`, headers, agent, family: 4 }, (response) => {
          counts.sent++;
          if (response.statusCode === 200) counts.passed++;
          response.resume().on('close', resolve);
        });
        sent.on('error', () => resolve()).end();
      });
    const loop = async () => {
      while (!stopped) await list();
    };
    const loops = Array.from({ length: inFlight }, loop);
    return {
      get attempts() {
        return counts.sent;
      },
      async stop() {
        stopped = true;
        await Promise.all(loops);
        agent.destroy();
        return `${counts.sent} requests, ${counts.passed} passed`;
      },
    };
  },
};
