import { createHash } from 'node:crypto'
import { requireAllBound, requireBound } from '#server/kernel/bound/check.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { Lru } from '#server/policies/engine/lru.ts'
import type { PolicyText } from '#server/policies/engine/terms.ts'
import { type BoundPolicy, findBindingRevision, findVersionTexts, listBoundPolicies } from './bound-policy-store.ts'
import type { DecidingPolicy, DecidingSet } from './deciding-set.ts'
import { manifestPolicy } from './manifest-rules.ts'
import type { GovernedRequest } from './request.ts'

/** The bound policies, without the manifest's own rules. */
export type Bound = {
  enforced: readonly DecidingPolicy[]
  /** The policies that would be enforced with the shadow versions included; undefined without shadow versions. */
  shadow: readonly DecidingPolicy[] | undefined
}
export type Kept = Bound & { revision: string | undefined; keys: { enforced: string; shadow: string } }

// Cache of names, versions and digests; the engine has the sources. Weighted by the number of policies.
const kept = new Lru<Kept>(100_000)

type Agent = { id: string; version: string }
const placeOf = (tenantId: string, agent: Agent, environment: string): string =>
  [tenantId, agent.id, agent.version, environment].join('\n')

/** The cached policies of an agent; a decision by them is valid only while `revision` is the tenant's current one. */
export const lastBoundTo = (tenantId: string, agent: Agent, environment: string): Kept | undefined =>
  kept.get(placeOf(tenantId, agent, environment))

/**
 * The policies bound to an agent in an environment, reloaded when the tenant's bindings have changed. `read`: their revision, if this
 * transaction has read it before.
 */
export async function boundTo(
  tx: Transaction,
  tenantId: string,
  agent: Agent,
  environment: string,
  read?: { revision: string | undefined },
): Promise<Kept> {
  const place = placeOf(tenantId, agent, environment)
  // The revision comes first: bindings that change between the two reads are then reloaded, never missed.
  const { revision } = read ?? { revision: await findBindingRevision(tx, tenantId) }
  const known = kept.get(place)
  if (known !== undefined && known.revision === revision) return known
  const rows = await listBoundPolicies(tx, tenantId, agent, environment)
  await requireAsLogged(tx, tenantId, revision, rows)
  const enforced = rows.filter(({ mode }) => mode === 'enforce').map(bare)
  const shadows = rows.filter(({ mode }) => mode === 'shadow')
  const replaced = new Set(shadows.map(({ policyId }) => policyId))
  const shadow = [...enforced.filter(({ policyId }) => !replaced.has(policyId)), ...shadows.map(bare)]
  const made: Kept = {
    revision,
    enforced,
    shadow: shadows.length === 0 ? undefined : shadow,
    keys: { enforced: keyOf(enforced), shadow: keyOf(shadow) },
  }
  kept.set(place, made, rows.length + 1)
  return made
}

// The revision of the bindings of which this process knows, by tenant, that all of them are those in the log.
const logged = new Lru<string>(10_000)

/** Refuses to decide by bindings or versions that anyone but this server has written, or without one that was deleted. */
async function requireAsLogged(
  tx: Transaction,
  tenantId: string,
  revision: string | undefined,
  rows: readonly BoundPolicy[],
): Promise<void> {
  if (revision === undefined || logged.get(tenantId) !== revision) await requireAllBound(tx, tenantId, 'policy_binding')
  if (revision !== undefined) logged.set(tenantId, revision, 1)
  await requireBound(tx, tenantId, 'policy_version', [
    ...new Set(rows.map(({ policyId, version }) => `${policyId}/${version}`)),
  ])
}

const bare = ({ policyId, name, version, digest }: BoundPolicy): DecidingPolicy => ({ policyId, name, version, digest })

/** A digest of the sources in their order. */
const keyOf = (policies: readonly DecidingPolicy[]): string =>
  createHash('sha256')
    .update(policies.map(({ digest }) => digest).join('\n'))
    .digest('base64url')

/** A set that ends with the manifest's own rules. */
export function decidingSet(
  tx: Transaction,
  tenantId: string,
  request: GovernedRequest,
  policies: readonly DecidingPolicy[],
  key: string = keyOf(policies),
): DecidingSet {
  const manifest = 'tool' in request ? manifestPolicy(request.agent) : undefined
  return {
    tenantId,
    key: manifest === undefined ? key : `${key} ${manifest.digest}`,
    policies: manifest === undefined ? policies : [...policies, manifest],
    async readTexts(): Promise<PolicyText[]> {
      const rows = policies.length === 0 ? [] : await findVersionTexts(tx, tenantId, policies)
      const sources = new Map(rows.map(({ digest, source }) => [digest, source]))
      const texts = policies.map(({ name, version, digest }) => {
        const source = sources.get(digest)
        if (source === undefined) throw new Error(`Version ${version} of ${name} differs from the bound version.`)
        return { digest, source }
      })
      return manifest === undefined ? texts : [...texts, { digest: manifest.digest, source: manifest.source }]
    },
  }
}
