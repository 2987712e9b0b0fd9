import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AuditFileInput } from '#lib/schemas/audit.ts'
import { appendAudit, systemActor } from '#server/kernel/audit/append.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { watchCaller } from '#server/kernel/auth/watch.ts'
import { newId } from '#server/kernel/ids.ts'
import { execute } from '#server/kernel/operation.ts'
import { testRuntime, testTenant } from '#server/testing/tenant.ts'
import { file, fileResponse } from './file.ts'
import { partSize } from './records-in-parts.ts'

// The file of audit records, on the real database.

let running: Awaited<ReturnType<typeof testRuntime>>
beforeAll(async () => {
  running = await testRuntime()
})
afterAll(() => running.close())

async function scene(records: number) {
  const tenant = await testTenant(running)
  const auditor = await tenant.as('audrey', { roles: ['auditor'] })
  await running.database.inTenant(tenant.id, async (tx) => {
    for (let index = 0; index < records; index++)
      await appendAudit(tx, auditor.tenant, {
        actor: systemActor,
        action: 'secret.revoked',
        resource: { type: 'secret', id: newId() },
        reason: index === 0 ? '=1+1' : `Reason ${index}`,
        requestId: newId(),
      })
  })
  return { tenant, auditor }
}

const downloads = async (caller: Caller, input: Partial<typeof AuditFileInput._output> = {}) =>
  fileResponse(await execute(file, caller, input, { name: 'audit.file' }), caller)

test('every record that matches is in the file, newest first, in more than one part', async () => {
  const { auditor } = await scene(partSize + 3)
  const response = await downloads(auditor, { format: 'ndjson', action: 'secret.revoked' })
  expect(response.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8')
  expect(response.headers.get('content-disposition')).toBe('attachment; filename="audit-records.ndjson"')
  const rows = (await response.text())
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { seq: number; reason: string })
  expect(rows).toHaveLength(partSize + 3)
  expect(rows.every((row, index) => index === 0 || row.seq < (rows[index - 1]?.seq ?? 0))).toBe(true)
  expect(rows.at(-1)).toMatchObject({ reason: '=1+1', sentence: expect.stringContaining('secret') })
})

test('a formula is text in CSV, and a file without records has its head', async () => {
  const { auditor } = await scene(1)
  const [head, line] = (await (await downloads(auditor, { action: 'secret.revoked' })).text()).split('\r\n')
  expect(head).toMatch(/^at,sentence,action,/)
  expect(line).toContain(`"'=1+1"`)
  expect(await (await downloads(auditor, { action: 'no.such.action' })).text()).toBe(`${head}\r\n`)
})

test('a part is read only when the last one was taken, and the rest never after the reader left', async () => {
  const { auditor } = await scene(partSize + 1)
  const response = await downloads(auditor)
  const reader = response.body?.getReader()
  await reader?.read()
  const second = await reader?.read()
  expect(new TextDecoder().decode(second?.value).split('\r\n')).toHaveLength(partSize + 1)
  await reader?.cancel()
})

test('only those who may read the log get it, of their own tenant', async () => {
  const { tenant, auditor } = await scene(1)
  const viewer = await tenant.as('vera', { roles: ['viewer'] })
  await expect(downloads(viewer)).rejects.toMatchObject({ code: 'forbidden' })
  const other = await scene(0)
  const text = await (await downloads(other.auditor, { action: 'secret.revoked', format: 'ndjson' })).text()
  expect(text).toBe('')
  expect(await (await downloads(auditor, { action: 'secret.revoked', format: 'ndjson' })).text()).not.toBe('')
})

test('the file ends with an error when its reader loses the membership', async () => {
  const { tenant, auditor } = await scene(2 * partSize + 1)
  const reader = (await downloads(auditor)).body?.getReader()
  await reader?.read()
  await reader?.read()
  const lost = new Promise((resolve) => watchCaller(auditor, resolve))
  await running.database.inTenant(tenant.id, (tx) =>
    tx
      .updateTable('members')
      .set({ status: 'suspended' })
      .where('tenantId', '=', tenant.id)
      .where('id', '=', auditor.principal.memberId)
      .execute(),
  )
  await lost
  const rest = async () => {
    for (;;) if ((await reader?.read())?.done !== false) return
  }
  await expect(rest()).rejects.toMatchObject({ code: 'tenant_access_denied' })
})
