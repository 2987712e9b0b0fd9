import type { MailKind } from '#lib/schemas/mail.ts'
import type { Tenant } from '#server/kernel/auth/principal.ts'
import type { Transaction } from '#server/kernel/db/database.ts'

/** Whether a mail that was tried before still has a purpose: its link works, or its request waits. */
export type StillWanted = (
  tx: Transaction,
  tenant: Tenant,
  mail: { mailId: string; subjectId: string },
) => Promise<boolean>

// Filled once by server/jobs.ts, because mail does not depend on its subjects.
const subjects = new Map<MailKind, StillWanted>()

export function onAnotherAttempt(kind: MailKind, isWanted: StillWanted): void {
  subjects.set(kind, isWanted)
}

/** A kind without a registered function, such as a notice, is wanted whenever it arrives. */
export const isStillWanted = async (kind: MailKind, ...of: Parameters<StillWanted>): Promise<boolean> =>
  (await subjects.get(kind)?.(...of)) ?? true
