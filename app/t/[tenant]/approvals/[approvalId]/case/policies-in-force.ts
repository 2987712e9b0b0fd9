import { isJsonObject, type JsonValue } from '#lib/json.ts'
import type { Answers } from '#lib/trpc.ts'

type Release = Pick<Answers['releases']['get'], 'content' | 'policyChanges'>

/**
 * The policies that are enforced now where a release is to run, such as "refund-policy 3": those that it pins, with the changes since.
 * Undefined if they can't be told, because it has ended or pins none.
 */
export function policiesInForce({ content, policyChanges }: Release): string[] | undefined {
  if (policyChanges === null || !isJsonObject(content)) return undefined
  const changed = policyChanges.filter(({ mode }) => mode === 'enforce')
  const pinned = (Array.isArray(content.policies) ? content.policies : []).flatMap((policy: JsonValue) =>
    isJsonObject(policy) && policy.mode === 'enforce' && !changed.some(({ policyId }) => policyId === policy.policyId)
      ? [`${String(policy.name)} ${String(policy.version)}`]
      : [],
  )
  return [...pinned, ...changed.flatMap(({ name, now }) => now.map((version) => `${name} ${version}`))].sort()
}
