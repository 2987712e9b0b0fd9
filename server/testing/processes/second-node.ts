import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import type { TestApi } from '#server/testing/api.ts'
import { apiProgram } from './bundle.ts'
import { serverProcess } from './environment.ts'

export type SecondNode = {
  baseUrl: string
  /** The log so far. */
  log(): string
  close(): Promise<void>
}

/** Starts another process of the same installation (database and DATA_DIR), at the most verbose log level. `more`: other settings. */
export async function secondNode(api: TestApi, more: Record<string, string> = {}): Promise<SecondNode> {
  const folder = dirname(api.gate)
  const child = spawn(process.execPath, [...serverProcess.options, await apiProgram()], {
    env: {
      ...serverProcess.environment,
      PORT: '0',
      // Both nodes share a realm, whose tokens name the first node's address.
      AUTH_URL: api.baseUrl,
      IDENTITY: 'embedded',
      RATE_LIMIT_PER_MINUTE: '1000000',
      TOKEN_RATE_LIMIT_PER_MINUTE: '1000000',
      ADOPT_ROWS_AFTER: '86400',
      DATABASE_URL: api.ownerUrl,
      DATA_DIR: join(folder, 'data'),
      MCP_SERVERS: join(folder, 'mcp.json'),
      LOG_LEVEL: 'trace',
      ...more,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const written: Buffer[] = []
  child.stderr.on('data', (chunk: Buffer) => written.push(chunk))
  const log = () => Buffer.concat(written).toString()
  for await (const line of createInterface({ input: child.stdout })) {
    const [word, baseUrl] = line.split(' ')
    if (word !== 'ready' || baseUrl === undefined) continue
    return {
      baseUrl,
      log,
      async close() {
        if (child.exitCode !== null || child.signalCode !== null) return
        child.kill('SIGTERM')
        await once(child, 'exit')
      },
    }
  }
  throw new Error(`The second node ended before it was ready: ${log()}`)
}
