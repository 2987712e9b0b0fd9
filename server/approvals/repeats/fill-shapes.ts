import { runtime } from '#server/kernel/runtime.ts'
import { fillShapes } from './history-store.ts'

/** Requests per transaction. */
const lot = 100

/** Gives the requests of a tenant the digests by which a history finds them, unless they have them already. */
export async function fillShapesOf(
  tenantId: string,
  stop: { readonly stopped: boolean } = { stopped: false },
): Promise<void> {
  let after: string | undefined
  do {
    if (stop.stopped) return
    const from: string | undefined = after
    after = await runtime().database.inTenant(tenantId, (tx) => fillShapes(tx, tenantId, from, lot))
  } while (after !== undefined)
}
