import { sql } from 'kysely'
import { z } from 'zod'
import type { ApprovalTerms } from '#lib/rules/approval-terms.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { json } from '#server/kernel/db/json.ts'

export const GroupStage = z.object({ groupId: z.string(), group: z.string(), quorum: z.int() })
export type GroupStage = z.infer<typeof GroupStage>

/** What a request has beyond one group and one deadline; most requests have none of it. */
const Terms = z.object({
  stages: z.array(GroupStage),
  /** The index of the stage that is not decided yet. */
  stage: z.int(),
  /** The ids of the votes that ended each earlier stage. */
  stageVotes: z.array(z.array(z.string())),
  expiresAfterSeconds: z.int(),
  remindAt: z.array(z.int()),
  escalateAfterSeconds: z.int().nullable(),
  pauseOnQuestion: z.boolean(),
  /** Which of its moments are over (clock/moments.ts). */
  passed: z.array(z.string()),
  /** Since when an open question stops the clock. */
  pausedAt: z.coerce.date().nullable(),
})
export type Terms = z.infer<typeof Terms>

/** The terms of a row of `approvals`, for termsOfRow. */
export const termsColumn = sql<unknown>`(select jsonb_build_object('stages', t.stages, 'stage', t.stage,
    'stageVotes', t.stage_votes, 'expiresAfterSeconds', t.expires_after_seconds, 'remindAt', t.remind_at,
    'escalateAfterSeconds', t.escalate_after_seconds, 'pauseOnQuestion', t.pause_on_question, 'passed', t.passed,
    'pausedAt', t.paused_at)
  from approval_terms t where t.tenant_id = approvals.tenant_id and t.approval_id = approvals.id)`

export const termsOfRow = (terms: unknown): Terms | undefined => (terms === null ? undefined : Terms.parse(terms))

export async function insertTerms(
  tx: Transaction,
  tenantId: string,
  approvalId: string,
  stages: readonly GroupStage[],
  { expiresAfterSeconds, remindAt = [], escalateAfterSeconds, pauseOnQuestion = false }: ApprovalTerms,
): Promise<void> {
  await tx
    .insertInto('approvalTerms')
    .values({
      tenantId,
      approvalId,
      stages: json([...stages]),
      expiresAfterSeconds,
      remindAt: json(remindAt),
      escalateAfterSeconds: escalateAfterSeconds ?? null,
      pauseOnQuestion,
    })
    .execute()
}

export async function findTerms(tx: Transaction, tenantId: string, approvalId: string): Promise<Terms | undefined> {
  const row = await tx
    .selectFrom('approvals')
    .select(termsColumn.as('terms'))
    .where('tenantId', '=', tenantId)
    .where('id', '=', approvalId)
    .executeTakeFirst()
  return termsOfRow(row?.terms ?? null)
}

/** To the next stage; `votes` ended this one. The caller has locked the request. */
export async function setNextStage(
  tx: Transaction,
  tenantId: string,
  approvalId: string,
  { stage, stageVotes }: Terms,
  votes: string[],
): Promise<void> {
  await tx
    .updateTable('approvalTerms')
    .set({ stage: stage + 1, stageVotes: json([...stageVotes, votes]) })
    .where('tenantId', '=', tenantId)
    .where('approvalId', '=', approvalId)
    .execute()
}

export async function setPassed(
  tx: Transaction,
  tenantId: string,
  approvalId: string,
  passed: string[],
): Promise<void> {
  await tx
    .updateTable('approvalTerms')
    .set({ passed: json(passed) })
    .where('tenantId', '=', tenantId)
    .where('approvalId', '=', approvalId)
    .execute()
}

/** Stops the clock of a request. The caller has locked it. */
export async function setPaused(tx: Transaction, tenantId: string, approvalId: string): Promise<void> {
  await tx
    .updateTable('approvalTerms')
    .set({ pausedAt: sql<Date>`clock_timestamp()` })
    .where('tenantId', '=', tenantId)
    .where('approvalId', '=', approvalId)
    .where('pausedAt', 'is', null)
    .execute()
}

/**
 * Lets the clock of a request go on: its deadline is later by the time that the clock stood. If its agent is suspended, the
 * clock stands from now on for that reason alone. Undefined if the clock was not stopped. The caller has locked the request.
 */
export async function setUnpaused(tx: Transaction, tenantId: string, approvalId: string): Promise<Date | undefined> {
  const { rows } = await sql<{ expiresAt: Date }>`
    with paused as (
      select paused_at from approval_terms
      where tenant_id = ${tenantId} and approval_id = ${approvalId} and paused_at is not null
    ), resumed as (
      update approval_terms set paused_at = null
      where tenant_id = ${tenantId} and approval_id = ${approvalId} and paused_at is not null
    )
    update approvals set expires_at = expires_at + (clock_timestamp() - paused.paused_at),
      parked_at = case when parked_at is null then null else clock_timestamp() end
    from paused where tenant_id = ${tenantId} and id = ${approvalId}
    returning expires_at as "expiresAt"`.execute(tx)
  return rows[0]?.expiresAt
}

/** After a pause for another reason, which has been added to the deadlines of these requests already. */
export async function setPausedAnew(tx: Transaction, tenantId: string, approvalIds: readonly string[]): Promise<void> {
  if (approvalIds.length === 0) return
  await tx
    .updateTable('approvalTerms')
    .set({ pausedAt: sql<Date>`clock_timestamp()` })
    .where('tenantId', '=', tenantId)
    .where('approvalId', 'in', [...approvalIds])
    .where('pausedAt', 'is not', null)
    .execute()
}
