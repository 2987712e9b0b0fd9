import { createHash, createHmac } from 'node:crypto'
import type { DatabaseShape, TenantName } from '#server/kernel/db/copy/dump.ts'
import type { TarFile } from './tar.ts'

// A backup is a tar archive, compressed by gzip and, unless it was made with --unencrypted, encrypted by age:
//
//   description.json            when it was made, and what the database must look like
//   data/master.key             unless MASTER_KEY is set
//   data/demo-credentials.json  if there is a demo
//   data/files/ data/evidence/ data/tools/   folders of DATA_DIR
//   signer-memory/<tenant id>.json           what the signer remembers, read after the database's snapshot
//   database/<table>/<number>.ndjson         table, tenant and columns; then one row in each line
//   end.json                    the digest of everything before it

export type Description = {
  type: 'countersign-backup-v1'
  id: string
  createdAt: string
  database: DatabaseShape
  tenants: readonly TenantName[]
  /** Shows whether a master key is the one that the data is encrypted with, without showing the key. */
  masterKeyCheck: string
}

export const descriptionFile = 'description.json'
export const endFile = 'end.json'

/** Files and folders of DATA_DIR that a backup contains. PostgreSQL’s folder, scratch and the signer's memory are not copied. */
export const copiedFiles = ['master.key', 'demo-credentials.json'] as const
export const copiedFolders = ['files', 'evidence', 'tools'] as const

export const masterKeyCheck = (key: Buffer, backupId: string): string =>
  createHmac('sha256', key).update(`countersign backup ${backupId}`).digest('hex')

/** The digest over the names, sizes and contents of files in their order. */
export function contentsDigest() {
  const hash = createHash('sha256')
  return {
    begin: (name: string, size: number): void => void hash.update(`${name}\n${size}\n`),
    add: (bytes: Buffer): void => void hash.update(bytes),
    end: (): string => hash.copy().digest('hex'),
  }
}

/** Reads a small file of a backup whole. */
export async function textOf(file: TarFile): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of file.content) pieces.push(piece)
  return Buffer.concat(pieces).toString('utf8')
}
