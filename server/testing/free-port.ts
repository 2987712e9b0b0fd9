import { once } from 'node:events'
import { createServer } from 'node:net'

/** Returns a port that is not in use at the moment. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  await new Promise((closed) => probe.close(closed))
  if (typeof address !== 'object' || address === null) throw new Error('The probe does not have a port.')
  return address.port
}
