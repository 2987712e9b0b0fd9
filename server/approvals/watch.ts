import { notFound } from '#lib/errors.ts'
import { type ApprovalEvent, WatchApprovalInput } from '#lib/schemas/approvals.ts'
import type { Principal, Tenant } from '#server/kernel/auth/principal.ts'
import { openWakes } from '#server/kernel/db/wakes.ts'
import { subscription } from '#server/kernel/operation.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { findApproval } from './store.ts'
import { summaries } from './view.ts'

const heartbeatMs = 15_000

/**
 * approvals.watch: streams an approval as approvals.list shows it, immediately and after each change, and ends once it is
 * decided. An event's id is the approval's revision, so that `lastEventId` resumes after the last received event. Notifications
 * only trigger reading the row again.
 */
export const watch = subscription({
  permission: 'approval:list',
  input: WatchApprovalInput,
  async check({ tenant, principal, input }) {
    await read(tenant, principal, input.approvalId)
  },
  async *run({ tenant, principal, input, signal }): AsyncGenerator<[string, ApprovalEvent]> {
    const wakes = openWakes(runtime().listener, 'approval', tenant.id, signal)
    let last = Number(input.lastEventId ?? 0)
    try {
      while (!signal.aborted) {
        const approval = await read(tenant, principal, input.approvalId)
        if (approval.revision > last) {
          last = approval.revision
          yield [String(last), { type: 'approval', approval }]
        }
        if (approval.status !== 'pending') return
        // A wake may concern another request, and only silence needs a heartbeat.
        if ((await wakes.next(heartbeatMs)) === 'timeout')
          yield [String(last), { type: 'heartbeat', at: new Date().toISOString() }]
      }
    } finally {
      wakes.close()
    }
  },
})

/** Throws not_found. */
async function read(tenant: Tenant, principal: Principal, approvalId: string) {
  const [summary] = await runtime().database.inTenant(tenant.id, async (tx) => {
    const row = await findApproval(tx, tenant.id, approvalId)
    return row === undefined ? [] : await summaries(tx, tenant, principal, [row])
  })
  if (summary === undefined) throw notFound()
  return summary
}
