import type { Delivery, MailKind } from '#lib/schemas/mail.ts'
import type { Tenant } from '#server/kernel/auth/principal.ts'
import type { Transaction } from '#server/kernel/db/database.ts'

export type DeliveryChange = { mailId: string; subjectId: string; delivery: Delivery; error: string | null }

/** What a change of a mail's delivery does to the thing that it tells of, in the same transaction. */
export type OnDelivery = (tx: Transaction, tenant: Tenant, change: DeliveryChange) => Promise<void>

// Filled once by server/jobs.ts: mail knows none of its subjects.
const subjects = new Map<MailKind, OnDelivery>()

export function onDelivery(kind: MailKind, act: OnDelivery): void {
  subjects.set(kind, act)
}

/** A kind that nobody registered needs no telling: its mails are read where they stand. */
export async function tellDelivery(
  kind: MailKind,
  tx: Transaction,
  tenant: Tenant,
  change: DeliveryChange,
): Promise<void> {
  await subjects.get(kind)?.(tx, tenant, change)
}
