import { type LogName, logOrigin, logPath } from '#server/audit/sealing/log-name.ts'
import type { LogOwner } from '#server/audit/store.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { currentSigningKey, type SigningKey, signingKeys } from '#server/kernel/keys/signing-keys.ts'
import {
  type Checkpoint,
  formatCheckpoint,
  NoteError,
  parseCheckpoint,
  parseNote,
  signNote,
  verifierKey,
  verifyNote,
} from './signed-note.ts'

/** A signed statement of the tenant's current log key about the first `size` leaves of a log (a C2SP signed note). */
export async function signCheckpoint(
  tx: Transaction,
  tenant: LogOwner,
  { log, size, root }: { log: LogName; size: number; root: Uint8Array },
): Promise<string> {
  const { privateKey, logName } = await currentSigningKey(tx, tenant.id, 'log')
  const origin = logOrigin(tenant.externalId, log, logName)
  return signNote(formatCheckpoint({ origin, size, root }), { name: origin, privateKey })
}

/** Returns the verifier key for notes that are signed from now on. */
export async function currentVerifierKey(tx: Transaction, tenant: LogOwner, log: LogName): Promise<string> {
  const { publicKey, logName } = await currentSigningKey(tx, tenant.id, 'log')
  return verifierKey(logOrigin(tenant.externalId, log, logName), publicKey)
}

/**
 * Returns the verifier keys of a log, the current key first. Retired keys verify their signatures, under the name that the log
 * had before a restore if there was one.
 */
export async function verifierKeys(tx: Transaction, tenant: LogOwner, log: LogName): Promise<string[]> {
  const keys = await signingKeys(tx, tenant.id, 'log')
  return keys.map(({ publicKey, logName }) => verifierKey(logOrigin(tenant.externalId, log, logName), publicKey))
}

export type ReadNote =
  | { ok: true; checkpoint: Checkpoint /** Of the key that signed it. */; verifierKey: string }
  | { ok: false; reason: string }

export type NoteReader = (log: LogName, note: string) => ReadNote

/** Reads notes of one tenant: a note counts when one of its log keys, retired ones too, signed it for that log. */
export async function noteReader(tx: Transaction, tenant: LogOwner): Promise<NoteReader> {
  const keys = await signingKeys(tx, tenant.id, 'log')
  return (log, note) => readNote(keys, logPath(tenant.externalId, log), note)
}

function readNote(keys: readonly SigningKey[], path: string, note: string): ReadNote {
  try {
    const checkpoint = parseCheckpoint(parseNote(note).text)
    // The service may have had another host name when it signed; tenant, log and the name since a restore must be these.
    const named = checkpoint.origin.endsWith(path)
      ? /^[^\s+/]+(?:\/(restored-[0-9a-f]{12}))?$/.exec(checkpoint.origin.slice(0, -path.length))
      : null
    if (named === null) return { ok: false, reason: 'It is a checkpoint of another log.' }
    const own = keys.filter(({ logName }) => logName === named[1])
    let reason = 'The tenant does not have a log key of that name.'
    for (const { publicKey } of own) {
      const vkey = verifierKey(checkpoint.origin, publicKey)
      const result = verifyNote(note, [vkey])
      if (result.ok) return { ok: true, checkpoint, verifierKey: vkey }
      reason = result.reason
    }
    return { ok: false, reason }
  } catch (error) {
    if (error instanceof NoteError) return { ok: false, reason: error.message }
    throw error
  }
}
