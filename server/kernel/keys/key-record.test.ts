import { createPublicKey, verify } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { canonicalJson } from '#lib/jcs.ts'
import type { JsonObject } from '#lib/json.ts'
import { rotateLogKey } from '#server/audit/sealing/rotate-log-key.ts'
import { testRuntime, testTenant } from '#server/testing/tenant.ts'
import { signingKeys } from './signing-keys.ts'

let running: Awaited<ReturnType<typeof testRuntime>>
beforeAll(async () => {
  running = await testRuntime()
})
afterAll(() => running.close())

type Entered = { publicKey: string; validFrom: string; predecessor: { fingerprint: string; signature: string } | null }

test('the log and evidence keys enter the log when they are created, later ones with their predecessor’s signature', async () => {
  const tenant = await testTenant(running)
  const entered = async (action: string): Promise<Entered[]> => {
    const rows = await running.database.inTenant(tenant.id, (tx) =>
      tx
        .selectFrom('auditRecords')
        .select('record')
        .where('tenantId', '=', tenant.id)
        .where('type', '=', action)
        .orderBy('date')
        .orderBy('seq')
        .execute(),
    )
    return rows.map(({ record }) => (record as { details: Entered }).details)
  }
  const raw = (key: { export(options: { type: 'spki'; format: 'der' }): Buffer }) =>
    key.export({ type: 'spki', format: 'der' }).subarray(-32).toString('base64')
  const keys = (purpose: 'evidence' | 'log') =>
    running.database.inTenant(tenant.id, (tx) => signingKeys(tx, tenant.id, purpose))
  expect(await entered('evidence_key.created')).toMatchObject([
    { publicKey: raw((await keys('evidence'))[0]?.publicKey ?? createPublicKey('')), predecessor: null },
  ])
  await running.database.inTenant(tenant.id, (tx) => rotateLogKey(tx, tenant))
  const [current, retired] = await keys('log')
  if (current === undefined || retired === undefined) throw new Error('Two keys were expected.')
  const [first, second] = await entered('log_key.created')
  expect([first?.publicKey, second?.publicKey]).toEqual([raw(retired.publicKey), raw(current.publicKey)])
  expect(first?.predecessor).toBeNull()
  const stated: JsonObject = {
    tenant: tenant.externalId,
    purpose: 'log',
    algorithm: 'Ed25519',
    publicKey: second?.publicKey ?? '',
    validFrom: second?.validFrom ?? '',
  }
  const signature = Buffer.from(second?.predecessor?.signature ?? '', 'base64')
  const signed = Buffer.from(`countersign.key.v1\n${canonicalJson(stated)}`)
  expect(verify(null, signed, retired.publicKey, signature)).toBe(true)
  expect(verify(null, signed, current.publicKey, signature)).toBe(false)
})
