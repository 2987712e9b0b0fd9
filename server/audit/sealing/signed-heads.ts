import { mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { LogOwner } from '#server/audit/store.ts'
import { writeDurably } from '#server/kernel/db/embedded/durable-file.ts'
import { runtime } from '#server/kernel/runtime.ts'
import type { LogName } from './log-name.ts'

// The last signed head of each log, stored outside the database: after a backup is restored, the log must not be signed again
// from a point beyond which a signed checkpoint was already published. DATA_DIR/log-heads/<tenant id>/<log>.json, written under
// the lock of the log, before the signature leaves the process.

const Head = z.strictObject({ size: z.int().min(0), root: z.string().regex(/^[0-9a-f]{64}$/) })
export type SignedHead = { size: number; root: Buffer }

const folderOf = (tenantId: string) => join(runtime().config.dataDir, 'log-heads', tenantId)
const fileOf = (tenantId: string, log: LogName) => join(folderOf(tenantId), `${log}.json`)

/** Undefined when this node has never signed the log. Throws when the file was damaged: then nothing may be signed. */
export async function findSignedHead(owner: LogOwner, log: LogName): Promise<SignedHead | undefined> {
  const text = await readFile(fileOf(owner.id, log), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (text === undefined) return undefined
  const { size, root } = Head.parse(JSON.parse(text))
  return { size, root: Buffer.from(root, 'hex') }
}

/** Survives a power cut before it returns. */
export async function keepSignedHead(owner: LogOwner, log: LogName, { size, root }: SignedHead): Promise<void> {
  await mkdir(folderOf(owner.id), { recursive: true, mode: 0o700 })
  await writeDurably(fileOf(owner.id, log), `${JSON.stringify({ size, root: root.toString('hex') })}\n`)
}

/** For a day that the seal log covers, because the head of that log then covers the day. */
export const forgetSignedHead = (owner: LogOwner, log: LogName): Promise<void> =>
  rm(fileOf(owner.id, log), { force: true })
