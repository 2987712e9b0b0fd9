import { secondsToRead } from '#lib/rules/risk.ts'
import type { Reading } from '#lib/schemas/approvals/reading.ts'
import type { DecideInput } from '#lib/schemas/approvals.ts'
import { findFirstTime } from '#server/audit/list-store.ts'
import type { Principal, Tenant } from '#server/kernel/auth/principal.ts'
import { databaseClock } from '#server/kernel/db/clock.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { refuse } from '#server/kernel/operation.ts'
import { settingsOf } from '#server/tenants/view.ts'
import type { ApprovalRow } from '../store.ts'

type Row = NonNullable<ApprovalRow>
type Caller = { tenant: Tenant; principal: Principal }

/** The action of the record that says since when a reviewer has had a request before them. */
export const openedAction = 'approval.opened'

/** How long the caller has had this request before them, by the log. Null where the tenant requires no time to read. */
export async function readingOf(
  tx: Transaction,
  { tenant, principal }: Caller,
  { id, presentation }: Pick<Row, 'id' | 'presentation'>,
): Promise<Reading | null> {
  const seconds = secondsToRead(settingsOf(tenant), presentation.risk)
  if (seconds === null) return null
  const opened = await findFirstTime(tx, tenant.id, {
    actorId: principal.memberId,
    action: openedAction,
    resourceId: id,
  })
  return readingSince(seconds, opened)
}

export const readingSince = (seconds: number, opened: Date | undefined): Reading => ({
  seconds,
  openedAt: opened?.toISOString() ?? null,
  approvableAt: opened === undefined ? null : new Date(opened.getTime() + seconds * 1000).toISOString(),
})

/** Refuses an approval of someone who cannot have read the request. */
export async function requireRead(
  tx: Transaction,
  caller: Caller,
  approval: Row,
  { decision }: DecideInput,
): Promise<void> {
  if (decision !== 'approve') return
  const reading = await readingOf(tx, caller, approval)
  if (reading === null) return
  const now = await databaseClock(tx)
  const left =
    reading.approvableAt === null ? reading.seconds * 1000 : Date.parse(reading.approvableAt) - now().getTime()
  if (left <= 0) return
  throw refuse(
    'not_read',
    reading.openedAt === null
      ? `Open this request (approvals.open) and read it for at least ${reading.seconds} seconds before you approve it.`
      : `You opened this request less than ${reading.seconds} seconds ago. You can approve it in ${Math.ceil(left / 1000)} s.`,
    { openedAt: reading.openedAt },
    { reading },
  )
}
