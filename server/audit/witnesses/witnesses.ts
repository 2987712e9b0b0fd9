import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { whyPortBlocked } from '#lib/text/blocked-port.ts'
import { parseCosignerKey } from '#server/audit/notes/cosignature.ts'
import { NoteError } from '#server/audit/notes/signed-note.ts'
import { listLogOwners } from '#server/audit/store.ts'
import { type Config, ConfigError, isSafeToFetch } from '#server/kernel/config.ts'
import { repeat } from '#server/kernel/jobs/repeat.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { askWitness, type Witness } from './ask-witness.ts'

const File = z.strictObject({ witnesses: z.array(z.strictObject({ url: z.url(), vkey: z.string() })).max(20) })
const roundMs = 15_000

/** Loads the operator's witnesses, none without LOG_WITNESSES. Throws ConfigError for an invalid file. */
export async function loadWitnesses({ logWitnessesFile: path }: Config): Promise<Witness[]> {
  if (path === undefined) return []
  try {
    const { witnesses } = File.parse(JSON.parse(await readFile(path, 'utf8')))
    return witnesses.map(({ url, vkey }) => {
      if (!isSafeToFetch(url)) throw new NoteError(`${url} must use https.`)
      const closed = whyPortBlocked(url)
      if (closed !== undefined) throw new NoteError(`${url}: ${closed}`)
      return { url: url.replace(/\/+$/, ''), key: parseCosignerKey(vkey) }
    })
  } catch (cause) {
    const why = cause instanceof z.ZodError ? z.prettifyError(cause) : cause instanceof Error ? cause.message : ''
    throw new ConfigError(`LOG_WITNESSES: ${path} can't be used: ${why}`, { cause })
  }
}

/** Requests cosignatures for each tenant's last checkpoint of closed days periodically. */
export function startWitnessing(witnesses: readonly Witness[]): { close(): Promise<void> } {
  if (witnesses.length === 0) return { close: async () => undefined }
  const { database, log } = runtime()
  let closed = false
  const ask = async () => {
    for (const tenant of await database.inDirectory(listLogOwners))
      for (const witness of witnesses)
        if (!closed)
          await askWitness(tenant, witness).catch((error: unknown) =>
            log.warn(
              { err: error, witness: witness.key.name },
              'a witness did not cosign; the request will be repeated',
            ),
          )
  }
  const rounds = repeat(ask, roundMs, (error) => log.warn({ err: error }, 'the witnesses could not be queried'), {
    later: true,
  })
  return {
    async close() {
      closed = true
      await rounds.close()
    },
  }
}
