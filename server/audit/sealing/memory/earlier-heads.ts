import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { runtime } from '#server/kernel/runtime.ts'
import type { LogName } from '../log-name.ts'
import { MemoryRefused } from '../log-refused.ts'
import type { SignedHead } from './signer-memory.ts'

// What versions before decision 0035 wrote instead of the signer's memory: DATA_DIR/log-heads/<tenant id>/<log>.json.

const Head = z.strictObject({ size: z.int().min(0), root: z.string().regex(/^[0-9a-f]{64}$/) })
const folderOf = (tenantId: string) => join(runtime().config.dataDir, 'log-heads', tenantId)

/** The heads that an earlier version signed, by log. Throws MemoryRefused for a damaged file: nothing may be signed then. */
export async function readEarlierHeads(tenantId: string): Promise<Map<LogName, SignedHead>> {
  const folder = folderOf(tenantId)
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  const heads = new Map<LogName, SignedHead>()
  for (const name of names) {
    if (!name.endsWith('.json')) continue
    const path = join(folder, name)
    const read = Head.safeParse(jsonOf(await readFile(path, 'utf8')))
    if (!read.success) throw new MemoryRefused(`${path} was damaged: it should contain a signed head.`)
    heads.set(name.slice(0, -'.json'.length), read.data)
  }
  return heads
}

/** Call it when the signer's memory contains the heads. */
export const forgetEarlierHeads = (tenantId: string): Promise<void> =>
  rm(folderOf(tenantId), { recursive: true, force: true })

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
