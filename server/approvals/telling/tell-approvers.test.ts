import { afterAll, beforeAll, expect, test } from 'vitest'
import { create as nameDelegate } from '#server/approvals/delegations/create.ts'
import { expiry } from '#server/approvals/jobs.ts'
import { list as mails } from '#server/approvals/mails/list.ts'
import { execute } from '#server/kernel/operation.ts'
import { approverGroup, askForRefund } from '#server/testing/approval-request.ts'
import { testRuntime, testTenant } from '#server/testing/tenant.ts'

let running: Awaited<ReturnType<typeof testRuntime>>
beforeAll(async () => {
  running = await testRuntime()
  await running.queue.work([expiry])
})
afterAll(() => running.close())

test('each of sixty people of a group is notified, and a delegate of two of them once', async () => {
  const tenant = await testTenant(running)
  const maria = await tenant.as('maria', { roles: ['developer'] })
  const delegate = await tenant.as('dora', { roles: ['approver'] })
  const names = Array.from({ length: 60 }, (_, index) => `reviewer-${String(index).padStart(2, '0')}`)
  for (const name of names) {
    const reviewer = await tenant.as(name, { roles: ['approver'], groups: [approverGroup] })
    if (name < 'reviewer-02')
      await execute(
        nameDelegate,
        reviewer,
        {
          delegate: delegate.principal.username,
          until: new Date(Date.now() + 86_400_000).toISOString(),
          reason: 'Away.',
        },
        { name: 'approvals.delegations.create' },
      )
  }
  const { approvalId } = await askForRefund(tenant, maria)
  const { items } = await execute(mails, maria, { approvalId }, { name: 'approvals.mails.list' })
  expect(items.map(({ to }) => to.username).sort()).toEqual(['dora', ...names])
})
