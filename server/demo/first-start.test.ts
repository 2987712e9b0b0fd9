import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startApi } from '#server/testing/api.ts'

test('the first start warns of tenants that do not exist, and not of those that the demo creates', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-first-start-'))
  const sinks = ['org-northwind-mutual', 'org-of-no-one'].map((tenant, index) => ({
    name: `sink-${index}`,
    tenants: [tenant],
    kind: 'otlp',
    url: 'http://127.0.0.1:9/v1/logs',
  }))
  await writeFile(join(folder, 'siem.json'), JSON.stringify({ sinks }))
  // At this level of the log, the demo is made by this process instead of being copied.
  const api = await startApi({ SIEM_SINKS: join(folder, 'siem.json'), LOG_LEVEL: 'trace' })
  try {
    expect(api.logged()).toContain('sink-1: a tenant with the external id org-of-no-one does not exist')
    expect(api.logged()).not.toContain('sink-0: a tenant')
  } finally {
    await api.close()
    await rm(folder, { recursive: true })
  }
}, 120_000)
