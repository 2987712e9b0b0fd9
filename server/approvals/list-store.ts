import { type RawBuilder, sql } from 'kysely'
import type { ApprovalKind, ApprovalStatus } from '#lib/schemas/approvals.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { fixedStatement } from '#server/kernel/db/statements/fixed-statement.ts'
import { listOf } from '#server/kernel/db/statements/steady-plan.ts'
import { tenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import { readSeats } from '#server/tenants/provider/seat-store.ts'
import { columns, computedColumns, typed } from './store.ts'

const isStrict = sql<boolean>`kind = 'standing_grant'`

/** A member who may decide, and the seats of others that they can use, each with those who count as the same person. */
export type Decider = { memberId: string; standsInFor: readonly string[]; counterparts: readonly SeatCounterpart[] }
type SeatCounterpart = { seat: string; memberId: string; until: Date | undefined }

export type ApprovalFilter = {
  status?: ApprovalStatus
  /** True: only requests that are no longer pending. */
  decided?: boolean
  /** Only requests that this member can decide now, in their own right or as the delegate of others. */
  decidableBy?: Decider
  /** Only requests of which this member is the requester, or counts as the requester. */
  requestedBy?: string
  expiringWithinSeconds?: number
}

/** By their ids. */
export async function findApprovalsById(tx: Transaction, tenantId: string, ids: readonly string[]) {
  const rows = await tx
    .selectFrom('approvals')
    .select(columns)
    .select(computedColumns)
    .where('tenantId', '=', tenantId)
    .where('id', 'in', [...ids])
    .execute()
  const cipher = await tenantCipher(tx, tenantId)
  return new Map(rows.map((row) => [row.id, typed(cipher, row)]))
}

/** The newest request of a kind about each of these subjects, by the subject. */
export async function findNewestOfSubjects(
  tx: Transaction,
  tenantId: string,
  kind: ApprovalKind,
  subjectIds: readonly string[],
) {
  const rows = await newestOfSubjects(tx, { tenantId, kind, subjectIds })
  const cipher = await tenantCipher(tx, tenantId)
  return new Map(rows.map((row) => [row.subjectId, typed(cipher, row)]))
}

const newestOfSubjects = fixedStatement(
  { tenantId: '', kind: '', subjectIds: [''] },
  (tx, { tenantId, kind, subjectIds }) =>
    tx
      .selectFrom('approvals')
      .distinctOn('subjectId')
      .select(columns)
      .select(computedColumns)
      .where('tenantId', '=', tenantId)
      .where(sql<boolean>`subject_id = any(${listOf(subjectIds, 'uuid')})`)
      .where('kind', '=', kind)
      .orderBy('subjectId')
      .orderBy('id', 'desc'),
)

/** One page, newest first. */
export async function listApprovals(
  tx: Transaction,
  tenantId: string,
  filter: ApprovalFilter,
  limit: number,
  cursor: string | undefined,
) {
  const { status, decided = false, ...narrower } = filter
  const rows = Object.values(narrower).every((one) => one === undefined)
    ? await widePage(
        status !== undefined,
        decided,
        cursor !== undefined,
      )(tx, {
        tenantId,
        status: status ?? '',
        cursor: cursor ?? '',
        limit: String(limit),
      })
    : await page(tx, tenantId, filter, sql<number>`${limit}`, cursor).execute()
  const cipher = await tenantCipher(tx, tenantId)
  return rows.map((row) => typed(cipher, row))
}

const page = (
  tx: Transaction,
  tenantId: string,
  filter: ApprovalFilter,
  limit: RawBuilder<number>,
  cursor: string | undefined,
) =>
  filtered(tx, tenantId, filter)
    .$if(cursor !== undefined, (query) => query.where('id', '<', cursor ?? ''))
    .orderBy('id', 'desc')
    .limit(limit)

const widePages = new Map<string, ReturnType<typeof fixedPage>>()

/** The statement of a page that is filtered at most by status. */
function widePage(...parts: Parameters<typeof fixedPage>): ReturnType<typeof fixedPage> {
  const known = widePages.get(parts.join()) ?? fixedPage(...parts)
  widePages.set(parts.join(), known)
  return known
}

const fixedPage = (hasStatus: boolean, decided: boolean, hasCursor: boolean) =>
  fixedStatement({ tenantId: '', status: '', cursor: '', limit: '' }, (tx, { tenantId, status, cursor, limit }) =>
    page(
      tx,
      tenantId,
      { decided, ...(hasStatus ? { status: status as ApprovalStatus } : {}) },
      sql<number>`${limit}::integer`,
      hasCursor ? cursor : undefined,
    ),
  )

/** Pending ones, the soonest to expire first. */
export async function listSoonest(tx: Transaction, tenantId: string, filter: ApprovalFilter, limit: number) {
  const rows = await filtered(tx, tenantId, { ...filter, status: 'pending' })
    .orderBy('expiresAt')
    .orderBy('id')
    .limit(limit)
    .execute()
  const cipher = await tenantCipher(tx, tenantId)
  return rows.map((row) => typed(cipher, row))
}

/** How many are pending; no more than `most` are counted. */
export async function countPending(
  tx: Transaction,
  tenantId: string,
  filter: ApprovalFilter,
  most: number,
): Promise<number> {
  const counted = filtered(tx, tenantId, { ...filter, status: 'pending' })
    .clearSelect()
    .select('id')
    .limit(most)
  const row = await tx
    .selectFrom(counted.as('counted'))
    .select((e) => e.fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(row.count)
}

function filtered(tx: Transaction, tenantId: string, filter: ApprovalFilter) {
  let query = tx.selectFrom('approvals').select(columns).select(computedColumns).where('tenantId', '=', tenantId)
  if (filter.status !== undefined) query = query.where('status', '=', filter.status)
  if (filter.decided === true) query = query.where('status', '<>', 'pending')
  if (filter.requestedBy !== undefined)
    query = query.where(sql<boolean>`identities @> ${behind(filter.requestedBy)}::jsonb`)
  if (filter.expiringWithinSeconds !== undefined)
    query = query.where(
      // Those whose clock is stopped don't expire.
      sql<boolean>`expires_at < clock_timestamp() + make_interval(secs => ${filter.expiringWithinSeconds})
        and parked_at is null and not exists (
          select from approval_terms t
          where t.tenant_id = approvals.tenant_id and t.approval_id = approvals.id and t.paused_at is not null)`,
    )
  if (filter.decidableBy !== undefined) {
    const { memberId, standsInFor, counterparts } = filter.decidableBy
    const seats = [memberId, ...standsInFor]
    const countsAsRequester = (seat: string) => {
      const same = counterparts.filter((one) => one.seat === seat)
      return sql<boolean>`(identities @> ${behind(seat)}::jsonb or exists (
        select 1 from jsonb_array_elements(identities) identity
        join unnest(${same.map((one) => one.memberId)}::text[], ${same.map((one) => one.until ?? null)}::timestamptz[])
          as counterpart (id, until) on counterpart.id = identity ->> 'personId'
        where counterpart.until is null or approvals.requested_at < counterpart.until))`
    }
    query = query.where(sql<boolean>`not ${countsAsRequester(memberId)}`).where((e) =>
      e.or(
        seats.map((seat) =>
          e.and([
            sql<boolean>`not ${countsAsRequester(seat)}`,
            ...(seat === memberId ? [] : [sql<boolean>`not ${isStrict}`]),
            e.exists(
              e
                .selectFrom(readSeats(tx, tenantId).as('link'))
                .select('link.memberId')
                .whereRef('link.groupId', '=', 'approvals.groupId')
                .where('link.memberId', '=', seat),
            ),
            e.not(
              e.exists(
                e
                  .selectFrom('approvalVotes as vote')
                  .select('vote.id')
                  .whereRef('vote.tenantId', '=', 'approvals.tenantId')
                  .whereRef('vote.approvalId', '=', 'approvals.id')
                  .where(counts)
                  .where((vote) =>
                    vote.or([vote('vote.memberId', 'in', [memberId, seat]), vote('vote.onBehalfOf', '=', seat)]),
                  ),
              ),
            ),
          ]),
        ),
      ),
    )
  }
  return query
}

/** A vote of the current stage, or one that ended an earlier stage: one person counts in one. */
const counts = sql<boolean>`(vote.escalation_level = approvals.escalation_level or exists (
  select from approval_terms t, jsonb_array_elements(t.stage_votes) ended
  where t.tenant_id = vote.tenant_id and t.approval_id = vote.approval_id and ended @> to_jsonb(vote.id::text)))`

/** For `identities @>`: the person counts as the requester. */
const behind = (personId: string): string => JSON.stringify([{ personId }])
