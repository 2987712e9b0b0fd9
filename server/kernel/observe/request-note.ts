import { AsyncLocalStorage } from 'node:async_hooks'

/** What is known about a request once it has been served, for its line in the log and for the operator's metrics. */
export type RequestNote = {
  requestId?: string
  tenantId?: string
  /** By its name in the catalog; several of a batch once each, in the order in which they began. */
  operations: string[]
}

const current = new AsyncLocalStorage<RequestNote>()

/** Runs `work` so that what it notes is in `note`. */
export const noting = <T>(note: RequestNote, work: () => T): T => current.run(note, work)

/** Notes who was admitted. Without a request, for example in a job, nothing happens. */
export function noteCaller(requestId: string, tenantId: string): void {
  const note = current.getStore()
  if (note !== undefined) Object.assign(note, { requestId, tenantId })
}

export function noteOperation(name: string): void {
  const operations = current.getStore()?.operations
  if (operations !== undefined && !operations.includes(name)) operations.push(name)
}
