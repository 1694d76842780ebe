import { rm } from 'node:fs/promises';

export default async function tearDown() {
  const { home, postgres } = globalThis.pinkasTestServers;
  await postgres.stop();
  await rm(home, { recursive: true, force: true });
}
