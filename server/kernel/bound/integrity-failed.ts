import { ApiError } from '#lib/errors.ts'
import { appendAudit, systemActor } from '#server/kernel/audit/append.ts'
import { runtime } from '#server/kernel/runtime.ts'
import type { Adoption } from './adopted.ts'
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

/**
 * The error about a row that is not the one that the log commits to. While this process can't tell whether the row is from
 * before this version or was changed, neither is stated, and no alarm is raised: the caller repeats the request.
 */
export const differenceIn = (adoption: Adoption, tampered: Tampered): ApiError =>
  adoption === 'ended'
    ? new IntegrityFailed(tampered)
    : new ApiError(
        'unavailable',
        `The stored ${tampered.type} can’t be checked until a worker has started. Try again in a minute.`,
      )

type Listener = (tampered: Tampered) => Promise<void>

// Owned by this module: filled when the process starts, and when each object was reported last (monotonic milliseconds).
const listeners: Listener[] = []
const reported = new Map<string, number>()
const mostKept = 1000
/** An object that was restored and changed again is reported again: the first alarm may be closed by then. */
const againAfterMs = 60_000

/**
 * `listener` runs at most once a minute per process and object, after the transaction that found the difference was rolled
 * back.
 */
export function onIntegrityFailed(listener: Listener): void {
  listeners.push(listener)
}

/**
 * Reports an object in the process log and to the listeners, and the first time in the audit log, too. A log to which nothing
 * can be appended does not stop the rest. Never throws.
 */
export async function reportTampered(tampered: Tampered): Promise<void> {
  const key = `${tampered.tenantId} ${tampered.type} ${tampered.id}`
  const last = reported.get(key)
  if (last !== undefined && performance.now() - last < againAfterMs) return
  // The newest is the last one.
  reported.delete(key)
  reported.set(key, performance.now())
  const [oldest] = reported.keys()
  if (reported.size > mostKept && oldest !== undefined) reported.delete(oldest)
  const { log } = runtime()
  log.error(tampered, 'A STORED ROW IS NOT THE ONE IN THE AUDIT LOG')
  const failed = (error: unknown) => {
    reported.delete(key)
    log.error({ err: error, ...tampered }, 'a row that was changed outside the server could not be reported')
  }
  if (last === undefined) await record(tampered).catch(failed)
  for (const listener of listeners) await listener(tampered).catch(failed)
}

const record = ({ tenantId, type, id, reason }: Tampered): Promise<void> =>
  runtime().database.inTenant(tenantId, async (tx) => {
    await appendAudit(
      tx,
      { id: tenantId, externalId: await findExternalId(tx, tenantId) },
      { actor: systemActor, action: 'state.integrity_failed', resource: { type, id }, reason },
    )
  })
