import { expect, test } from 'vitest'
import { roleNames } from '#lib/permissions.ts'
import { registerDecisions } from '#server/jobs.ts'
import { nthId } from '#server/testing/long-lists.ts'
import { asOwner } from '#server/testing/owner.ts'
import { testRuntime, testTenant } from '#server/testing/tenant.ts'
import { adoptTenant } from './adopt.ts'
import { knownEnds } from './adopted.ts'
import { requireFoundBound } from './check.ts'
import { readObjects } from './store.ts'
import { boundType } from './types.ts'

// Rows that were read before the end of an adoption, and are checked after it.

test('a row that was adopted since it was read has to be read again, and a changed one is refused', async () => {
  registerDecisions()
  const running = await testRuntime()
  try {
    const { id: tenantId, ...tenant } = await testTenant(running)
    const { principal } = await tenant.as('vera', { roles: [...roleNames] })
    const agent = nthId(1)
    await asOwner(
      running,
      `insert into agents (tenant_id, id, name, display_name, status, created_by)
       values ($1, $2, 'older', 'Older than this version', 'active', $3)`,
      [tenantId, agent, principal.memberId],
    )
    const before = knownEnds(tenantId)
    expect(before).toEqual({ all: false, later: false })
    const read = () => running.database.inTenant(tenantId, (tx) => readObjects(tx, boundType('agent'), [agent]))
    const check = (ends: typeof before, objects: Awaited<ReturnType<typeof read>>) =>
      running.database.inTenant(tenantId, (tx) => requireFoundBound(tx, tenantId, ends, { agent: objects }))
    const unbound = await read()
    expect(unbound).toMatchObject([{ id: agent, bound: null }])
    await check(before, unbound)

    expect(await adoptTenant(tenantId)).toBe(true)
    await expect(check(before, unbound)).rejects.toMatchObject({ code: 'unavailable' })
    await check(knownEnds(tenantId), await read())

    await asOwner(running, `update agents set display_name = 'Harmless' where tenant_id = $1 and id = $2`, [
      tenantId,
      agent,
    ])
    await expect(check(before, await read())).rejects.toMatchObject({ code: 'integrity_failed' })
    expect(knownEnds(tenantId).all).toBe(true)
    await expect(check(knownEnds(tenantId), await read())).rejects.toMatchObject({ code: 'integrity_failed' })
  } finally {
    await running.close()
  }
})
