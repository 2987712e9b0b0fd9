import { ApiError } from '#lib/errors.ts'
import { appendAudit, systemActor } from '#server/kernel/audit/append.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { findExternalId } from './adoption-store.ts'

/** An object of the tenant whose stored rows are not those that the log commits to. */
export type Tampered = { tenantId: string; type: string; id: string; reason: string }

/**
 * A row is not the one that the audit log commits to. 500 and not 409: the caller did nothing wrong and can't resolve it, and
 * the same request fails again until the operator has restored the row.
 */
export class IntegrityFailed extends ApiError {
  readonly tampered: Tampered

  constructor(tampered: Tampered) {
    const { type, id, reason } = tampered
    super('integrity_failed', `The stored ${type} ${id} is not the one in the audit log. ${reason}`, {
      details: { type, id },
    })
    this.tampered = tampered
  }
}

type Listener = (tampered: Tampered) => Promise<void>

// Owned by this module: filled when the process starts, and the objects that it has reported.
const listeners: Listener[] = []
const reported = new Set<string>()
const mostReported = 1000

/** `listener` runs once per process and object, after the transaction that found the difference was rolled back. */
export function onIntegrityFailed(listener: Listener): void {
  listeners.push(listener)
}

/** Reports an object in the process log and in the audit log, once per process. Never throws. */
export async function reportTampered(tampered: Tampered): Promise<void> {
  const { tenantId, type, id, reason } = tampered
  const key = `${tenantId} ${type} ${id}`
  if (reported.has(key) || reported.size >= mostReported) return
  reported.add(key)
  const { database, log } = runtime()
  log.error(tampered, 'A STORED ROW IS NOT THE ONE IN THE AUDIT LOG')
  try {
    await database.inTenant(tenantId, async (tx) => {
      await appendAudit(
        tx,
        { id: tenantId, externalId: await findExternalId(tx, tenantId) },
        {
          actor: systemActor,
          action: 'state.integrity_failed',
          resource: { type, id },
          reason,
        },
      )
    })
    for (const listener of listeners) await listener(tampered)
  } catch (error) {
    reported.delete(key)
    log.error({ err: error, ...tampered }, 'a row that was changed outside the server could not be reported')
  }
}
