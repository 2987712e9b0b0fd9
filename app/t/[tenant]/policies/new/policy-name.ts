import { limits } from '#lib/limits.ts'

/** Why a policy can't be called that, or undefined. The same rule as the API's (CreatePolicyInput in lib/schemas/policies.ts). */
export function whyNotPolicyName(name: string): string | undefined {
  if (name === '') return 'Name the policy.'
  if (name.length > limits.slug) return `A name has at most ${limits.slug} characters.`
  if (!/^[a-z0-9][a-z0-9-]*$/.test(name)) return 'A name is of lower-case letters, digits and hyphens.'
}
