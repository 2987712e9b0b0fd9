import { sql } from 'kysely'
import type { JsonObject } from '#lib/json.ts'
import { resetHours } from '#lib/rules/members/link-notice.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { json } from '#server/kernel/db/json.ts'
import { fixedStatement } from '#server/kernel/db/statements/fixed-statement.ts'

export type ChangeKind = 'role_grant' | 'group_change' | 'setting_change' | 'password_reset'

export type ChangeStatus = 'proposed' | 'approved' | 'applied' | 'rejected' | 'withdrawn'

const columns = ['id', 'kind', 'subjectId', 'change', 'status', 'approvalId', 'proposedBy'] as const

type Row = { kind: string; change: unknown }
const typed = <T extends Row>(row: T) => ({
  ...row,
  kind: row.kind as ChangeKind,
  change: row.change as JsonObject,
})

export async function insertChange(
  tx: Transaction,
  row: {
    tenantId: string
    id: string
    kind: ChangeKind
    subjectId: string
    change: JsonObject
    approvalId: string
    proposedBy: string
  },
): Promise<void> {
  await tx
    .insertInto('accessChanges')
    .values({ ...row, status: 'proposed', change: json(row.change) })
    .execute()
}

/** Changes of one kind that wait for approval, by the subjects that they concern. */
export async function findProposed(tx: Transaction, tenantId: string, kind: ChangeKind, subjectIds: readonly string[]) {
  return (await proposedOf(tx, { tenantId, kind, subjectIds })).map(typed)
}

const proposedOf = fixedStatement({ tenantId: '', kind: '', subjectIds: [''] }, (tx, { tenantId, kind, subjectIds }) =>
  tx
    .selectFrom('accessChanges')
    .select(columns)
    .where('tenantId', '=', tenantId)
    .where('kind', '=', kind)
    .where(sql<boolean>`subject_id = any(${subjectIds}::uuid[])`)
    .where('status', '=', 'proposed'),
)

/** proposed → decided, once; returns the change. Undefined if it is no longer proposed. */
export async function setDecided(
  tx: Transaction,
  tenantId: string,
  id: string,
  status: Exclude<ChangeStatus, 'proposed'>,
) {
  const row = await tx
    .updateTable('accessChanges')
    .set({ status, decidedAt: sql<Date>`clock_timestamp()` })
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .where('status', '=', 'proposed')
    .returning(columns)
    .executeTakeFirst()
  return row === undefined ? undefined : typed(row)
}

/** Resets that wait for approval, or are approved and can still be carried out. */
export const findResets = (tx: Transaction, tenantId: string, subjectIds: readonly string[]) =>
  resetsOf(tx, { tenantId, subjectIds })

const resetsOf = fixedStatement({ tenantId: '', subjectIds: [''] }, (tx, { tenantId, subjectIds }) =>
  tx
    .selectFrom('accessChanges')
    .select(['subjectId', 'status', 'approvalId', 'proposedBy'])
    .where('tenantId', '=', tenantId)
    .where('kind', '=', 'password_reset')
    .where(sql<boolean>`subject_id = any(${subjectIds}::uuid[])`)
    .where((where) =>
      where.or([
        where('status', '=', 'proposed'),
        where.and([
          where('status', '=', 'approved'),
          where('decidedAt', '>', sql<Date>`clock_timestamp() - make_interval(hours => ${resetHours})`),
        ]),
      ]),
    )
    .orderBy('id'),
)

/**
 * approved → applied, only for its proposer and within `hours` of the decision. Undefined if no change matches.
 */
export async function spendApproved(
  tx: Transaction,
  tenantId: string,
  { kind, subjectId, proposedBy, hours }: { kind: ChangeKind; subjectId: string; proposedBy: string; hours: number },
) {
  const row = await tx
    .updateTable('accessChanges')
    .set({ status: 'applied' })
    .where('tenantId', '=', tenantId)
    .where('kind', '=', kind)
    .where('subjectId', '=', subjectId)
    .where('proposedBy', '=', proposedBy)
    .where('status', '=', 'approved')
    .where('decidedAt', '>', sql<Date>`clock_timestamp() - make_interval(hours => ${hours})`)
    .returning(columns)
    .executeTakeFirst()
  return row === undefined ? undefined : typed(row)
}
