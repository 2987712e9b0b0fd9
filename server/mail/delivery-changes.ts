import type { Delivery, MailKind } from '#lib/schemas/mail.ts'
import type { Tenant } from '#server/kernel/auth/principal.ts'
import type { Transaction } from '#server/kernel/db/database.ts'

export type DeliveryChange = { mailId: string; subjectId: string; delivery: Delivery; error: string | null }

/** Applies a change of a mail's delivery to the subject of the mail, in the same transaction. */
export type OnDelivery = (tx: Transaction, tenant: Tenant, change: DeliveryChange) => Promise<void>

// Filled once by server/jobs.ts, because mail does not depend on its subjects.
const subjects = new Map<MailKind, OnDelivery>()

export function onDelivery(kind: MailKind, act: OnDelivery): void {
  subjects.set(kind, act)
}

/** A kind without a registered function needs no notification: its delivery state is read from the mail itself. */
export async function tellDelivery(
  kind: MailKind,
  tx: Transaction,
  tenant: Tenant,
  change: DeliveryChange,
): Promise<void> {
  await subjects.get(kind)?.(tx, tenant, change)
}
