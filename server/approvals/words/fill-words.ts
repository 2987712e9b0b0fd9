import { runtime } from '#server/kernel/runtime.ts'
import { fillWords } from './words-store.ts'

/** Requests per transaction. */
const lot = 100

/** Makes all requests of a tenant findable by their words. */
export async function fillWordsOf(
  tenantId: string,
  stop: { readonly stopped: boolean } = { stopped: false },
): Promise<void> {
  let more = true
  while (more && !stop.stopped) more = await runtime().database.inTenant(tenantId, (tx) => fillWords(tx, tenantId, lot))
}
