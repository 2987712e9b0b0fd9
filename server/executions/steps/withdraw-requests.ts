import { cancelRequest } from '#server/approvals/cancel-request.ts'
import type { Loaded } from '#server/executions/state/load.ts'
import { appendAudit } from '#server/kernel/audit/append.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { newId } from '#server/kernel/ids.ts'

/** Cancels the requests that an execution still waits for, before its end: no one could decide them to any effect. */
export async function withdrawRequests(tx: Transaction, { tenant, row, steps }: Loaded): Promise<void> {
  for (const { status, approvalId } of steps)
    if (status === 'waiting_approval' && approvalId !== null) await withdraw(approvalId)

  async function withdraw(approvalId: string): Promise<void> {
    const auditId = newId()
    if (!(await cancelRequest(tx, tenant, approvalId, auditId))) return
    await appendAudit(tx, tenant, {
      auditId,
      actor: { type: 'agent', id: row.agentId, name: row.agentName },
      action: 'approval.canceled',
      resource: { type: 'approval', id: approvalId },
      details: { executionId: row.id },
    })
  }
}
