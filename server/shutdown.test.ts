import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { loadConfig } from './kernel/config.ts'
import { newId } from './kernel/ids.ts'
import { runtime } from './kernel/runtime.ts'
import { type RunningServer, serve } from './serve.ts'
import { testDatabase } from './testing/database.ts'

let server: RunningServer
let folder: string
let database: Awaited<ReturnType<typeof testDatabase>>
let arrived: PromiseWithResolvers<void>
let released: PromiseWithResolvers<void>

beforeEach(async () => {
  arrived = Promise.withResolvers()
  released = Promise.withResolvers()
  folder = await mkdtemp(join(tmpdir(), 'shutdown-'))
  database = await testDatabase()
  const config = loadConfig({
    PORT: '0',
    DATABASE_URL: database.ownerUrl,
    DATA_DIR: folder,
    SEED_DEMO: 'false',
    LOG_LEVEL: 'error',
    DRAIN_SECONDS: '2',
  })
  // A page that reads the database after the server was asked to stop.
  server = await serve(
    config,
    () => undefined,
    () => ({
      async request(_req, res) {
        arrived.resolve()
        await released.promise
        const { rows } = await runtime().database.inTenant(newId(), (tx) =>
          sql<{ n: number }>`select 1 as n`.execute(tx),
        )
        res.end(`read ${rows[0]?.n}`)
      },
      upgrade(_req, socket) {
        socket.on('error', () => socket.destroy())
        socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
        return undefined
      },
    }),
  )
})

afterEach(async () => {
  await database.close()
  await rm(folder, { recursive: true })
})

test('a request under way still reads the database after the server was asked to stop, and a new one gets 503', async () => {
  const underWay = fetch(server.baseUrl)
  await arrived.promise
  const closed = server.close()
  const late = await fetch(server.baseUrl)
  expect([late.status, late.headers.get('retry-after')]).toEqual([503, '1'])
  released.resolve()
  const response = await underWay
  expect([response.status, await response.text()]).toEqual([200, 'read 1'])
  await closed
  await expect(fetch(server.baseUrl)).rejects.toThrow()
})

test('a request that does not end is cut, and the server stops', async () => {
  const underWay = fetch(server.baseUrl).then(
    () => 'answered',
    () => 'cut',
  )
  await arrived.promise
  await server.close()
  expect(await underWay).toBe('cut')
})

test('an upgraded connection that the client leaves open is cut, and the server stops', async () => {
  const call = request(server.baseUrl, { headers: { connection: 'Upgrade', upgrade: 'websocket' } }).end()
  const [, socket] = await once(call, 'upgrade')
  const cut = once(socket.resume(), 'close')
  await server.close()
  await cut
})
