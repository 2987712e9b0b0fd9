import { sql } from 'kysely'
import type { Transaction } from '#server/kernel/db/database.ts'
import { newId } from '#server/kernel/ids.ts'

// Amounts are in millionths of a call, a token or a currency unit.

/** The clock that all processes share: a process whose own clock is ahead must not start the next window early. */
export async function databaseTime(tx: Transaction): Promise<Date> {
  const { rows } = await sql<{ at: Date }>`select clock_timestamp() as at`.execute(tx)
  const [row] = rows
  if (row === undefined) throw new Error('The database returned no time.')
  return row.at
}

export type BudgetWindow = {
  budget: string
  subject: string
  startsAt: Date
  endsAt: Date | undefined
  policyId: string
  rule: string
  scope: string
  unit: string
  windowSeconds: number | undefined
  environment: string | undefined
  agentId: string | undefined
  executionId: string | undefined
  quota: bigint
}

/**
 * Takes an amount from a window; undefined when the remainder is smaller. Compare-and-set on the window's row: concurrent
 * transactions wait for this one and see what remains. The returned `used` includes the amount.
 */
export async function takeFromWindow(
  tx: Transaction,
  tenantId: string,
  window: BudgetWindow,
  amount: bigint,
): Promise<{ id: string; used: bigint } | undefined> {
  if (amount > window.quota) return undefined
  const { rows } = await sql<{ id: string; used: string }>`
    insert into policy_budget_windows as held (tenant_id, id, budget, subject, starts_at, ends_at, policy_id, rule, scope,
      unit, window_seconds, environment, agent_id, execution_id, quota, used)
    values (${tenantId}, ${newId()}, ${window.budget}, ${window.subject}, ${window.startsAt}, ${window.endsAt ?? null},
      ${window.policyId}, ${window.rule}, ${window.scope}, ${window.unit}, ${window.windowSeconds ?? null},
      ${window.environment ?? null}, ${window.agentId ?? null}, ${window.executionId ?? null}, ${String(window.quota)},
      ${String(amount)})
    on conflict (tenant_id, budget, subject, starts_at) do update
      set used = held.used + excluded.used, quota = excluded.quota
      where held.used + excluded.used <= excluded.quota
    returning held.id, held.used::text as used`.execute(tx)
  const [row] = rows
  return row === undefined ? undefined : { id: row.id, used: BigInt(row.used) }
}

/** The used amount of a window; 0 when nothing has been reserved in it yet. */
export async function usedOfWindow(
  tx: Transaction,
  tenantId: string,
  { budget, subject, startsAt }: Pick<BudgetWindow, 'budget' | 'subject' | 'startsAt'>,
): Promise<bigint> {
  const row = await tx
    .selectFrom('policyBudgetWindows')
    .select(sql<string>`used::text`.as('used'))
    .where('tenantId', '=', tenantId)
    .where('budget', '=', budget)
    .where('subject', '=', subject)
    .where('startsAt', '=', startsAt)
    .executeTakeFirst()
  return BigInt(row?.used ?? 0)
}

/** Returns an amount taken in this transaction. */
export async function giveBack(tx: Transaction, tenantId: string, windowId: string, amount: bigint): Promise<void> {
  await sql`update policy_budget_windows set used = used - ${String(amount)}::bigint
    where tenant_id = ${tenantId} and id = ${windowId}`.execute(tx)
}

export async function insertReservation(
  tx: Transaction,
  row: { tenantId: string; decisionId: string; windowId: string; attempt: number; reserved: bigint },
): Promise<void> {
  await tx
    .insertInto('policyBudgetReservations')
    .values({ ...row, reserved: sql<number>`${String(row.reserved)}::bigint` })
    .execute()
}

export type Reservation = BudgetWindow & {
  windowId: string
  attempt: number
  reserved: bigint
  charged: bigint | undefined
}

/** The reservations of a decision, with their windows. */
export async function findReservations(tx: Transaction, tenantId: string, decisionId: string): Promise<Reservation[]> {
  const rows = await tx
    .selectFrom('policyBudgetReservations as reservation')
    .innerJoin('policyBudgetWindows as window', (join) =>
      join.on('window.tenantId', '=', tenantId).onRef('window.id', '=', 'reservation.windowId'),
    )
    .select(['reservation.windowId', 'reservation.attempt', 'window.budget', 'window.subject', 'window.startsAt'])
    .select(['window.endsAt', 'window.policyId', 'window.rule', 'window.scope', 'window.unit', 'window.windowSeconds'])
    .select(['window.environment', 'window.agentId', 'window.executionId'])
    .select([
      sql<string>`reservation.reserved::text`.as('reserved'),
      sql<string | null>`reservation.charged::text`.as('charged'),
      sql<string>`"window".quota::text`.as('quota'),
    ])
    .where('reservation.tenantId', '=', tenantId)
    .where('reservation.decisionId', '=', decisionId)
    .execute()
  return rows.map((row) => ({
    ...row,
    endsAt: row.endsAt ?? undefined,
    windowSeconds: row.windowSeconds ?? undefined,
    environment: row.environment ?? undefined,
    agentId: row.agentId ?? undefined,
    executionId: row.executionId ?? undefined,
    quota: BigInt(row.quota),
    reserved: BigInt(row.reserved),
    charged: row.charged === null ? undefined : BigInt(row.charged),
  }))
}

/** reserved → charged, once; returns the difference to the window. False when it was already settled. */
export async function setCharged(
  tx: Transaction,
  key: { tenantId: string; decisionId: string; windowId: string; attempt: number },
  charged: bigint,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    with settled as (
      update policy_budget_reservations set charged = ${String(charged)}::bigint, settled_at = clock_timestamp()
      where tenant_id = ${key.tenantId} and decision_id = ${key.decisionId} and window_id = ${key.windowId}
        and attempt = ${key.attempt} and charged is null
      returning reserved)
    update policy_budget_windows set used = used + ${String(charged)}::bigint - settled.reserved from settled
    where tenant_id = ${key.tenantId} and id = ${key.windowId}`.execute(tx)
  return numAffectedRows === 1n
}

/** A page of the windows of a policy's budgets that have not ended at `at`, newest first. */
export const listWindows = (
  tx: Transaction,
  tenantId: string,
  filter: { policyId: string; at: Date },
  limit: number,
  cursor: string | undefined,
) =>
  tx
    .selectFrom('policyBudgetWindows as window')
    .leftJoin('agents as agent', (join) =>
      join.on('agent.tenantId', '=', tenantId).onRef('agent.id', '=', 'window.agentId'),
    )
    .select(['window.id', 'window.rule', 'window.scope', 'window.unit', 'window.windowSeconds', 'window.environment'])
    .select(['window.agentId', 'agent.name as agentName', 'window.executionId', 'window.startsAt', 'window.endsAt'])
    .select([
      sql<string>`"window".quota::text`.as('quota'),
      sql<string>`"window".used::text`.as('used'),
      sql<string>`coalesce((select sum(open.reserved) from policy_budget_reservations as open
        where open.tenant_id = ${tenantId} and open.window_id = "window".id and open.charged is null), 0)::bigint::text`.as(
        'open',
      ),
    ])
    .where('window.tenantId', '=', tenantId)
    .where('window.policyId', '=', filter.policyId)
    .where((e) => e.or([e('window.endsAt', 'is', null), e('window.endsAt', '>', filter.at)]))
    .$if(cursor !== undefined, (q) => q.where('window.id', '<', cursor ?? ''))
    .orderBy('window.id', 'desc')
    .limit(limit)
    .execute()

/** Deletes at most `limit` windows that ended before `before`, with their reservations. */
export async function deleteWindows(tx: Transaction, tenantId: string, before: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from policy_budget_windows where tenant_id = ${tenantId} and id in (
      select id from policy_budget_windows where tenant_id = ${tenantId} and ends_at < ${before} limit ${limit})`.execute(
    tx,
  )
  return Number(numAffectedRows ?? 0n)
}
