import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { expect, test } from 'vitest'
import { testDatabase } from '#server/testing/database.ts'
import { foreignIssuer } from '#server/testing/fakes/foreign-issuer.ts'
import { startProcess } from '#server/testing/processes/start-process.ts'

test('with another identity provider no demo is made, also if SEED_DEMO asks for it: no one could sign in', async () => {
  const provider = await foreignIssuer()
  const database = await testDatabase()
  const folder = await mkdtemp(join(tmpdir(), 'countersign-without-demo-'))
  const { child, baseUrl } = await startProcess({
    PORT: '0',
    DATABASE_URL: database.ownerUrl,
    DATA_DIR: folder,
    AUTH_URL: provider.origin,
    SEED_DEMO: 'true',
    LOG_LEVEL: 'error',
  })
  expect(await (await fetch(`${baseUrl}/v1/health/ready`)).json()).toEqual({ status: 'ready' })
  const owner = new Client({ connectionString: database.ownerUrl })
  await owner.connect()
  const { rows } = await owner.query('select slug from tenants')
  await owner.end()
  expect(rows).toEqual([])
  expect(existsSync(join(folder, 'demo-credentials.json'))).toBe(false)
  child.kill('SIGTERM')
  await once(child, 'exit')
  await database.close()
  await rm(folder, { recursive: true })
  await provider.close()
})
