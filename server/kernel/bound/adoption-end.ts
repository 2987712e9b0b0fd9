import type { TenantCipher } from '#server/kernel/keys/tenant-keys.ts'

/** The end of a tenant's adoption: its record in the log, and its time. */
export type AdoptionEnd = { auditId: string; endedAt: Date }

const purpose = 'bound.adoption'
const keyed = ({ auditId, endedAt }: AdoptionEnd): string => JSON.stringify([auditId, endedAt.toISOString()])

export const adoptionMac = (cipher: TenantCipher, end: AdoptionEnd): Buffer => cipher.mac(purpose, keyed(end))

/** Whether this installation wrote the row. */
export const rightEnd = (cipher: TenantCipher, row: AdoptionEnd & { mac: Buffer }): boolean =>
  cipher.checkMac(purpose, keyed(row), row.mac)
