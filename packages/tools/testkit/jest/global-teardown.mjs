import { rm } from 'node:fs/promises';

export default async function tearDown() {
  const { home, postgres, renderer } = globalThis.pinkasTestServers;
  await renderer.stop();
  await postgres.stop();
  await rm(home, { recursive: true, force: true });
}
