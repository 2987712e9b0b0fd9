import { present } from '#server/kernel/content/committed.ts'
import { contentContext } from '#server/kernel/content/tables.ts'
import type { TenantCipher } from '#server/kernel/keys/tenant-keys.ts'

export const nameContext = (id: string): string => contentContext('files', [id], 'name')

/** The uploader's name for the file; empty if an erasure or the tenant's retention removed it. */
export function fileName(cipher: TenantCipher, { id, name }: { id: string; name: Buffer | null }): string {
  const stored = present(name)
  return stored === null ? '' : String(cipher.decryptJson(stored, nameContext(id)))
}
