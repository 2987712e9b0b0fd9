import type { ApprovalKind } from '#lib/schemas/approvals.ts'
import type { Tenant } from '#server/kernel/auth/principal.ts'
import type { Transaction } from '#server/kernel/db/database.ts'

export type DecidedApproval = {
  id: string
  subjectId: string
  status: 'approved' | 'rejected' | 'expired' | 'canceled'
  /** Members whose votes decided the request, and their delegators; empty when it expired. */
  deciders: readonly string[]
}

/** Applies a decision to its subject, in the deciding transaction. Throwing rolls the decision back. */
export type OnDecided = (tx: Transaction, tenant: Tenant, approval: DecidedApproval) => Promise<void>

// Filled once by server/jobs.ts, because approvals does not import its subjects.
const subjects = new Map<string, OnDecided>()

export function onDecided(kind: ApprovalKind, act: OnDecided): void {
  subjects.set(kind, act)
}

/** Throws for an unregistered kind, because a decision without its effect must not be recorded. */
export async function tellSubject(
  kind: string,
  tx: Transaction,
  tenant: Tenant,
  approval: DecidedApproval,
): Promise<void> {
  const act = subjects.get(kind)
  if (act === undefined) throw new Error(`No domain handles decisions on ${kind}.`)
  await act(tx, tenant, approval)
}
