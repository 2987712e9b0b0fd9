import type { Transaction } from '#server/kernel/db/database.ts'
import { tenantCipher } from '#server/kernel/keys/tenant-keys.ts'

/** A day of the log as it was closed. */
export type ClosedDay = { tenantId: string; date: string; size: number; root: Buffer; sealedAt: Date }

const purpose = 'audit.day'
const bytesOf = ({ tenantId, date, size, root, sealedAt }: ClosedDay): string =>
  `${tenantId}\n${date}\n${size}\n${root.toString('hex')}\n${sealedAt.toISOString()}`

/** The mac that the row of a closed day carries. */
export const closedDayMac = async (tx: Transaction, day: ClosedDay): Promise<Buffer> =>
  (await tenantCipher(tx, day.tenantId)).mac(purpose, bytesOf(day))

export const isClosedByUs = async (tx: Transaction, day: ClosedDay, mac: Buffer | null): Promise<boolean> =>
  (await tenantCipher(tx, day.tenantId)).checkMac(purpose, bytesOf(day), mac)
