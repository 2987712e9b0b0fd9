import { HomeNow, homeRows, mostCounted } from '#lib/schemas/home/overview.ts'
import { deciderOf } from '#server/approvals/delegations/decider.ts'
import { countPending, listSoonest } from '#server/approvals/list-store.ts'
import { summaries } from '#server/approvals/view.ts'
import { hasOpenAlarm } from '#server/audit/alarms/read-alarms.ts'
import type { Principal, Tenant } from '#server/kernel/auth/principal.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { noInput, query } from '#server/kernel/operation.ts'
import { countUnderWay } from './figures-store.ts'

const hour = 3600

/** What needs the caller, and how much is under way. */
export const now = query({
  permission: 'any',
  input: noInput,
  output: HomeNow,
  async run({ tx, tenant, principal }) {
    const may = principal.permissions
    return {
      needs: may.has('approval:list') && may.has('approval:decide') ? await needsOf(tx, tenant, principal) : null,
      underWay: may.has('execution:read') ? await underWay(tx, tenant.id) : null,
      alarmOpen: may.has('approval:list') ? await hasOpenAlarm(tx, tenant.id) : null,
    }
  },
})

async function needsOf(tx: Transaction, tenant: Tenant, principal: Principal) {
  const decidableBy = await deciderOf(tx, tenant.id, principal)
  const rows = await listSoonest(tx, tenant.id, { decidableBy }, homeRows)
  return {
    items: await summaries(tx, tenant, principal, rows),
    count: await countPending(tx, tenant.id, { decidableBy }, mostCounted),
    withinHour: await countPending(tx, tenant.id, { decidableBy, expiringWithinSeconds: hour }, mostCounted),
  }
}

async function underWay(tx: Transaction, tenantId: string) {
  const counts = new Map((await countUnderWay(tx, tenantId)).map(({ status, count }) => [status, count]))
  const of = (status: string): number => counts.get(status) ?? 0
  return {
    running: of('queued') + of('running'),
    waitingApproval: of('waiting_approval'),
    waitingInput: of('waiting_input'),
  }
}
