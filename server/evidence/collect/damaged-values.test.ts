import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifyArchive } from '#lib/verify/verify.ts'
import { listAlarms } from '#server/audit/alarms/list.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { execute } from '#server/kernel/operation.ts'
import { decodeProtobuf } from '#server/telemetry/decode-protobuf.ts'
import { exportSpans } from '#server/telemetry/export.ts'
import { insertActivity } from '#server/testing/activity.ts'
import { aroundNow, exportRuntime, fetchArchive } from '#server/testing/exports.ts'
import { otlpProtobuf } from '#server/testing/otlp.ts'
import { asOwner } from '#server/testing/owner.ts'
import type { TestTenant } from '#server/testing/tenant.ts'

// Encrypted values whose bytes were changed by SQL: the archive lists them, says so in its verdicts, and the object has an alarm.

let runtime: Awaited<ReturnType<typeof exportRuntime>>
beforeAll(async () => {
  runtime = await exportRuntime()
})
afterAll(() => runtime.close())

const justification = 'The supervisory authority asks for the conversations of case 4711.'
const raw = () => ({ ...aroundNow(), includeRawPayloads: true, justification })
const officerOf = (tenant: TestTenant) => tenant.as('pia', { roles: ['auditor', 'privacy_officer'] })

/** The last byte of a value with all bits turned. */
const changed = (value: string) =>
  `set_byte(${value}, octet_length(${value}) - 1, 255 - get_byte(${value}, octet_length(${value}) - 1))`

/** Makes an archive that leaves out what `lost` names. */
async function expectDamaged(
  tenant: TestTenant,
  pia: Caller,
  input: object,
  lost: { resource: string; id: string },
): Promise<void> {
  const job = await runtime.make(tenant, pia, input)
  expect(job.status).toBe('completed_with_omissions')
  expect(job.omissions).toContainEqual({ ...lost, reason: 'integrity_failed' })
  const bytes = await fetchArchive(pia, job.exportId)
  const { verdicts, checks, everything } = await verifyArchive(new Blob([new Uint8Array(bytes)]))
  expect(verdicts).toMatchObject({ integrity: 'holds', completeness: 'not checked' })
  expect(everything).toBe(false)
  expect(checks).toContainEqual({
    verdict: 'completeness',
    name: 'Damaged values',
    state: 'not checked',
    detail: 'The service left out what it could no longer decrypt (1): stored values are not the ones that it wrote.',
  })
}

const openAlarms = async (pia: Caller) =>
  (await execute(listAlarms, pia, { status: 'open' }, { name: 'alarms.list' })).items

test('of an execution, in both kinds of archive', async () => {
  const tenant = await runtime.tenant()
  const pia = await officerOf(tenant)
  const { executionId } = await insertActivity(runtime, tenant, pia.principal.memberId, { amount: 137 })
  await asOwner(runtime, `update executions set output = ${changed('output')} where id = $1`, [executionId])
  for (const input of [aroundNow(), raw()])
    await expectDamaged(tenant, pia, input, { resource: 'executions', id: executionId })
  expect(await openAlarms(pia)).toMatchObject([{ kind: 'object', subject: `execution/${executionId}`, count: 2 }])
})

test('of a span of telemetry, in an archive with raw payloads', async () => {
  const tenant = await runtime.tenant()
  const pia = await officerOf(tenant)
  const exporter = await tenant.as('exporter', { roles: ['traces:write'] })
  const [traceId, spanId] = ['5b8aa5a2d2c872e8321cf37308d69df2', '051581bf3cb55c13']
  const [startMs, endMs] = [Date.now() - 5, Date.now()]
  const status = { code: 2, message: 'The mail to ana@mail.example came back.' }
  const request = await decodeProtobuf(otlpProtobuf([{ traceId, spanId, startMs, endMs, status }], []))
  await execute(exportSpans, exporter, request, { name: 'telemetry.export' })
  await asOwner(
    runtime,
    `update spans set sealed = array[${changed('sealed[1]')}] where tenant_id = $1 and sealed is not null`,
    [tenant.id],
  )
  await expectDamaged(tenant, pia, raw(), { resource: 'spans', id: `${traceId}/${spanId}` })
  expect(await openAlarms(pia)).toMatchObject([{ kind: 'object', subject: `span/${traceId}/${spanId}`, count: 1 }])
})
