import { afterAll, beforeAll, expect, test } from 'vitest'
import { appendAudit, systemActor } from '#server/kernel/audit/append.ts'
import { newId, newSpanId, newTraceId } from '#server/kernel/ids.ts'
import { aroundNow, auditorOf, exportRuntime, fetchArchive, parseLines } from '#server/testing/exports.ts'
import { startSpan, startTrace } from '#server/traces/recording/record.ts'

// Eight tenants write and export at the same time: every export completes, and each archive belongs to one tenant.

let runtime: Awaited<ReturnType<typeof exportRuntime>>
beforeAll(async () => {
  runtime = await exportRuntime()
})
afterAll(() => runtime.close())

const tenants = 8
const acts = 25

test('each log is complete and each archive contains only the activity of its own tenant', async () => {
  const made = await Promise.all(
    Array.from({ length: tenants }, async (_, index) => {
      const tenant = await runtime.tenant()
      return { tenant, auditor: await auditorOf(tenant), canary: `only-of-tenant-${index}-${newId()}` }
    }),
  )
  const write = async ({ tenant, canary }: (typeof made)[number]) => {
    const traceId = newTraceId()
    const span = { traceId, spanId: newSpanId(), name: canary, kind: 'tool' as const, attributes: [] }
    await runtime.database.inTenant(tenant.id, async (tx) => {
      await startTrace(tx, tenant.id, { traceId, name: canary, startedAt: new Date() })
      await startSpan(tx, tenant.id, { ...span, startedAt: new Date() })
    })
    await Promise.all(
      Array.from({ length: acts }, () =>
        runtime.database.inTenant(tenant.id, (tx) =>
          appendAudit(tx, tenant, { actor: systemActor, action: 'test.acted', resource: { type: 'x', id: canary } }),
        ),
      ),
    )
  }
  await Promise.all(made.map(write))
  // In case midnight passes during the test.
  const period = { ...aroundNow(), startDate: new Date(Date.now() - 3_600_000).toISOString() }
  const jobs = await Promise.all(made.map(({ tenant, auditor }) => runtime.make(tenant, auditor, period)))
  expect(jobs.map(({ status }) => status)).toEqual(Array(tenants).fill('completed'))
  for (const [index, { auditor, canary, tenant }] of made.entries()) {
    const archive = await fetchArchive(auditor, jobs[index]?.exportId ?? '')
    const { text } = await runtime.extract(`eight-${index}`, archive)
    const paths = (await text('manifest-sha256.txt')).split('\n').flatMap((line) => line.split(/\s+/)[1] ?? [])
    const whole = (await Promise.all(paths.filter((path) => path.endsWith('.ndjson')).map((path) => text(path)))).join(
      '',
    )
    expect(whole).toContain(canary)
    for (const other of made) if (other.tenant.id !== tenant.id) expect(whole).not.toContain(other.canary)
    const records = (
      await Promise.all(
        paths.filter((path) => path.startsWith('data/audit/')).map(async (path) => parseLines(await text(path))),
      )
    ).flat()
    expect(records.filter(({ record }) => record.action === 'test.acted')).toHaveLength(acts)
  }
}, 120_000)
