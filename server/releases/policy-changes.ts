import type { z } from 'zod'
import type { PolicyChange } from '#lib/schemas/agents.ts'
import type { ReleasedPolicy } from './content.ts'

const placeOf = ({ policyId, mode }: ReleasedPolicy) => `${policyId} ${mode}`

/** The differences between the policies that a release pins and those bound now, sorted by name. */
export function policyChanges(
  released: readonly ReleasedPolicy[],
  bound: readonly ReleasedPolicy[],
): z.infer<typeof PolicyChange>[] {
  const places = new Map([...released, ...bound].map((policy) => [placeOf(policy), policy]))
  const versionsIn = (policies: readonly ReleasedPolicy[], place: string) =>
    policies.filter((policy) => placeOf(policy) === place).map(({ version }) => version)
  return [...places]
    .map(([place, { policyId, name, mode }]) => ({
      policyId,
      name,
      mode,
      released: versionsIn(released, place),
      now: versionsIn(bound, place),
    }))
    .filter(({ released: before, now }) => before.join() !== now.join())
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}
