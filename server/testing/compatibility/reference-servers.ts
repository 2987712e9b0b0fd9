import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** The entry points of the protocol's test servers. */
export const referenceServer = (name: 'everything' | 'filesystem' | 'memory'): string =>
  join(import.meta.dirname, 'sdks', 'node_modules', '@modelcontextprotocol', `server-${name}`, 'dist', 'index.js')

/** Starts the protocol's “everything” server over streamable HTTP, in a separate process on this machine. */
export async function startEverything(): Promise<{ url: string; close(): Promise<void> }> {
  const port = await freePort()
  const child = spawn(process.execPath, [referenceServer('everything'), 'streamableHttp'], {
    env: { NODE_ENV: 'test', PATH: process.env.PATH ?? '', PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const lines = createInterface({ input: child.stderr })
  for await (const line of lines) if (line.includes('listening')) break
  child.stdout.resume()
  child.stderr.resume()
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async close() {
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (typeof address !== 'object' || address === null) throw new Error('no port')
  return address.port
}
