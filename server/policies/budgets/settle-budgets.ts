import { decimal, micros } from '#lib/rules/cost.ts'
import type { BudgetUse } from '#lib/schemas/policies.ts'
import { BudgetUnit } from '#lib/schemas/policies.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { byOrder, lockOrder, windowAt } from './budget.ts'
import {
  databaseTime,
  findReservations,
  giveBack,
  insertReservation,
  type Reservation,
  setCharged,
  takeFromWindow,
} from './budget-store.ts'

/** How a call with reservations ended. Unknown usage is charged as reserved. */
export type CallEnd =
  | { made: 'no' }
  /** The call may have been made, or was retried: the full reservation is charged. */
  | { made: 'unknown' }
  /** Sent but not served: it is retried as the same call, and its reserved cost is released. */
  | { made: 'not served' }
  | { made: 'yes'; tokens?: number | undefined; cost?: { amount: string; currency: string } | undefined }

/**
 * Charges one attempt of a call, once, and returns the charges. Locks the windows, so it must run before the audit record is
 * appended in the same transaction.
 */
export async function settleBudgets(
  tx: Transaction,
  tenantId: string,
  { decisionId, attempt }: { decisionId: string | null; attempt: number },
  end: CallEnd,
): Promise<BudgetUse[]> {
  if (decisionId === null) return []
  const uses: BudgetUse[] = []
  for (const reservation of await reservationsOf(tx, tenantId, decisionId, attempt)) {
    const charged = chargeOf(reservation, end)
    const { windowId, reserved, policyId, rule } = reservation
    if (charged !== undefined && (await setCharged(tx, { tenantId, decisionId, windowId, attempt }, charged)))
      uses.push({
        policyId,
        rule,
        unit: BudgetUnit.parse(reservation.unit),
        reserved: decimal(reserved),
        charged: decimal(charged),
      })
  }
  return uses
}

/**
 * Reserves the cost of another attempt of the same call, which still counts as one call. False, with nothing reserved, when a
 * budget does not cover it.
 */
export async function reserveAgain(
  tx: Transaction,
  tenantId: string,
  { decisionId, attempt }: { decisionId: string | null; attempt: number },
): Promise<boolean> {
  if (decisionId === null) return true
  const before = (await reservationsOf(tx, tenantId, decisionId, attempt - 1)).filter(({ unit }) => unit !== 'calls')
  if (before.length === 0) return true
  const at = await databaseTime(tx)
  const taken: { windowId: string; reserved: bigint }[] = []
  for (const reservation of before) {
    const window = { ...reservation, ...windowAt(at, reservation.windowSeconds) }
    const got = await takeFromWindow(tx, tenantId, window, reservation.reserved)
    if (got === undefined) {
      for (const { windowId, reserved } of taken) await giveBack(tx, tenantId, windowId, reserved)
      return false
    }
    taken.push({ windowId: got.id, reserved: reservation.reserved })
  }
  for (const one of taken) await insertReservation(tx, { tenantId, decisionId, attempt, ...one })
  return true
}

/** The reservations of one attempt, in lock order. */
async function reservationsOf(
  tx: Transaction,
  tenantId: string,
  decisionId: string,
  attempt: number,
): Promise<Reservation[]> {
  const place = ({ budget, subject, startsAt }: Reservation) => lockOrder({ key: budget, subject, startsAt })
  return (await findReservations(tx, tenantId, decisionId))
    .filter((reservation) => reservation.attempt === attempt)
    .sort((a, b) => byOrder(place(a), place(b)))
}

/** In millionths; undefined: the amount stays reserved. */
function chargeOf({ unit, reserved }: Reservation, end: CallEnd): bigint | undefined {
  switch (end.made) {
    case 'no':
      return 0n
    case 'unknown':
      return reserved
    case 'not served':
      return unit === 'calls' ? undefined : 0n
    case 'yes':
      if (unit === 'tokens') return end.tokens === undefined ? reserved : micros(String(end.tokens))
      return end.cost?.currency === unit ? micros(end.cost.amount) : reserved
  }
}
