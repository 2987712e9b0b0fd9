import type { JsonValue } from '#lib/json.ts'
import type { Heads } from '#lib/verify/freshness.ts'
import { logKeysRoute } from '#server/audit/monitors/log-keys-route.ts'
import type { TestTenant } from './tenant.ts'

/** The tenant's log-keys.json, with proofs that it continues these heads of an archive. */
export async function publishedKeys({ externalId }: Pick<TestTenant, 'externalId'>, heads?: Heads): Promise<JsonValue> {
  const query = new URLSearchParams()
  if (heads?.seals !== undefined) query.set('seals', String(heads.seals.size))
  if (heads?.open !== undefined) {
    query.set('day', heads.open.origin.slice(-10))
    query.set('size', String(heads.open.size))
  }
  const url = `http://localhost/.well-known/countersign/${externalId}/log-keys.json?${query}`
  const response = await logKeysRoute(new Request(url), { params: Promise.resolve({ externalId }) })
  if (response.status !== 200) throw new Error(`log-keys.json was answered with ${response.status}.`)
  return await response.json()
}
