import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifyArchive } from '#lib/verify/verify.ts'
import { findNow } from '#server/audit/coverage-store.ts'
import { heldSigningKey } from '#server/kernel/keys/signing-keys.ts'
import { auditorOf, exportRuntime, fetchArchive } from '#server/testing/exports.ts'
import { connectAsOwner } from '#server/testing/owner.ts'
import { publishedKeys } from '#server/testing/published-keys.ts'
import type { TestTenant } from '#server/testing/tenant.ts'
import { until } from '#server/testing/until.ts'
import { rotateEvidenceKey } from './rotate-evidence-key.ts'

let runtime: Awaited<ReturnType<typeof exportRuntime>>
beforeAll(async () => {
  runtime = await exportRuntime()
})
afterAll(() => runtime.close())

const rotate = (tenant: TestTenant) => runtime.database.inTenant(tenant.id, (tx) => rotateEvidenceKey(tx, tenant))

test('archives of both keys verify, and someone who knows the first key can follow to the second', async () => {
  const tenant = await runtime.tenant()
  const auditor = await auditorOf(tenant)
  const originOf = async (archive: Buffer, fingerprint?: string) => {
    const { checks, fingerprint: own } = await verifyArchive(new Blob([new Uint8Array(archive)]), {
      fingerprint,
      published: ({ heads }) => publishedKeys(tenant, heads),
    })
    return {
      own,
      checks: checks.filter(({ verdict }) => verdict === 'origin').map(({ state, detail }) => [state, detail]),
    }
  }
  const made = async () => await fetchArchive(auditor, (await runtime.make(tenant, auditor)).exportId)
  const [before, fingerprint] = [await made(), await rotate(tenant)]
  const after = await made()
  const [first, second] = [await originOf(before), await originOf(after)]
  expect(`sha256:${second.own}`).toBe(fingerprint)
  expect(second.own).not.toBe(first.own)
  const published = ['holds', 'The service publishes the keys that sealed this archive and signed its log.']
  expect(first.checks).toContainEqual(published)
  expect(second.checks).toContainEqual(published)
  const followed = ['holds', 'The key that you know was replaced, and its successors signed each other up to this one.']
  expect((await originOf(after, first.own)).checks).toContainEqual(followed)
  expect((await originOf(before, second.own)).checks).toContainEqual(['fails', expect.stringContaining('another key')])
  expect(
    (await runtime.actions(tenant, fingerprint)).filter((action) => action === 'evidence_key.created'),
  ).toHaveLength(1)
})

test('a key is valid until after the time of each seal that was made with it', async () => {
  const tenant = await runtime.tenant()
  const [held, seal] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const sealing = runtime.database.inTenant(tenant.id, async (tx) => {
    const { id } = await heldSigningKey(tx, tenant.id, 'evidence')
    held.resolve()
    await seal.promise
    return { id, at: await findNow(tx) }
  })
  await held.promise
  const rotated = rotate(tenant)
  const owner = await connectAsOwner(runtime)
  const waits = `select from pg_locks held join pg_stat_activity process using (pid)
    where not held.granted and held.locktype = 'transactionid' and process.datname = current_database()`
  await until(async () => ((await owner.query(waits)).rowCount === 1 ? true : undefined), 'the rotation waits')
  seal.resolve()
  const { id, at } = await sealing
  await rotated
  const { rows } = await owner.query('select retired_at from signing_keys where id = $1', [id])
  await owner.end()
  expect(rows[0].retired_at.getTime()).toBeGreaterThanOrEqual(at.getTime())
})
